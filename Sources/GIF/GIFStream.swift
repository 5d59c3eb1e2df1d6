// The GIF decoder: a state machine over blocks. The pipeline, in order:
//
//   bytes ──▶ blocks (Blocks/) ──▶ LZW (LZW/, Kernels/) ──▶ rows of indices (Output/FrameDecoder)
//         ──▶ the first picture: palette, scaling, bitmap (Output/FirstPicture, ImageCore's RowSink)
//         ──▶ later frames: palette, canvas (GIFFrames, ImageCore's compositor)

package import ImageCore

/// One GIF file from its signature to its frames; `DecodingSession` drives it.
///
/// The first frame is decoded into the result while it is read. Of later frames it is noted where they are; they are
/// decoded when they are asked for, and in incremental decoding also while they come, to be shown.
///
/// Source: Graphics Interchange Format, version 89a (CompuServe, 1990).
package struct GIFStream: AnimatedStreamDecoder {
    package static var format: ImageFormat { .gif }

    /// What the blocks say; known once the first image begins.
    package var info: ImageInfo? {
        guard var info = description else { return nil }
        info.metadata = extensions.metadata
        return info
    }

    /// The same without metadata.
    private var description: ImageInfo?
    package let request: DecodingRequest
    private var donor: Bitmap?
    private var reader = BlockReader()
    /// Whether the trailer was read, or as much as is wanted.
    package private(set) var isComplete = false
    private var screen: LogicalScreen?
    private var globalTable: ColorTable?
    private var extensions: ExtensionFacts
    /// What the description says of them.
    private var told = (loopCount: 1, byteCount: 0)
    private var facts: GIFFacts?
    private var frames: GIFFrames?
    private var keeper: FrameByteKeeper

    /// The extension that is being read.
    private var currentExtension: ExtensionReader?
    /// The image that is being read.
    private var current: CurrentImage?
    /// What decoded the image before, where another will be decoded in its memory.
    private var spareDecoder: FrameDecoder?
    private var picture: FirstPicture?
    private var isPictureWhole = false
    private var live: LiveAnimation?
    /// Whether the last picture handed out was one of a later frame.
    private var isPictureBack = false
    package var snapshots = AnimationSnapshots()
    private var damage: ImageError?

    /// An image between its descriptor and its terminator.
    private struct CurrentImage: Sendable {
        let frame: CompositionPlan.Frame
        let minimumCodeSize: Int
        let isInterlaced: Bool
        let colors: ColorTable
        let transparentIndex: UInt8?
        /// Decodes its rows, where they are wanted now.
        var decoder: FrameDecoder?
    }

    /// - Parameter donor: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, donor: consuming Bitmap? = nil) {
        self.request = request
        self.donor = donor
        extensions = ExtensionFacts(request)
        keeper = FrameByteKeeper(keeps: request.keepsFrames, meter: request.meter)
    }

    package var metadata: ImageMetadata { extensions.metadata }

    /// Reads as many whole units as there are.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete, let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            try take(step, bytes, offset: offset, &work)
        }
        // Deviation: a file may end between two blocks; many have no trailer, and browsers show them.
        if isFinal, !isComplete, position == bytes.count, reader.isBetweenBlocks, imageCount > 0 { try complete() }
        return position
    }

    /// Images that were read to their ends.
    private var imageCount: Int { frames?.plan.count ?? 0 }

    private mutating func take(
        _ step: BlockReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .screen(let screen):
            self.screen = screen
            extensions.take(screen)
        case .globalTable(let range): globalTable = ColorTable(bytes.extracting(range))
        case .begins(let label, _): currentExtension = ExtensionReader(label: label, meter: request.meter)
        case .image(let image):
            let local = image.localTable.isEmpty ? nil : ColorTable(bytes.extracting(image.localTable))
            try begin(image, local ?? globalTable, &work)
        case .subBlocks(let range):
            let run = bytes.extracting(range)
            if current != nil {
                if facts?.noteReceived(byteCount: keeper.count + run.count) == true { try learn() }
                try keeper.take(run, work: work)
                try decode(run, offset: offset + range.lowerBound, &work)
            } else {
                try currentExtension?.take(run, &extensions, work: work)
                try learnOfExtension()
            }
        case .ends(let offset):
            if current != nil {
                try endImage(offset: offset, &work)
            } else {
                try endExtension(&work)
            }
        case .trailer(let offset):
            guard imageCount > 0 else {
                throw .corrupt(.gif, .gifImageMissing, offset: offset, reason: "no image")
            }
            try complete()
        }
    }

    private mutating func endExtension(_ work: inout WorkGuard) throws(ImageError) {
        try currentExtension?.end(&extensions, &work)
        currentExtension = nil
        try learnOfExtension()
    }

    /// Renews the description where an extension has changed it.
    private mutating func learnOfExtension() throws(ImageError) {
        let isTold = told == (extensions.loopCount, extensions.peakByteCount(isTold: true))
        if facts != nil, !isTold { try learn() }
    }

    private mutating func complete() throws(ImageError) {
        isComplete = true
        spareDecoder = nil
        try learn()
    }

    /// Renews the description, and refuses to go on where it promises more memory than there may be.
    private mutating func learn() throws(ImageError) {
        guard let facts else { return }
        told = (extensions.loopCount, extensions.peakByteCount(isTold: true))
        let needed = try neededByteCount()
        // An inspection is not refused for frames that nobody may want.
        try request.admit(peakByteCount: request.purpose == .inspection ? facts.firstByteCount : needed)
        description = facts.info(
            isComplete: isComplete, loopCount: extensions.loopCount,
            peakByteCount: request.told(try neededByteCount(isTold: true), needed: needed))
    }

    /// The most memory that a decode takes as far as the file was read.
    ///
    /// - Parameter isTold: whether more of the unit that is being read may come before this is asked again.
    private func neededByteCount(isTold: Bool = false) throws(ImageError) -> Int {
        let savesPixels = frames?.plan.needsSavedPixels ?? false || current?.frame.info.disposal == .restore
        return try (facts?.peakByteCount(savesPixels: savesPixels, isTold: isTold) ?? 0)
            .addingSaturated(extensions.peakByteCount(isTold: isTold))
    }
}

