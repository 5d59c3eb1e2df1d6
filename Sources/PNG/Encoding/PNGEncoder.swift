// From rows to the bytes of a PNG file.
//
//   1. survey      what do the pixels make use of?                 PixelSurvey
//   2. choose      colour type, bit depth, palette                 PixelEncoding
//   3. describe    colour space, density, text, ... as chunks      PNGMetadataChunks
//   4. pack        row -> scanline                                 ScanlinePacker
//   5. filter, compress, cut into IDAT chunks                      ImageDataWriter
//
// Steps 4 and 5 go row by row. Step 1 looks at all rows first; with `EncodingOptions.Effort.fast` it is left out, and rows
// are written as they come.

#if SystemZlib
import DeflateCodec
package import ImageCodecsCore

/// Writes one picture as a PNG file.
///
/// The smallest colour type and bit depth that keep every pixel are chosen: gray if all pixels are gray, no alpha
/// if all are opaque, a palette if there are few colours, eight bits if the samples of sixteen are bytes
/// repeated. Premultiplied pixels become straight. With `EncodingOptions.Effort.fast` they are what the rows' format says.
///
/// `EncodingOptions.embedsThumbnail` has no effect: PNG has no place for a preview.
package struct PNGEncoder: RowEncoder {
    private enum State: Sendable {
        case ready
        case surveying(PixelSurvey)
        case writing(ScanlinePacker, ImageDataWriter)
        case ended
    }

    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let metadata: PNGMetadataChunks
    private var state = State.ready
    private var file = ChunkWriter()
    package private(set) var fixedByteCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of 2^31 pixels or more.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        let (side, largest) = (max(picture.size.width, picture.size.height), Int(Int32.max))
        guard side <= largest else { throw .limitExceeded(.dimension, requested: side, allowed: largest) }
        self.picture = picture
        self.request = request
        metadata = PNGMetadataChunks(picture, meter: request.meter)
    }

    package var rowFormat: PixelFormat { picture.format }

    package var surveysRows: Bool { request.options.effort != .fast }

    package var estimatedByteCount: Int {
        let width = picture.size.width
        // The widest scanline that rows of this format may need.
        let widest = PixelEncoding(unchanged: picture.format.depth == .sixteen ? .rgba16 : .rgba, grayUse: .refused)
        var count = ImageDataWriter.estimatedByteCount(widest, size: picture.size, effort: request.options.effort)
        count = count.addingSaturated(ScanlinePacker.estimatedByteCount(picture.format, width: width))
        if surveysRows { count = count.addingSaturated(PixelSurvey.byteCount(width: width)) }
        return count
    }

    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool {
        if case .ready = state {
            state = .surveying(
                try PixelSurvey(format: picture.format, width: picture.size.width, meter: request.meter))
        }
        guard case .surveying(var survey) = state else { return false }
        // Taken out of the state for the call, so that nothing is copied.
        state = .ready
        let wantsMore = survey.look(at: row)
        state = .surveying(survey)
        return wantsMore
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        switch state {
        case .ready:
            try begin(PixelEncoding(unchanged: picture.format, grayUse: metadata.grayUse), &work)
        case .surveying(let survey):
            state = .ready
            try begin(PixelEncoding(survey, size: picture.size, grayUse: metadata.grayUse), &work)
        case .writing, .ended: break
        }
        guard case .writing(var packer, var data) = state else { return }
        state = .ended
        try data.write(work: &work) {
            packer.pack(row, into: &$0)
        } emit: {
            file.append(.imageData, $0)
        }
        state = .writing(packer, data)
        try file.pending.sendIfFull(to: sink)
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        if case .writing(_, var data) = state {
            state = .ended
            try data.finish(work: &work) { file.append(.imageData, $0) }
        }
        file.append(.imageEnd)
        try file.pending.send(to: sink)
    }

    /// Writes what stands before the image data.
    private mutating func begin(_ encoding: PixelEncoding, _ work: inout WorkGuard) throws(ImageError) {
        file.append(.imageHeader, ImageHeader.body(size: picture.size, encoding))
        try metadata.writeBeforePalette(to: &file, encoding, &work)
        if encoding.colorType == .indexed {
            file.append(.palette, encoding.paletteBody)
            if !encoding.paletteAlphaBody.isEmpty { file.append(.transparency, encoding.paletteAlphaBody) }
        }
        try metadata.writeAfterPalette(to: &file, encoding, &work)
        fixedByteCount = file.pending.totalCount
        let meter = request.meter
        state = .writing(
            try ScanlinePacker(from: picture.format, to: encoding, width: picture.size.width, meter: meter),
            try ImageDataWriter(encoding, size: picture.size, effort: request.options.effort, meter: meter))
    }
}
#endif
