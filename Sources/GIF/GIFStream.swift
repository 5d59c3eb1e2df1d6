// The GIF decoder: a state machine over blocks. The pipeline, in order:
//
//   bytes ──▶ blocks (Blocks/) ──▶ LZW (LZW/, Kernels/) ──▶ rows of indices (Output/FrameDecoder)
//         ──▶ pictures and frames (ImageCore's AnimationEngine)

package import ImageCodecsCore

/// One GIF file from its signature to its frames; `DecodingSession` drives it.
///
/// Source: Graphics Interchange Format, version 89a (CompuServe, 1990).
package struct GIFStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .gif }

    /// The block whose sub-blocks are being read.
    private enum Block: Sendable {
        case none
        case application(ExtensionReader)
        /// What turns the data into rows, if those are wanted.
        case image(Indirect<GIFFrameDecoder>?)
        /// An image that cannot be decoded.
        case skippedImage
    }

    package var engine: AnimationEngine
    private var reader = BlockReader()
    private var block = Block.none
    private var screen: LogicalScreen?
    private var globalTable: ColorTable?
    private var extensions: GIFMetadata
    /// What the blocks say, without metadata; known once the first image begins.
    package private(set) var description: Indirect<ImageInfo>?
    /// The decoder of the previous image; the next image is decoded in its memory.
    private var reusableDecoder: Indirect<GIFFrameDecoder>?
    /// Whether the trailer was read, or as much as is wanted.
    package private(set) var isComplete = false

    /// - Parameter reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) {
        engine = AnimationEngine(request, reusable: reusable)
        extensions = GIFMetadata(request)
    }

    private var options: DecodingOptions { engine.request.options }

    package var metadata: ImageMetadata { extensions.metadata }

    /// What the blocks say; known once the first image begins.
    package var info: ImageInfo? {
        guard var info = description?.value else { return nil }
        info.metadata = extensions.metadata
        if engine.begunCount > 1 {
            let isAll = isComplete || engine.isEnded
            info.animation = ImageInfo.Animation(
                frameCount: isAll ? engine.begunCount : nil, loopCount: extensions.loopCount)
        }
        return info
    }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete, let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            try advance(step, bytes, position: position, offset: offset, &work)
        }
        if isFinal, !isComplete, options.strictness == .tolerant, case .image = block {
            // What there is of a sub-block that is not whole. It is not consumed: the file is cut off all the same.
            let rest = reader.cutSubBlock(bytes.extracting(droppingFirst: position))
            try rest.withSpan { (rest) throws(ImageError) in
                try consume(rest, offset: offset + position, &work)
            }
        }
        // Deviation: a file may end between two blocks; many have no trailer, and browsers show them.
        if isFinal, !isComplete, position == bytes.count, reader.isBetweenBlocks, engine.begunCount > 0 {
            complete()
        }
        return position
    }

    private mutating func advance(
        _ step: BlockReader.Step, _ bytes: Span<UInt8>, position: Int, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .screen(let screen):
            self.screen = screen
            extensions.record(screen)
        case .globalTable(let range): globalTable = ColorTable(bytes.extracting(range))
        case .begins(let label, _): block = .application(ExtensionReader(label: label, meter: engine.request.meter))
        case .image(let image):
            let local = image.localTable.isEmpty ? nil : ColorTable(bytes.extracting(image.localTable))
            let isAnimation = description == nil && hasImage(bytes, after: position, offset: offset, work)
            try beginImage(image, local ?? globalTable ?? .withoutTable, isAnimation: isAnimation, &work)
        case .subBlocks(let range): try consume(bytes.extracting(range), offset: offset + range.lowerBound, &work)
        case .ends(let offset): try endBlock(offset: offset, &work)
        case .trailer(let offset):
            guard engine.begunCount > 0 else {
                throw .corrupt(.gif, .gifImageMissing, offset: offset, reason: "no image")
            }
            complete()
        }
    }

    private mutating func complete() {
        isComplete = true
        reusableDecoder = nil
    }

    /// Whether another image begins in the bytes that are there: the header does not say whether a file is an animation.
    private func hasImage(_ bytes: Span<UInt8>, after position: Int, offset: Int, _ work: WorkGuard) -> Bool {
        guard engine.wantsCanvas else { return false }
        var (ahead, position, work) = (reader, position, work)
        while let step = try? ahead.next(in: bytes, from: &position, offset: offset, work: &work) {
            if case .image = step { return true }
        }
        return false
    }
}

// MARK: - Images

extension GIFStream {
    private mutating func beginImage(
        _ image: BlockReader.Image, _ colors: ColorTable, isAnimation: Bool, _ work: inout WorkGuard
    ) throws(ImageError) {
        block = .skippedImage
        let control = extensions.consumeControl()
        // If the first frame alone is wanted, a decode does not come to the others.
        if engine.begunCount == 0 || !options.firstFrameOnly {
            try options.limits.check(size: image.descriptor.rect.size)
        }
        guard (image.isEmpty ? 0...8 : 1...8).contains(image.minimumCodeSize) else {
            return try engine.skipFrame(
                .corrupt(
                    .gif, .gifCodeSize, offset: image.offset, reason: "minimum code size \(image.minimumCodeSize)"))
        }
        let frame = GIFFrame(image, colors: colors, control: control)
        let rows = frame.rows
        let plan = description == nil ? try beginFile(image, frame, rows) : nil
        let info = FrameInfo(
            rect: image.descriptor.rect, duration: control.duration, disposal: control.disposal, blending: .over,
            isOpaque: frame.transparentIndex == nil)
        try engine.beginFrame(
            info, frame, rows: rows, at: image.dataOffset, picture: plan, isAnimation: isAnimation, work: &work)
        // If rows are not wanted now, `GIFFrame.decode` makes them later, when the frame is composed.
        let size = image.descriptor.rect.size
        block = .image(engine.wantsRows && !image.isEmpty && !size.isEmpty ? try makeDecoder(frame, size: size) : nil)
    }