// MARK: - Images

extension GIFStream {
    private mutating func begin(
        _ image: BlockReader.Image, _ colors: ColorTable?, _ work: inout WorkGuard
    ) throws(ImageError) {
        let options = request.options
        if !options.firstFrameOnly { try options.limits.check(frameCount: imageCount + 1) }
        // Where the first frame alone is wanted, a decode does not come to the others.
        if imageCount == 0 || !options.firstFrameOnly { try options.limits.check(size: image.descriptor.rect.size) }
        guard let colors else {
            throw .corrupt(.gif, .gifColorTableMissing, offset: image.offset, reason: "an image without a color table")
        }
        guard (1...8).contains(image.minimumCodeSize) else {
            throw .corrupt(
                .gif, .gifCodeSize, offset: image.offset, reason: "minimum code size \(image.minimumCodeSize)")
        }
        let control = extensions.control
        extensions.control = GraphicControl()
        if facts == nil { try beginFile(image, colors, control) }
        guard let frames else { return }
        facts?.begin(image)
        let frame = frames.plan.planned(
            FrameInfo(
                rect: image.descriptor.rect, duration: control.duration, disposal: control.disposal, blending: .over,
                isOpaque: control.transparentIndex == nil))
        current = CurrentImage(
            frame: frame, minimumCodeSize: image.minimumCodeSize, isInterlaced: image.descriptor.isInterlaced,
            colors: colors, transparentIndex: control.transparentIndex)
        try learn()
        keeper.begin(at: image.dataOffset)
        try beginDecoding(image, &work)
    }

