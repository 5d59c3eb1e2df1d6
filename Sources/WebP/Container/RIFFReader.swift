// Reads the container one step at a time; the decoder, frames and listings use it and see the same chunks.
//
//   RIFF size WEBP ─▶ chunk ─▶ chunk ─▶ ANMF head ─▶ ┌ chunk ─▶ chunk ┐ ─▶ end of frame ─▶ chunk ─▶ end

package import ImageCodecsCore

/// Reads the chunks of a WebP file while its bytes come.
///
/// When a chunk begins, the caller says how its payload is wanted; what is not asked for is passed over:
///
///     .begins ─┬─ accept(chunk, .first(n)) ─▶ .first                 held back until n bytes are there
///              ├─ accept(chunk, .frame)    ─▶ .frame ─▶ chunks in it ─▶ .frameEnds
///              ├─ accept(chunk, .stream)   ─▶ .stream ... .stream    as the bytes come; the caller says how many it used
///              └─ nothing                  ─▶ (the next chunk)
///
/// A plain value that holds no bytes: a copy is a checkpoint. Places are those in the file: below 2^34, so that no sum
/// overflows.
///
/// - Source: RFC 9649 §2.3 "RIFF File Format", §2.4 "WebP File Header".
package struct RIFFReader: Hashable, Sendable {
    /// How a payload is wanted.
    package enum Reading: Hashable, Sendable {
        /// This many bytes from the start, at once; the rest is passed over.
        case first(Int)
        /// The head of a frame, then the chunks in it.
        case frame
        /// As it comes.
        case stream
    }

    /// What was read. Ranges are those of the span it was read from.
    package enum Step: Hashable, Sendable {
        /// The head of the file, which says where it ends.
        case file(end: Int)
        /// A chunk begins; nothing of its payload is read.
        case begins(RIFFChunk)
        /// The first bytes of a payload, or all of one that is shorter.
        case first(RIFFChunk, body: Range<Int>)
        /// The head of a frame; chunks follow up to ``frameEnds(_:)``.
        case frame(RIFFChunk, body: Range<Int>)
        /// A frame ended.
        case frameEnds(RIFFChunk)
        /// What there is of a payload from the reading position on; if that does not move, the same comes again.
        case stream(RIFFChunk, body: Range<Int>, isLast: Bool)
        /// The end of the file.
        case ends
    }

    private enum State: Hashable, Sendable {
        case head
        case chunk
        case first(RIFFChunk, Int)
        case frameHead(RIFFChunk)
        case stream(RIFFChunk)
        /// Everything up to this place in the file is passed over.
        case skipping(to: Int)
        case done
    }

    private var state = State.head
    /// Where the file ends, as its head says.
    private var end = 0
    /// The frame whose chunks are being read.
    package private(set) var frame: RIFFChunk?
    /// Whether a chunk that does not fit ends the file, rather than being damage.
    package var endsAtOverrun = false

    /// Bytes of the head of the file.
    package static let fileHeaderByteCount = 12
    /// What the smallest picture takes after the first eight bytes: `WEBP`, and the head of a chunk.
    private static let smallestFileSize = 12
    /// The largest size that a RIFF chunk may say it has.
    private static let largestFileSize = 0xFFFF_FFF6

    /// A reader at a file's start.
    package init() {}

    /// A reader before the chunks of a frame, which end where their bytes do.
    ///
    /// - Parameter offset: where they begin in the file.
    init(inFrameAt offset: Int) {
        end = .max
        state = .chunk
    }

    /// Says how the payload of the chunk that just began is wanted.
    ///
    /// - Parameters:
    ///   - chunk: the chunk.
    ///   - reading: how.
    package mutating func accept(_ chunk: RIFFChunk, _ reading: Reading) {
        switch reading {
        case .first(let byteCount): state = .first(chunk, min(byteCount, chunk.byteCount))
        case .frame: state = .frameHead(chunk)
        case .stream: state = .stream(chunk)
        }
    }

    /// Says that no more is wanted of a chunk that came as a stream.
    ///
    /// - Parameter chunk: the chunk.
    package mutating func skipRest(of chunk: RIFFChunk) { state = .skipping(to: min(chunk.end, limit)) }

    /// Says that no more is wanted of the frame that is being read.
    package mutating func skipFrame() {
        if let frame { state = .skipping(to: min(frame.bodyEnd, end)) }
    }

    /// Says that no more is wanted of the file.
    package mutating func skipToEnd() {
        frame = nil
        state = .skipping(to: end)
    }

    /// Where the chunks that are being read have to end.
    private var limit: Int { frame?.bodyEnd ?? end }

    /// Reads up to the next step; `nil` means that more input is needed.
    ///
    /// - Parameters:
    ///   - bytes: holds the unread bytes.
    ///   - position: where they begin; moved past what is read, except in a stream, where the caller moves it.
    ///   - offset: where `bytes` begin in the file.
    ///   - work: asked for every chunk.
    /// - Throws: `unknownFormat` for another signature; `corrupt` for what cannot be a chunk.
    package mutating func next(
        in bytes: Span<UInt8>, from position: inout Int, offset: Int, work: inout WorkGuard
    ) throws(ImageError) -> Step? {
        while true {
            let rest = bytes.extracting(droppingFirst: position)
            switch state {
            case .head:
                guard try readHead(rest) else { return nil }
                position += Self.fileHeaderByteCount
                return .file(end: end)
            case .chunk:
                try work.spend(64)
                if let step = try beginChunk(rest, &position, offset) { return step }
                if case .chunk = state { return nil }
            case .skipping(let target):
                let used = min(target - (offset + position), rest.count)
                position += used
                guard offset + position == target else { return nil }
                state = .chunk
            case .first(let chunk, let byteCount):
                guard rest.count >= byteCount else { return nil }
                state = .skipping(to: min(chunk.end, limit))
                defer { position += byteCount }
                return .first(chunk, body: position..<position + byteCount)
            case .frameHead(let chunk):
                guard rest.count >= FrameChunk.byteCount else { return nil }
                (state, frame) = (.chunk, chunk)
                defer { position += FrameChunk.byteCount }
                return .frame(chunk, body: position..<position + FrameChunk.byteCount)
            case .stream(let chunk):
                let bodyEnd = min(chunk.bodyEnd - offset, bytes.count)
                return .stream(chunk, body: position..<bodyEnd, isLast: chunk.bodyEnd <= offset + bytes.count)
            case .done: return nil
            }
        }
    }

    /// Whether the head of the file is there; throws at the first byte that is another.
    private mutating func readHead(_ bytes: Span<UInt8>) throws(ImageError) -> Bool {
        guard FormatSignature.webP.match(bytes) != .none else { throw .unknownFormat }
        guard bytes.count >= Self.fileHeaderByteCount else { return false }
        let size = Int(bytes.littleEndianUInt32(at: 4))
        guard (Self.smallestFileSize...Self.largestFileSize).contains(size) else {
            throw .corrupt(.webP, .webpFileSize, offset: 4, reason: "a RIFF chunk of \(size) bytes")
        }
        end = size + RIFFChunk.headerByteCount
        state = .chunk
        return true
    }

    /// Begins the next chunk; `nil` if its head is not there yet, or the state changed.
    private mutating func beginChunk(
        _ bytes: Span<UInt8>, _ position: inout Int, _ offset: Int
    ) throws(ImageError) -> Step? {
        let place = offset + position
        // Fewer bytes than a head has are no chunk; decoders pass over them.
        guard limit - place >= RIFFChunk.headerByteCount else { return endChunks(at: place) }
        guard bytes.count >= RIFFChunk.headerByteCount else { return nil }
        let chunk = RIFFChunk(bytes, offset: place)
        guard chunk.bodyEnd <= limit else {
            guard endsAtOverrun, frame == nil else { throw Self.overrun(chunk, limit) }
            skipToEnd()
            return nil
        }
        position += RIFFChunk.headerByteCount
        state = .skipping(to: min(chunk.end, limit))
        return .begins(chunk)
    }

    /// Goes on after the last chunk of a frame or of the file.
    private mutating func endChunks(at place: Int) -> Step? {
        if let frame {
            self.frame = nil
            state = .skipping(to: min(frame.end, end))
            return .frameEnds(frame)
        }
        guard place >= end else {
            state = .skipping(to: end)
            return nil
        }
        state = .done
        return .ends
    }

    private static func overrun(_ chunk: RIFFChunk, _ limit: Int) -> ImageError {
        .corrupt(
            .webP, .webpChunkSize, offset: chunk.offset,
            reason: "\(chunk.type.name) of \(chunk.byteCount) bytes where \(limit - chunk.bodyOffset) are left")
    }
}