    /// What turns the data of an image into rows, in the memory of the one before if there is one.
    private mutating func makeDecoder(
        _ frame: GIFFrame, size: PixelSize
    ) throws(ImageError) -> Indirect<GIFFrameDecoder> {
        guard var decoder = reusableDecoder.take() else {
            return Indirect(try frame.makeDecoder(size: size, meter: engine.request.meter))
        }
        try decoder.value.restart(minimumCodeSize: Int(frame.minimumCodeSize), size: size)
        return decoder
    }

    /// The first image: the canvas is known, and with it everything that the header says.
    ///
    /// - Returns: how the first frame is delivered as the picture of the file.
    private mutating func beginFile(
        _ image: BlockReader.Image, _ frame: GIFFrame, _ rows: SubFrameRows
    ) throws(ImageError) -> OutputPlan? {
        guard let screen else { return nil }
        let rect = image.descriptor.rect
        let canvas = screen.canvasSize(firstFrame: image.descriptor)
        guard !canvas.isEmpty else {
            throw .corrupt(.gif, .gifScreenSize, offset: image.offset, reason: "a canvas of \(canvas) pixels")
        }
        try options.limits.check(size: canvas)
        let layout = FirstPicture.layout(rows.layout, rect, canvas: canvas)
        let plan = try OutputPlan(
            size: canvas, hasAlpha: layout.hasAlpha, nearestFormat: layout.nearestFormat, orientation: .up,
            options: options)
        var info = ImageInfo(
            format: .gif, size: canvas, hasAlpha: layout.hasAlpha, bitDepth: frame.colors.bitDepth,
            colorDescription: "palette", isProgressive: frame.isInterlaced, decodedSize: plan.resultSize,
            decodedFormat: plan.format, estimatedPeakByteCount: 0)
        var estimate = Self.pictureEstimate(plan, layout, rect, isInterlaced: frame.isInterlaced)
        try engine.request.admit(estimate.byteCount)
        if !options.firstFrameOnly {
            try estimate.addFrames(canvas: canvas, savesPixels: true, options: options)
            // An earlier frame under the one being read may have to be decoded at the same time.
            estimate.add(GIFFrameDecoder.byteCount(canvas))
        }
        info.estimatedPeakByteCount = estimate.byteCount
        description = Indirect(info)
        engine.beginCanvas(canvas)
        return plan
    }

    /// What decoding the first picture takes, or any frame that is no larger than it or the canvas.
    private static func pictureEstimate(
        _ plan: OutputPlan, _ layout: SampleLayout, _ rect: PixelRect, isInterlaced: Bool
    ) -> MemoryEstimate {
        let canvas = plan.sourceSize
        let largest = PixelSize(width: max(canvas.width, rect.width), height: max(canvas.height, rect.height))
        var estimate = MemoryEstimate(plan, layout: layout, order: isInterlaced ? .passes : .topToBottom)
        estimate.add(FirstPicture.byteCount(canvas: canvas, rect: rect))
        estimate.add(GIFFrameDecoder.byteCount(largest))
        return estimate
    }

    /// Consumes whole sub-blocks.
    private mutating func consume(
        _ run: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch block {
        case .none, .skippedImage: break
        case .application(var reader):
            block = .none
            defer { block = .application(reader) }
            try reader.consume(run, &extensions, work: work)
        case .image(var decoder):
            // Out of `self` for the call, so that the buffers in it are not shared.
            block = .none
            defer { block = .image(decoder) }
            try engine.keep(run, upTo: offset + run.count, work: work)
            guard engine.wantsRows else { return }
            do throws(ImageError) {
                try decoder?.value.decode(run, offset: offset, work: &work) { rows, bytesPerRow, index in
                    engine.write(rows, bytesPerRow: bytesPerRow, from: index)
                }
            } catch {
                try engine.failRows(error, work: &work)
            }
        }
    }

    private mutating func endBlock(offset: Int, _ work: inout WorkGuard) throws(ImageError) {
        let ended = block
        block = .none
        switch ended {
        case .none, .skippedImage: break
        case .application(var reader): try reader.end(&extensions, &work)
        case .image(let decoder):
            if engine.wantsRows {
                do throws(ImageError) {
                    try decoder?.value.end(offset: offset)
                } catch {
                    try engine.failRows(error, work: &work)
                }
            }
            if let decoder { reusableDecoder = decoder }
            try engine.endFrame(work: &work)
            extensions.ignoresMetadata = options.firstFrameOnly
            if options.firstFrameOnly, engine.request.purpose.decodesPixels { complete() }
        }
    }
}

// MARK: - Results

extension GIFStream {
    package mutating func makeUnique() throws(ImageError) {
        try engine.makeUnique()
        guard case .image(var decoder?) = block else { return }
        block = .none
        defer { block = .image(decoder) }
        try decoder.value.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        (block, reusableDecoder) = (.none, nil)
        try engine.end(damage: damage, work: work)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        // Asked here too: for the usual answer the engine need not be copied.
        guard !isComplete || engine.damage != nil else { return nil }
        return engine.partialReport(
            isEnded: isEnded, isComplete: isComplete, announcedCount: engine.begunCount > 1 ? engine.begunCount : nil)
    }
}
