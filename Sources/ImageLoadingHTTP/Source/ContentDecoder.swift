// Undoes a content coding that a server used although none was asked for, in pieces of bounded size.

import DeflateCodec
import ImageCodecsCore

/// Unpacks `gzip` (one member) and `deflate`.
///
/// Source: RFC 9110, §8.4.1 "Content Codings"; RFC 1952 "GZIP file format specification".
struct ContentDecoder: Sendable {
    private enum Stage: Sendable {
        /// Bytes of a gzip header so far.
        case header([UInt8])
        case body
        case ended
    }

    private var stage: Stage
    private var inflater: Inflater
    private let isGzip: Bool
    private var checksum = CRC32()
    private var unpackedByteCount = 0
    /// The last eight bytes of the stream, which hold checksum and length of gzip.
    private var tail: [UInt8] = []
    private let maxByteCount: Int

    private static let pieceByteCount = 1 << 16

    /// A decoder for a field `Content-Encoding`; `nil` if nothing is to be undone.
    ///
    /// - Throws: the name of a coding that is not known.
    static func make(_ coding: String?, maxByteCount: Int) throws(ContentError) -> ContentDecoder? {
        switch coding?.lowercased() {
        case nil, "", "identity": return nil
        case "gzip", "x-gzip": return try ContentDecoder(isGzip: true, maxByteCount)
        case "deflate": return try ContentDecoder(isGzip: false, maxByteCount)
        case let name?: throw .unknownCoding(name)
        }
    }

    private init(isGzip: Bool, _ maxByteCount: Int) throws(ContentError) {
        do throws(ImageError) {
            inflater = try Inflater(capacity: Self.pieceByteCount, isRaw: isGzip, meter: nil)
        } catch {
            throw .damaged
        }
        (self.isGzip, self.maxByteCount) = (isGzip, maxByteCount)
        stage = isGzip ? .header([]) : .body
    }

    /// What a piece unpacks to, together with those before it at most `maxByteCount` bytes.
    mutating func unpack(_ piece: ImageData) throws(ContentError) -> ImageData {
        var input = piece.withBytes { bytes in Array(bytes.indices.map { bytes[$0] }) }[...]
        tail = Array((tail + input.suffix(8)).suffix(8))
        if case .header(let start) = stage {
            let header = start + input
            guard let count = try Self.headerByteCount(header) else {
                guard header.count < 1 << 16 else { throw .damaged }
                stage = .header(header)
                return ImageData([UInt8]())
            }
            input = header[count...]
            stage = .body
        }
        guard case .body = stage else { return ImageData([UInt8]()) }
        return ImageData(try inflate(&input))
    }

    private mutating func inflate(_ input: inout ArraySlice<UInt8>) throws(ContentError) -> [UInt8] {
        var output: [UInt8] = []
        while true {
            let step: InflateStep
            do throws(InflateError) {
                step = try inflater.inflate(input.span, limit: Self.pieceByteCount)
            } catch {
                throw .damaged
            }
            input = input.dropFirst(step.consumed)
            unpackedByteCount += step.produced
            guard unpackedByteCount <= maxByteCount else { throw .tooLarge }
            inflater.withUnpacked { bytes in
                let bytes = Span<UInt8>(_bytes: bytes)
                checksum.add(bytes)
                for index in bytes.indices { output.append(bytes[index]) }
            }
            inflater.discard(step.produced)
            if step.isFinished { stage = .ended }
            if step.isFinished || step.consumed == 0 && step.produced == 0 || input.isEmpty && step.produced == 0 {
                break
            }
        }
        return output
    }

    /// Says that the stream has ended.
    func finish() throws(ContentError) {
        guard case .ended = stage else { throw .damaged }
        guard isGzip else { return }
        let number = { (offset: Int) in (0..<4).reduce(UInt32(0)) { $0 | UInt32(tail[offset + $1]) << UInt32(8 * $1) } }
        guard tail.count == 8, number(0) == checksum.value, number(4) == UInt32(truncatingIfNeeded: unpackedByteCount)
        else { throw .damaged }
    }

    /// Bytes of the header; `nil` if there are more to come.
    ///
    /// Source: RFC 1952, §2.3 "Member format".
    private static func headerByteCount(_ bytes: [UInt8]) throws(ContentError) -> Int? {
        guard bytes.count >= 10 else { return nil }
        guard bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8, bytes[3] & 0xE0 == 0 else { throw .damaged }
        let flags = bytes[3]
        var count = 10
        if flags & 4 != 0 {
            guard bytes.count >= 12 else { return nil }
            count += 2 + Int(bytes[10]) + Int(bytes[11]) << 8
        }
        // Name and comment end with a zero.
        for flag in [8, 16] as [UInt8] where flags & flag != 0 {
            guard count < bytes.count, let zero = bytes[count...].firstIndex(of: 0) else { return nil }
            count = zero + 1
        }
        if flags & 2 != 0 { count += 2 }
        return count <= bytes.count ? count : nil
    }
}

/// Why a content coding could not be undone.
enum ContentError: Error, Hashable, Sendable {
    case unknownCoding(String)
    case damaged
    case tooLarge
}
