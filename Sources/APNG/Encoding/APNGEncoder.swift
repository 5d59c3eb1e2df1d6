// From sub-frames to the bytes of an animated PNG file.
//
//   1. survey      which colours do all frames have?                 FrameColorSurvey
//   2. choose      one colour type, palette, transparent colour      FrameColors
//   3. describe    IHDR, acTL, metadata, PLTE, tRNS                  PNGMetadataChunks
//   4. pack        rows of a sub-frame -> scanlines, held            FrameStreams, PNG's ScanlinePacker
//   5. filter and compress: tried in several ways, then written      FrameStreams, PNG's ScanlineStore
//   6. fcTL, and pieces of the zlib stream as IDAT or fdAT           ChunkWriter
//
// Which sub-frames there are is found out by ImageCore's `SubFramePlanner`, which asks step 5 what they cost.

package import ImageCodecsCore
package import ImageEncoding
import PNGCodec

/// Writes one animation as an APNG file.
package struct APNGEncoder: AnimationEncoder {
    private let animation: EncodedAnimation
    private let request: EncodingRequest
    private let metadata: PNGMetadataChunks
    private var survey: FrameColorSurvey?
    private var colors: FrameColors
    /// Made when the colours are known.
    private var streams: FrameStreams
    private var file = ChunkWriter()
    private var sequenceNumber: UInt32 = 0
    private var frameCount = 0
    /// Bytes of the file around its frames and its palette: signature, IHDR, acTL, IEND, and metadata once they are written.
    private var outerByteCount = 8 + 25 + 20 + 12
    /// fcTL, the head and tail of IDAT or fdAT, and a zlib stream of one pixel.
    private static let smallestFrameByteCount = 38 + 12 + 10

    /// - Throws: `limitExceeded(.dimension)` for a side of 2^31 pixels or more, `invalidArgument` for more frames than the file can
    ///   say and for a default picture of another size.
    package init(_ animation: EncodedAnimation, _ request: EncodingRequest) throws(ImageError) {
        let size = animation.picture.size
        let (side, largest) = (max(size.width, size.height), Int(Int32.max))
        guard side <= largest else { throw .limitExceeded(.dimension, requested: side, allowed: largest) }
        guard animation.frameCount <= largest else {
            throw .invalidArgument("\(animation.frameCount) frames; an APNG file has at most \(largest)")
        }
        self.animation = animation
        self.request = request
        metadata = PNGMetadataChunks(animation.picture, meter: request.meter)
        var colors = FrameColors(unknown: animation.sourceFormat, grayUse: metadata.grayUse)
        if let picture = request.options.apng.defaultPicture {
            let size = Self.defaultPicturePlan(picture, animation, request).targetSize
            guard size == animation.picture.size else {
                throw .invalidArgument("a default picture of \(size) pixels for frames of \(animation.picture.size)")
            }
            // Nothing is known of its pixels unless the frames are surveyed.
            colors = FrameColors(unknown: .rgba, grayUse: .refused)
        }
        self.colors = colors
        streams = FrameStreams(colors, effort: request.options.effort, meter: request.meter)
    }

    package var abilities: FrameAbilities {
        // Deviation: the standard allows to take back a frame that was laid over others, but Pillow (13.0) draws on the canvas
        // that it has kept for that, and goes on from a wrong one.
        FrameAbilities(
            laysOver: colors.laysOver, restoresAfterOver: false,
            firstFrameCoversCanvas: request.options.apng.defaultPicture == nil)
    }

    package var estimatedByteCount: Int {
        let size = animation.picture.size
        var count = FrameStreams.byteCount(size, effort: request.options.effort)
            .addingSaturated(FrameColorSurvey.byteCount(width: size.width))
            .addingSaturated(2 * PendingBytes.pieceByteCount).addingSaturated(metadata.compressingByteCount)
        if let picture = request.options.apng.defaultPicture {
            count = count.addingSaturated(Bitmap.byteCount(size: size, format: .rgba) ?? .max)
                .addingSaturated(Self.defaultPicturePlan(picture, animation, request).byteCount(to: .rgba))
        }
        return count
    }

    package var fixedByteCount: Int {
        animation.frameCount.multipliedSaturated(by: Self.smallestFrameByteCount).addingSaturated(outerByteCount)
    }

    package mutating func survey(
        _ canvas: Bitmap, rows: Range<Int>, work: inout WorkGuard
    ) throws(ImageError) {
        if survey == nil { survey = try FrameColorSurvey(width: canvas.width, meter: request.meter) }
        for y in rows {
            try work.spend(canvas.width)
            try canvas.withRowBytes(y) { (row) throws(ImageError) in
                try survey?.look(at: row, width: canvas.width)
            }
        }
    }

    package mutating func begin(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        var defaultFrame: SubFrame?
        if let picture = request.options.apng.defaultPicture {
            let frame = try canvas(of: picture, &work)
            if survey != nil { try survey(frame, rows: 0..<frame.height, work: &work) }
            defaultFrame = SubFrame(PixelRect(frame.size), .replacement, on: frame, wanted: frame)
        }
        if let survey {
            colors = FrameColors(
                survey, grayUse: metadata.grayUse, isAnimated: animation.frameCount > 1 || defaultFrame != nil)
        }
        survey = nil
        streams = FrameStreams(colors, effort: request.options.effort, meter: request.meter)
        let encoding = colors.encoding
        file.append(.imageHeader, ImageHeader.body(size: animation.picture.size, encoding))
        file.append(
            .animationControl,
            AnimationControl.body(
                frameCount: animation.frameCount, playCount: animation.plays(most: Int(Int32.max), request)))
        metadata.recordLosses(encoding, in: request.options.losses)
        try metadata.writeBeforePalette(to: &file, encoding, &work)
        let paletteStart = file.pending.totalCount
        if encoding.colorType == .indexed { file.append(.palette, encoding.paletteBody) }
        if !encoding.transparencyBody.isEmpty { file.append(.transparency, encoding.transparencyBody) }
        let paletteByteCount = file.pending.totalCount - paletteStart
        try metadata.writeAfterPalette(to: &file, encoding, &work)
        outerByteCount = file.pending.totalCount - paletteByteCount + 12
        if let defaultFrame { try writeData(of: defaultFrame, nil, as: .imageData, to: sink, &work) }
        try file.pending.sendIfFull(to: sink)
    }

    package mutating func cost(
        of frame: SubFrame, work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        try streams.cost(of: frame, &work)
    }

    package mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let control = FrameControl(
            sequenceNumber: try nextNumber(), rect: planned.frame.rect, disposal: planned.disposal,
            blending: planned.frame.blending)
        let delay = FrameDelay(planned.duration)
        if !delay.isWithinMicrosecond(of: planned.duration) { request.options.losses?.record(.durations) }
        file.append(.frameControl, control.body(delay))
        let isImage = frameCount == 0 && request.options.apng.defaultPicture == nil
        try writeData(
            of: planned.frame, planned.method, as: isImage ? .imageData : .frameData, to: sink, &work)
        frameCount += 1
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        file.append(.imageEnd)
        try file.pending.send(to: sink)
    }

    private mutating func writeData(
        of frame: SubFrame, _ method: Int?, as type: ChunkType, to sink: EncodedBytesSink, _ work: inout WorkGuard
    ) throws(ImageError) {
        // Taken out for the call: the closure below changes the rest of `self`.
        var streams = streams
        self.streams = FrameStreams(colors, effort: request.options.effort, meter: nil)
        try streams.write(frame, method: method, &work) { (piece) throws(ImageError) in
            if type == .frameData {
                file.append(type, number: try nextNumber(), piece)
            } else {
                file.append(type, piece)
            }
            try file.pending.sendIfFull(to: sink)
        }
        self.streams = streams
    }

    /// - Source: PNG 3rd ed. §7.1 "Integers and byte order": at most 2^31 - 1.
    private mutating func nextNumber() throws(ImageError) -> UInt32 {
        guard sequenceNumber <= Int32.max else {
            throw .unsupported(.apng, feature: "more than 2147483648 sequence numbers")
        }
        defer { sequenceNumber += 1 }
        return sequenceNumber
    }
}

// MARK: - The default picture

extension APNGEncoder {
    private static func defaultPicturePlan(
        _ picture: Bitmap, _ animation: EncodedAnimation, _ request: EncodingRequest
    ) -> RowPreparationPlan {
        RowPreparationPlan(
            size: picture.size, format: picture.format, orientation: animation.picture.orientation, keepsAlpha: true,
            options: request.options)
    }

    private func canvas(of picture: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> Bitmap {
        let canvas = try Bitmap(
            uninitialized: animation.picture.size, format: .rgba, meter: request.meter)
        var isCut = false
        return try Self.defaultPicturePlan(picture, animation, request).prepare(
            picture, into: canvas, meter: request.meter, isCut: &isCut, work: &work)
    }
}