    /// The first image: the canvas is known.
    private mutating func beginFile(
        _ image: BlockReader.Image, _ colors: ColorTable, _ control: GraphicControl
    ) throws(ImageError) {
        guard let screen else { return }
        let canvas = screen.canvasSize(firstFrame: image.descriptor)
        guard !canvas.isEmpty else {
            throw .corrupt(.gif, .gifScreenSize, offset: image.offset, reason: "a canvas of \(canvas) pixels")
        }
        try request.options.limits.check(size: canvas)
        facts = try GIFFacts(
            screen, canvas: canvas, first: image.descriptor, colors: colors,
            palette: colors.palette(transparentIndex: control.transparentIndex), request)
        frames = GIFFrames(canvasSize: canvas, data: request.data, meter: request.meter)
    }

    /// Makes what decodes the image that has begun, where its pixels are wanted now.
    private mutating func beginDecoding(_ image: BlockReader.Image, _ work: inout WorkGuard) throws(ImageError) {
        guard let current, let facts, let frames, request.purpose.decodesPixels else { return }
        if imageCount == 0 {
            let palette = current.colors.palette(transparentIndex: current.transparentIndex)
            picture = try FirstPicture(
                image.descriptor, palette, facts.layout, plan: facts.plan, donor: &donor, meter: request.meter,
                work: work)
            try picture?.begin(work: work)
        } else {
            guard request.purpose == .incremental else { return }
            if live == nil {
                live = try LiveAnimation(
                    size: facts.plan.sourceSize, orientation: .up, options: request.options, meter: request.meter,
                    work: work)
                picture?.endPictures()
            }
            try live?.begin(
                current.frame, GIFFrames.rows(current.colors, current.transparentIndex), behind: frames, work: &work)
        }
        let (codeSize, size) = (image.minimumCodeSize, image.descriptor.rect.size)
        var decoder = spareDecoder.take()
        if decoder == nil {
            decoder = try FrameDecoder(minimumCodeSize: codeSize, size: size, meter: request.meter)
        } else {
            try decoder?.restart(minimumCodeSize: codeSize, size: size)
        }
        self.current?.decoder = decoder
    }

    /// Decodes sub-blocks of the image that is being read.
    private mutating func decode(_ run: Span<UInt8>, offset: Int, _ work: inout WorkGuard) throws(ImageError) {
        // Out of `self` for the call, so that the buffers in them are not shared.
        let interlacing = interlacing
        guard var image = current.take() else { return }
        defer { current = image }
        if imageCount == 0 {
            guard var first = picture.take() else { return }
            defer { picture = first }
            try image.decoder?.decode(run, offset: offset, work: &work) { row, index in first.write(row, index: index) }
        } else {
            guard var drawn = live.take() else { return }
            defer { live = drawn }
            try image.decoder?.decode(run, offset: offset, work: &work) { row, index in
                drawn.write(row, y: interlacing?.row(index).y ?? index)
            }
        }
    }

    /// The order of the rows of the image that is being read.
    private var interlacing: RowInterlacing? {
        guard let current, current.isInterlaced else { return nil }
        return RowInterlacing(height: current.frame.info.rect.height)
    }

    private mutating func endImage(offset: Int, _ work: inout WorkGuard) throws(ImageError) {
        guard let image = current else { return }
        try image.decoder?.end(offset: offset)
        if request.purpose == .incremental { spareDecoder = image.decoder }
        facts?.endImage()
        if imageCount == 0 {
            try picture?.finish(work: work)
            isPictureWhole = true
            extensions.passesMetadata = request.options.firstFrameOnly
        }
        if imageCount == 0 || facts?.recordsAll ?? true {
            try append(image, &work)
        } else {
            keeper.cancel()
        }
        current = nil
        if request.options.firstFrameOnly, request.purpose.decodesPixels { isComplete = true }
        try learn()
    }

    private mutating func append(_ image: CurrentImage, _ work: inout WorkGuard) throws(ImageError) {
        guard let bytes = try frames?.take(&keeper, work: work) else { return }
        let frame = try frames?.append(
            image.frame,
            GIFFrames.Record(
                minimumCodeSize: image.minimumCodeSize, isInterlaced: image.isInterlaced, colors: image.colors,
                transparentIndex: image.transparentIndex, bytes: bytes))
        if let frame { try live?.end(frame, work: &work) }
    }
}

