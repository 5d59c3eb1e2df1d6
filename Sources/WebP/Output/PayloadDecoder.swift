// One of the two bitstreams: bytes in, rows of four bytes a pixel out. The one place that tells them apart.

import ImageCodecsCore
import WebPLosslessCodec
import WebPLossyCodec

/// Decodes the payload of a `VP8 ` or `VP8L` chunk.
///
/// A value: a copy is a checkpoint.
enum PayloadDecoder: Sendable {
    case lossless(VP8LStream)
    case lossy(VP8Stream)
    /// Out of its place, for a call.
    case none

    /// Makes what decodes a bitstream.
    ///
    /// - Parameters:
    ///   - header: its first bytes.
    ///   - threads: that may work on it.
    ///   - meter: counts the memory.
    init(_ header: PictureHeader, threads: Int, meter: MemoryMeter?) {
        switch header.kind {
        case .lossless: self = .lossless(VP8LStream(.picture, meter: meter))
        case .lossy: self = .lossy(VP8Stream(meter: meter, threads: threads))
        }
    }

    /// The most memory that decoding a picture takes. Saturates.
    ///
    /// - Parameters:
    ///   - header: of the bitstream.
    ///   - threads: that may work on it.
    static func byteCount(_ header: PictureHeader, threads: Int) -> Int {
        switch header.kind {
        case .lossless: byteCount(lossless: header.size)
        case .lossy:
            byteCount(
                lossy: header.size, firstPartitionByteCount: header.firstPartitionByteCount, threads: threads)
        }
    }

    /// The same for a lossless picture, without the tables of its prefix codes.
    static func byteCount(lossless size: PixelSize) -> Int { VP8LStream.estimatedByteCount(.picture, size: size) }

    /// The same for a lossy picture.
    static func byteCount(lossy size: PixelSize, firstPartitionByteCount: Int, threads: Int) -> Int {
        VP8Stream.byteCount(size, firstPartitionByteCount: firstPartitionByteCount, threads: threads)
    }

    /// Rows that were handed over.
    var rowCount: Int {
        switch self {
        case .lossless(let stream): stream.rowCount
        case .lossy(let stream): stream.rowCount
        case .none: 0
        }
    }

    /// Whether every row came.
    var isComplete: Bool {
        switch self {
        case .lossless(let stream): stream.isComplete
        case .lossy(let stream): stream.isComplete
        case .none: false
        }
    }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    mutating func makeUnique() throws(ImageError) {
        switch handedOver() {
        case .lossless(var stream):
            defer { self = .lossless(stream) }
            try stream.makeUnique()
        case .lossy(var stream):
            defer { self = .lossy(stream) }
            try stream.makeUnique()
        case .none: break
        }
    }

    /// The decoder, out of its place, so that its buffers are not shared.
    private mutating func handedOver() -> PayloadDecoder {
        defer { self = .none }
        return self
    }

    /// Decodes what there is of the payload.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes of it.
    ///   - offset: where they stand in the file.
    ///   - isFinal: whether no more will come.
    ///   - byteCount: bytes of the whole payload.
    ///   - work: asked while rows are decoded.
    ///   - place: asked for each row of a lossy picture, from the top: blue, green, red and 255 of each pixel.
    ///   - take: gets each row for which there is no place: blue, green, red and a fourth byte of each pixel.
    /// - Returns: how many bytes are not needed again.
    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, byteCount: Int, work: inout WorkGuard,
        place: RowPlacing = { _, _ in false }, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        var used = 0
        switch handedOver() {
        case .lossless(var stream):
            defer { self = .lossless(stream) }
            // `consume` returns once after the header, so that callers can look at it first.
            while !stream.isComplete {
                let step = try stream.consume(
                    bytes.extracting(droppingFirst: used), offset: offset + used, isFinal: isFinal, work: &work,
                    take: take)
                used += step
                if step == 0 { break }
            }
        case .lossy(var stream):
            defer { self = .lossy(stream) }
            // The same, also after a part of the first partition.
            while !stream.isComplete {
                let step = try stream.consume(
                    bytes.extracting(droppingFirst: used), offset: offset + used, isFinal: isFinal,
                    byteCount: byteCount, work: &work, place: place, take: take)
                used += step
                if step == 0 { break }
            }
        case .none: return bytes.count
        }
        return used
    }
}
