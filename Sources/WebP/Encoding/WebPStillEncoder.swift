// From the rows of one picture to the bytes of a WebP file.
//
//   1. code        rows -> VP8L bitstream, held                      WebPLossless: VP8LEncoder
//   2. describe    VP8X if there are metadata, ICCP, EXIF, XMP       WrittenMetadata
//   3. put together: the head of the file says how long it is        RIFFWriter

package import ImageCodecsCore
import WebPLosslessCodec

/// Writes one picture as a lossless WebP file: a simple one if it has no metadata.
///
/// - Source: RFC 9649 §2.6 "Simple File Format (Lossless)", §2.7 "Extended File Format".
package struct WebPStillEncoder: RowEncoder {
    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let metadata: WrittenMetadata
    /// `nil` after the last row.
    private var encoder: VP8LEncoder?
    package private(set) var fixedByteCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of more than 16,384 pixels, `unsupported` for a lossy file,
    ///   `invalidArgument` for a quality or metadata that make no sense.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        try VP8LEncoder.check(picture.size)
        self.picture = picture
        self.request = request
        metadata = try WrittenMetadata(picture.metadata, orientation: picture.orientation)
        encoder = VP8LEncoder(picture.size, try request.options.losslessSettings, meter: request.meter)
    }

    package var rowFormat: PixelFormat { .rgba }

    package var estimatedByteCount: Int {
        VP8LEncoder.byteCount(picture.size, request.options.effort)
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        try encoder?.add(row, &work)
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        guard var encoder = encoder.take() else { return }
        let bitstream = try encoder.finish(&work)
        var (start, end) = (RIFFWriter(), RIFFWriter())
        if !metadata.isEmpty {
            let flags = encoder.hasAlpha ? metadata.flags.union(.alpha) : metadata.flags
            start.append(.extended, ExtendedHeader(flags, canvasSize: picture.size).body)
            metadata.appendProfile(to: &start)
        }
        start.appendHead(.lossless, byteCount: bitstream.count)
        end.appendPadding(byteCount: bitstream.count)
        metadata.appendRest(to: &end)
        let head = try RIFFWriter.fileHead(
            chunksByteCount: start.bytes.count + bitstream.count + end.bytes.count)
        if picture.format.depth == .sixteen { request.options.losses?.record(.sampleDepth) }
        fixedByteCount = head.count + start.bytes.count + end.bytes.count
        for piece in [head + start.bytes, bitstream, end.bytes] where !piece.isEmpty {
            try piece.withSpan { (piece) throws(ImageError) in try sink(piece) }
        }
    }
}

extension VP8LEncoder {
    /// Refuses a picture that no bitstream can hold.
    ///
    /// - Throws: `limitExceeded(.dimension)`.
    static func check(_ size: PixelSize) throws(ImageError) {
        let side = max(size.width, size.height)
        guard side <= largestSide else { throw .limitExceeded(.dimension, requested: side, allowed: largestSide) }
    }
}
