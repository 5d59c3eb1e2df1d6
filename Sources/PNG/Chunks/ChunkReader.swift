// Reads the container one step at a time; the decoder, inspections and listings use it and see the same chunks.

import DeflateCodec
package import ImageCodecsCore

/// Reads the signature and the chunks of a PNG file while its bytes come.
///
/// When a chunk begins, the caller says how the body is wanted; what is not asked for is passed over:
///
///     .begins ─┬─ accept(chunk, .whole)  ─▶ .whole                      held back until body and checksum are there
///              ├─ accept(chunk, .pieces) ─▶ .piece ... .piece ─▶ .ends  as the bytes come, however long it is
///              ├─ accept(chunk, .start)  ─▶ .piece                      its first bytes, unchecked
///              └─ nothing                ─▶ (the next chunk)            neither kept nor checksummed
///
/// What a wrong checksum means is the caller's business. A plain value that holds no bytes: a copy is a checkpoint.
///
/// Source: PNG 3rd ed. §5 "Datastream structure".
package struct ChunkReader: Hashable, Sendable {
    /// How a body is wanted.
    package enum Reading: Hashable, Sendable {
        /// All of it at once, with its checksum.
        case whole
        /// As it comes. The first piece has `leading` bytes at least, or all of a body that is shorter: so the sequence
        /// number of an fdAT chunk comes in one piece.
        case pieces(leading: Int = 0)
        /// This many bytes from the start as one piece, without a checksum, and nothing more; the body has at least these.
        case start(Int)
    }

    /// What was read. Ranges are those of the span it was read from.
    package enum Step: Hashable, Sendable {
        /// A chunk begins; nothing of its body is read.
        case begins(ChunkHeader)
        /// A chunk that was wanted as a whole.
        case whole(ChunkHeader, body: Range<Int>, ChunkChecksums)
        /// The next bytes of a body, never none.
        case piece(ChunkHeader, body: Range<Int>)
        /// The end of a chunk that came in pieces.
        case ends(ChunkHeader, ChunkChecksums)
    }

    private enum State: Hashable, Sendable {
        case signature
        case header
        case whole(ChunkHeader)
        /// Bytes left of the body, the checksum of those before, and bytes that the next piece has at least.
        case pieces(ChunkHeader, left: Int, CRC32, leading: Int)
        /// Bytes that are wanted of the body.
        case start(ChunkHeader, Int)
        /// Bytes left, the checksum included.
        case skipping(left: Int)
    }

    private var state = State.signature

    /// A piece has no more bytes than this, so that it is still in the cache when it is used, and the clock is asked in
    /// time.
    package static let pieceByteCount = 1 << 16

    package init() {}

    /// A reader that has passed the signature and expects a chunk.
    package static var atChunk: ChunkReader {
        var reader = ChunkReader()
        reader.state = .header
        return reader
    }

    /// Says how the body of the chunk that just began is wanted.
    package mutating func accept(_ chunk: ChunkHeader, _ reading: Reading) {
        switch reading {
        case .whole: state = .whole(chunk)
        case .pieces(let leading):
            state = .pieces(chunk, left: chunk.length, CRC32(chunk.type), leading: min(leading, chunk.length))
        case .start(let byteCount): state = .start(chunk, min(byteCount, chunk.length))
        }
    }

    /// A chunk that is being read in pieces and whose end is not there yet; its checksum if all of its body is.
    package var unfinished: (chunk: ChunkHeader, checksum: UInt32?)? {
        guard case .pieces(let chunk, let left, let checksum, _) = state else { return nil }
        return (chunk, left == 0 ? checksum.value : nil)
    }

    /// Reads up to the next step; `nil` means that more input is needed.
    ///
    /// - Parameters:
    ///   - bytes: holds the unread bytes.
    ///   - position: where they begin; moved after what is read.
    ///   - offset: where `bytes` begin in the file.
    ///   - work: asked for every chunk and every piece.
    /// - Throws: `unknownFormat` for another signature; `corrupt` for what cannot be a chunk, with `position` before
    ///   it.
    package mutating func next(
        in bytes: Span<UInt8>, from position: inout Int, offset: Int, work: inout WorkGuard
    ) throws(ImageError) -> Step? {
        while true {
            let rest = bytes.extracting(droppingFirst: position)
            switch state {
            case .signature:
                guard try Self.isWholeSignature(rest) else { return nil }
                position += FormatSignature.png.byteCount
                state = .header
            case .header:
                guard rest.count >= ChunkHeader.byteCount else { return nil }
                // A chunk costs more than its bytes.
                try work.spend(64)
                let chunk = try ChunkHeader(rest, offset: offset + position)
                position += ChunkHeader.byteCount
                state = .skipping(left: chunk.length + ChunkHeader.checksumByteCount)
                return .begins(chunk)
            case .skipping(let left):
                let used = min(left, rest.count)
                position += used
                state = used == left ? .header : .skipping(left: left - used)
                if used < left { return nil }
            case .start(let chunk, let byteCount):
                guard rest.count >= byteCount else { return nil }
                state = .skipping(left: chunk.length - byteCount + ChunkHeader.checksumByteCount)
                defer { position += byteCount }
                return .piece(chunk, body: position..<position + byteCount)
            case .whole(let chunk):
                guard rest.count >= chunk.length + ChunkHeader.checksumByteCount else { return nil }
                var checksum = CRC32(chunk.type)
                try checksum.add(rest.extracting(first: chunk.length), work: &work)
                let body = position..<position + chunk.length
                position = body.upperBound
                return .whole(chunk, body: body, readChecksum(bytes, &position, computed: checksum))
            case .pieces(let chunk, 0, let checksum, _):
                guard rest.count >= ChunkHeader.checksumByteCount else { return nil }
                return .ends(chunk, readChecksum(bytes, &position, computed: checksum))
            case .pieces(let chunk, let left, var checksum, let leading):
                let used = min(left, rest.count, Self.pieceByteCount)
                guard used > 0, used >= leading else { return nil }
                try work.spend(used)
                checksum.add(rest.extracting(first: used))
                state = .pieces(chunk, left: left - used, checksum, leading: 0)
                defer { position += used }
                return .piece(chunk, body: position..<position + used)
            }
        }
    }

    /// Whether the signature is there; throws at the first byte that is another.
    private static func isWholeSignature(_ bytes: Span<UInt8>) throws(ImageError) -> Bool {
        switch FormatSignature.png.match(bytes) {
        case .none: throw .unknownFormat
        case .start: return false
        case .whole: return true
        }
    }

    private mutating func readChecksum(
        _ bytes: Span<UInt8>, _ position: inout Int, computed: CRC32
    ) -> ChunkChecksums {
        state = .header
        defer { position += ChunkHeader.checksumByteCount }
        return ChunkChecksums(stored: bytes.bigEndianUInt32(at: position), computed: computed.value)
    }
}

/// The checksum after a body, and the one that type and body have.
package struct ChunkChecksums: Hashable, Sendable {
    package let stored: UInt32
    package let computed: UInt32

    /// Whether they are the same.
    package var agree: Bool { stored == computed }
}