// MARK: - The picture

extension GIFStream {
    package mutating func makeUnique() throws(ImageError) {
        try current?.decoder?.makeUnique()
        if !isPictureWhole { try picture?.makeUnique() }
        try live?.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = self.damage ?? damage
        damage.map { noteEnd($0) }
        isPictureBack = live != nil
        live = nil
        current = nil
        spareDecoder = nil
        picture?.endPictures()
        if !isPictureWhole { try picture?.endEarly(work: work) }
        if let facts, damage != nil, var info = description {
            // No more images come.
            info.animation = facts.info(isComplete: true, loopCount: extensions.loopCount, peakByteCount: 0).animation
            description = info
        }
    }

    /// What came of an image or an extension without an end is in the promise too, and no more.
    package mutating func noteEnd(_ error: ImageError) {
        if let count = keeper.count(before: error) {
            facts?.endEarly(byteCount: max(keeper.count, count + BlockReader.mostRunByteCount))
        }
        extensions.endTelling()
        guard let needed = try? neededByteCount() else { return }
        let told = request.toldAtEnd(needed)
        description?.peakByteCount = told
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try picture?.sink.result(work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        if live != nil { return try live?.picture(work: work) ?? .empty }
        return try picture?.partialPicture(work: work) ?? .empty
    }

    package var hasCostlyPartialPictures: Bool {
        live?.hasCostlyPictures ?? picture?.sink.hasCostlyPartialPictures ?? false
    }

    /// An interlaced frame may be whole without a row on the canvas.
    package var hasPicture: Bool { isPictureWhole || picture?.hasRows ?? false }

    package mutating func takeChanged() -> PixelRect? {
        if isPictureBack, let facts {
            isPictureBack = false
            _ = picture?.takeChanged()
            return PixelRect(facts.plan.resultSize)
        }
        let first = picture?.takeChanged()
        guard let drawn = live?.takeChanged() else { return first }
        // The first picture may have had another size; all of the second is new.
        return drawn
    }

    package var stage: DecodingProgress.Stage {
        guard facts != nil else { return .header }
        guard imageCount == 0, let decoder = current?.decoder else { return .frame(imageCount) }
        guard let interlacing else { return .rows(decoder.rowCount) }
        return .pass(interlacing.pass(ofRow: decoder.rowCount) ?? 4, of: 4)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard facts != nil, !isComplete || damage != nil else { return nil }
        let frames = facts.flatMap { facts in
            facts.imageCount > 1
                ? PartialReport.Progress(done: imageCount, total: max(facts.imageCount, imageCount)) : nil
        }
        let rows = picture?.realRows(isWhole: isPictureWhole) ?? []
        return PartialReport(rows: isEnded || live == nil ? rows : [], frames: frames, cause: damage)
    }

    /// Bytes behind the trailer are nobody's.
    package mutating func noteTrailing(byteCount: Int) {}
}

// MARK: - The animation

extension GIFStream {
    package func frames(of data: ImageData?) -> GIFFrames? {
        guard let frames, let facts, facts.imageCount > 1, frames.plan.count > 0 else { return nil }
        return frames.reading(data)
    }

    package func playingInfo(frameCount: Int) -> ImageInfo? {
        guard var info, let facts,
            let peak = try? facts.playingByteCount(
                frameCount: frameCount, savesPixels: frames?.plan.needsSavedPixels ?? false)
        else { return nil }
        info.peakByteCount = peak.addingSaturated(extensions.peakByteCount(isTold: false))
        if let plan = try? facts.framePlan(frameCount: frameCount) {
            (info.decodedSize, info.decodedFormat) = (plan.resultSize, plan.format)
        }
        info.animation?.frameCount = isComplete || damage != nil ? frameCount : nil
        return info
    }
}
