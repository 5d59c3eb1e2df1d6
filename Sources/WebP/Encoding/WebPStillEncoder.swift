// From the rows of one picture to the bytes of a WebP file.
//
//   1. code        rows -> bitstream, held                           WebPLossless: VP8LEncoder, or LossyPictureEncoder
//   2. describe    VP8X if there are metadata or alpha beside, ICCP, EXIF, XMP      WrittenMetadata
//   3. put together: the head of the file says how long it is        RIFFWriter

package import ImageCodecsCore
package import ImageEncoding
import WebPLosslessCodec
import WebPLossyCodec

/// Writes one picture as a WebP file: a simple one if it has neither metadata nor alpha beside it.
///
/// - Source: RFC 9649 §2.5 "Simple File Format (Lossy)", §2.6 "Simple File Format (Lossless)", §2.7 "Extended File Format".
package struct WebPStillEncoder: RowEncoder {
    private enum State: Sendable {
        case lossless(VP8LEncoder)
        case lossy(LossyPictureEncoder)
        /// Both, of which one is written.
        case either(VP8LEncoder, LossyPictureEncoder)
        /// After the last row.
        case ended
    }

    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let metadata: WrittenMetadata
    private var state: State
    package private(set) var fixedByteCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of more than 16,384 pixels, of a lossy file 16,383; `invalidArgument` for
    ///   a quality, options or metadata that make no sense.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        self.picture = picture
        self.request = request
        metadata = try WrittenMetadata(picture.metadata, orientation: picture.orientation)
        let options = request.options
        guard options.writesLossyWebP(of: picture.isLossy) else {
            try VP8LEncoder.check(picture.size)
            state = .lossless(VP8LEncoder(picture.size, try options.losslessSettings, meter: request.meter))
            return
        }
        let lossy = try LossyPictureEncoder(
            picture.size, try options.lossySettings, alphaLevelCount: try options.alphaLevelCount, meter: request.meter)
        state =
            options.webp.choosesLoss
            ? .either(VP8LEncoder(picture.size, try options.losslessSettings, meter: request.meter), lossy)
            : .lossy(lossy)
    }

    package var rowFormat: PixelFormat { .rgba }

    package var estimatedByteCount: Int {
        let lossless = VP8LEncoder.byteCount(picture.size, request.options.effort)
        func lossy(_ encoder: LossyPictureEncoder) -> Int {
            LossyPictureEncoder.byteCount(picture.size, encoder.settings, hasAlpha: picture.format.hasAlpha)
        }
        return switch state {
        case .lossless, .ended: lossless
        case .lossy(let encoder): lossy(encoder)
        case .either(_, let encoder): lossless.addingSaturated(lossy(encoder))
        }
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        // Taken out of the state for the call, so that nothing is copied.
        switch state {
        case .lossless(var encoder):
            state = .ended
            try encoder.add(row, &work)
            state = .lossless(encoder)
        case .lossy(var encoder):
            state = .ended
            try encoder.add(row, &work)
            state = .lossy(encoder)
        case .either(var lossless, var lossy):
            state = .ended
            try lossless.add(row, &work)
            try lossy.add(row, &work)
            state = .either(lossless, lossy)
        case .ended: break
        }
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        switch taken() {
        case .lossless(var encoder):
            let bitstream = try encoder.finish(&work)
            try write(.lossless, bitstream, flags: encoder.hasAlpha ? [.alpha] : [], to: sink)
        case .lossy(var encoder):
            try write(try encoder.finish(&work), to: sink)
        case .either(var lossless, var lossy):
            let coded = try lossy.finish(&work)
            let bitstream = try lossless.finish(&work)
            // The chunk of alpha has a head.
            let other = coded.colors.count + (coded.alpha.map { $0.count + RIFFChunk.headerByteCount } ?? 0)
            guard bitstream.count > other else {
                return try write(.lossless, bitstream, flags: lossless.hasAlpha ? [.alpha] : [], to: sink)
            }
            try write(coded, to: sink)
        case .ended: break
        }
    }

    private mutating func write(
        _ coded: LossyPictureEncoder.Picture, to sink: EncodedBytesSink
    ) throws(ImageError) {
        try write(.lossy, coded.colors, alpha: coded.alpha, flags: coded.alpha == nil ? [] : [.alpha], to: sink)
    }

    /// The state, which is ``State/ended`` afterwards: what is taken out can be changed without being copied.
    private mutating func taken() -> State {
        var current = State.ended
        swap(&current, &state)
        return current
    }

    /// Puts the file together.
    private mutating func write(
        _ type: FourCC, _ bitstream: [UInt8], alpha: [UInt8]? = nil, flags: ExtendedHeader.Flags,
        to sink: EncodedBytesSink
    ) throws(ImageError) {
        var (start, end) = (RIFFWriter(), RIFFWriter())
        if !metadata.isEmpty || alpha != nil {
            start.append(.extended, ExtendedHeader(metadata.flags.union(flags), canvasSize: picture.size).body)
            metadata.appendProfile(to: &start)
        }
        let fixedStart = start.bytes.count
        if let alpha { start.append(.alpha, alpha) }
        let alphaByteCount = start.bytes.count - fixedStart
        start.appendHead(type, byteCount: bitstream.count)
        end.appendPadding(byteCount: bitstream.count)
        metadata.appendRest(to: &end)
        let head = try RIFFWriter.fileHead(
            chunksByteCount: start.bytes.count + bitstream.count + end.bytes.count)
        fixedByteCount = head.count + start.bytes.count - alphaByteCount + end.bytes.count
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
