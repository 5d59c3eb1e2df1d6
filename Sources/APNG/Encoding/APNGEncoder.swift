// From sub-frames to the bytes of an animated PNG file.
//
//   1. survey      which colours do all frames have?                 FrameColorSurvey
//   2. choose      one colour type, palette, transparent colour      FrameColors
//   3. describe    IHDR, acTL, metadata, PLTE, tRNS                  PNGMetadataChunks
//   4. pack        rows of a sub-frame -> scanlines, held            PNG's ScanlinePacker, ScanlineStore
//   5. filter and compress: tried in several ways, then written      PNG's ScanlineFilterer, ImageDataWriter
//   6. fcTL, and pieces of the zlib stream as IDAT or fdAT           ChunkWriter
//
// Which sub-frames there are is found out by ImageCore's `SubFramePlanner`, which asks step 5 what they cost.

import DeflateCodec
package import ImageCodecsCore
import PNGCodec

/// Writes one animation as an APNG file.
package struct APNGEncoder: AnimationEncoder {
    private let animation: EncodedAnimation
    private let request: EncodingRequest
    private let metadata: PNGMetadataChunks
    private var survey: FrameColorSurvey?
    private var colors: FrameColors
    /// How the scanlines of all frames are filtered, once it is decided for all.
    private var commonMethod: Int?
    private var file = ChunkWriter()
    private var sequenceNumber: UInt32 = 0
    private var frameCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of 2^31 pixels or more, `invalidArgument` for more plays or frames than
    ///   the file can say and for a default picture of another size.
    package init(_ animation: EncodedAnimation, _ request: EncodingRequest) throws(ImageError) {
        let size = animation.picture.size
        let (side, largest) = (max(size.width, size.height), Int(Int32.max))
        guard side <= largest else { throw .limitExceeded(.dimension, requested: side, allowed: largest) }
        guard animation.frameCount <= largest else { throw .invalidArgument("\(animation.frameCount) frames") }
        guard animation.loopCount <= largest else { throw .invalidArgument("\(animation.loopCount) plays") }
        self.animation = animation
        self.request = request
        metadata = PNGMetadataChunks(animation.picture, meter: request.meter)
        colors = FrameColors(unknown: animation.sourceFormat, grayUse: metadata.grayUse)
        if let picture = request.options.apng.defaultPicture {
            let size = defaultPicturePlan(picture).targetSize
            guard size == animation.picture.size else {
                throw .invalidArgument("a default picture of \(size) pixels for frames of \(animation.picture.size)")
            }
            // Nothing is known of its pixels unless the frames are surveyed.
            if picture.format.hasAlpha { colors = FrameColors(unknown: .rgba, grayUse: .refused) }
        }
    }

    package var abilities: FrameAbilities {
        FrameAbilities(
            laysOver: colors.hasTransparency, firstFrameCoversCanvas: request.options.apng.defaultPicture == nil)
    }

    package var estimatedByteCount: Int {
        let size = animation.picture.size
        let widest = PixelEncoding(unchanged: .rgba, grayUse: .refused)
        var count = ScanlineStore.byteCount([pass(size, widest)])
            .addingSaturated(ScanlinePacker.estimatedByteCount(.rgba, width: size.width))
            .addingSaturated(size.width.multipliedSaturated(by: 4))
            .addingSaturated(ImageDataWriter.estimatedByteCount(widest, size: size, effort: effort))
            .addingSaturated(FrameColorSurvey.byteCount(width: size.width))
        if let picture = request.options.apng.defaultPicture {
            count = count.addingSaturated(Bitmap.byteCount(size: size, format: .rgba) ?? .max)
                .addingSaturated(defaultPicturePlan(picture).byteCount(to: .rgba))
        }
        return count
    }

    private var effort: EncodingOptions.Effort { request.options.effort }

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
                survey, grayUse: metadata.grayUse, isAnimated: animation.frameCount > 1)
        }
        survey = nil
        let encoding = colors.encoding
        file.append(.imageHeader, ImageHeader.body(size: animation.picture.size, encoding))
        file.append(
            .animationControl,
            AnimationControl.body(frameCount: animation.frameCount, playCount: animation.loopCount))
        try metadata.writeBeforePalette(to: &file, encoding, &work)
        if encoding.colorType == .indexed { file.append(.palette, encoding.paletteBody) }
        if !encoding.transparencyBody.isEmpty { file.append(.transparency, encoding.transparencyBody) }
        try metadata.writeAfterPalette(to: &file, encoding, &work)
        if let defaultFrame {
            let scanlines = try scanlines(of: defaultFrame, &work)
            let method = try cheapestMethod(scanlines, skipping: true, &work).method
            try writeData(scanlines, method, as: .imageData, to: sink, &work)
        }
        try file.pending.sendIfFull(to: sink)
    }

    package mutating func cost(
        of frame: SubFrame, work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        try cheapestMethod(scanlines(of: frame, &work), &work)
    }

    package mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let control = FrameControl(
            sequenceNumber: nextNumber(), rect: planned.frame.rect, disposal: planned.disposal,
            blending: planned.frame.blending)
        file.append(.frameControl, control.body(FrameDelay(planned.duration)))
        let scanlines = try scanlines(of: planned.frame, &work)
        var known = planned.method ?? commonMethod
        if known == nil { known = try cheapestMethod(scanlines, skipping: true, &work).method }
        let method = known ?? 0
        if effort == .fast { commonMethod = method }
        let isImage = frameCount == 0 && request.options.apng.defaultPicture == nil
        try writeData(scanlines, method, as: isImage ? .imageData : .frameData, to: sink, &work)
        frameCount += 1
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        file.append(.imageEnd)
        try file.pending.send(to: sink)
    }

    private mutating func nextNumber() -> UInt32 {
        defer { sequenceNumber &+= 1 }
        return sequenceNumber
    }
}

