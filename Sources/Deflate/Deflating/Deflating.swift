// The narrow interface between PNG and whatever compresses.

package import ImageCodecsCore

/// How much time compression takes to make a stream smaller.
package enum CompressionEffort: String, CaseIterable, Hashable, Sendable {
    /// None: bytes are stored as they are.
    case stored
    /// The least that finds repetitions.
    case fast
    /// What most streams are made with.
    case `default`
    /// One search for the cheapest way through few matches: three times the time of `default` or so.
    case thorough
    /// The smallest stream, however long it takes.
    case best
}

/// Compresses what is written to it into one zlib stream (RFC 1950 "ZLIB Compressed Data Format Specification").
///
/// What comes out depends on the bytes and on where ``flush(work:emit:)`` was called, not on how the bytes were cut into calls.
/// Not a value, whatever it looks like: of two copies only one may be used.
package protocol Deflating: Sendable {
    /// Bytes that compressing holds at most. Saturates.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes will be written, `Int.max` if that is not known.
    ///   - pieceByteCount: bytes of the pieces handed out.
    static func estimatedByteCount(effort: CompressionEffort, byteCount: Int, pieceByteCount: Int) -> Int

    /// - Parameters:
    ///   - effort: how hard to look for repetitions.
    ///   - byteCount: how many bytes will be written, `Int.max` if that is not known; small amounts get small tables.
    ///   - pieceByteCount: bytes of the pieces handed out, of all but the last and those before a flush; at least 1.
    ///   - meter: counts what is held.
    init(
        effort: CompressionEffort, byteCount: Int, pieceByteCount: Int, meter: MemoryMeter?
    ) throws(ImageError)

    /// Takes bytes and hands out each piece of the stream that gets full.
    mutating func write(
        _ bytes: RawSpan, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError)

    /// Hands out all that was written so far, up to a byte boundary (zlib's "sync flush"): an inflater that has these bytes has
    /// everything.
    mutating func flush(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError)

    /// Ends the stream, checksum included, and hands out what is left of it.
    mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError)
}

extension Deflating {
    /// All of `bytes` as one zlib stream.
    package static func compress(
        _ bytes: Span<UInt8>, effort: CompressionEffort, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        var deflater = try Self(effort: effort, byteCount: bytes.count, pieceByteCount: 1 << 14, meter: meter)
        var compressed: [UInt8] = []
        let append = { (piece: RawSpan) throws(ImageError) in compressed.append(piece) }
        try bytes.withRawBytes { (bytes) throws(ImageError) in
            try deflater.write(bytes, work: &work, emit: append)
        }
        try deflater.finish(work: &work, emit: append)
        return compressed
    }
}