// MARK: - The default picture

extension APNGEncoder {
    private func defaultPicturePlan(_ picture: Bitmap) -> RowPreparationPlan {
        RowPreparationPlan(
            size: picture.size, format: picture.format, orientation: animation.picture.orientation, keepsAlpha: true,
            options: request.options)
    }

    private func canvas(of picture: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> Bitmap {
        let canvas = try Bitmap(
            uninitialized: animation.picture.size, format: .rgba, meter: request.meter)
        return try defaultPicturePlan(picture).prepare(
            picture, into: canvas, meter: request.meter, work: &work)
    }
}

// MARK: - Image data

extension APNGEncoder {
    private func pass(_ size: PixelSize, _ encoding: PixelEncoding) -> ScanlineStore.Pass {
        ScanlineStore.Pass(byteCount: encoding.bytesPerScanline(width: size.width), rowCount: size.height)
    }

    /// The scanlines of a frame, before they are filtered.
    private func scanlines(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> ScanlineStore {
        let encoding = colors.encoding
        var store = try ScanlineStore(
            [pass(frame.rect.size, encoding)], distance: encoding.filterDistance, meter: request.meter)
        var packer = try ScanlinePacker(
            from: .rgba, to: encoding, width: frame.rect.width, meter: request.meter)
        var row = try ScratchBuffer(byteCount: 4 * frame.rect.width, meter: request.meter)
        for y in 0..<frame.rect.height {
            try work.spend(frame.rect.width)
            row.withMutableBytes { frame.copyRow(y, into: &$0, clear: colors.clear) }
            row.withBytes { row in store.set(pass: 0, row: y) { packer.pack(row, into: &$0) } }
        }
        return store
    }

    /// Ways to filter the scanlines of a frame; the number of one is its method.
    private var strategies: [FilterStrategy] {
        switch effort {
        case .best: [.fewestBits(step: 1), .fixed(.none), .fewestPairs, .fixed(.sub)]
        case .default where colors.encoding.isFiltered: [.fewestBits(step: 1), .fixed(.none)]
        case .fast where colors.encoding.isFiltered: [.fewestBits(step: 4), .fixed(.none)]
        case .default, .fast: [.fixed(.none)]
        }
    }

    /// The way of filtering that makes the shortest stream.
    ///
    /// - Parameter skipping: whether parts may stand for all, if there are many scanlines; bytes are not those of all then.
    private func cheapestMethod(
        _ scanlines: ScanlineStore, skipping: Bool = false, _ work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        let strategies = strategies
        if skipping, strategies.count == 1 { return SubFrameCost(byteCount: 0) }
        let best = try scanlines.bestStrategy(
            of: strategies, effort == .fast ? .fast : .default, skipping: skipping, meter: request.meter, work: &work)
        return SubFrameCost(byteCount: best.byteCount, method: strategies.firstIndex(of: best.strategy) ?? 0)
    }

    private mutating func writeData(
        _ scanlines: ScanlineStore, _ method: Int, as type: ChunkType, to sink: EncodedBytesSink,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        try scanlines.write(
            strategies[method], CompressionEffort(effort), meter: request.meter, work: &work
        ) { (piece) throws(ImageError) in
            if type == .frameData {
                file.append(type, number: nextNumber(), piece)
            } else {
                file.append(type, piece)
            }
            try file.pending.sendIfFull(to: sink)
        }
    }
}
