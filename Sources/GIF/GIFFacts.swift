// What the blocks so far say about the file: the description, and the memory that is promised.

import ImageCore

/// Size, first picture and memory of one file; known from the first image on.
struct GIFFacts: Sendable {
    /// How the first picture is delivered.
    let plan: OutputPlan
    let layout: FirstPicture.Layout
    private let first: ImageDescriptor
    private let screen: LogicalScreen
    private let colors: ColorTable
    private let request: DecodingRequest

    /// Images that have begun.
    private(set) var imageCount = 0
    /// Bytes of images that are kept.
    private var kept: KeptByteCount
    /// The most memory that decoding one of the frames takes, which serves the next one too, and drawing one of them.
    private var (decodingByteCount, drawingByteCount) = (0, 0)

    /// - Throws: `limitExceeded` for a picture over the limits, `invalidArgument` for an empty thumbnail box.
    init(
        _ screen: LogicalScreen, canvas: PixelSize, first: ImageDescriptor, colors: ColorTable, palette: Palette,
        _ request: DecodingRequest
    ) throws(ImageError) {
        self.screen = screen
        self.first = first
        self.colors = colors
        self.request = request
        kept = KeptByteCount(request)
        layout = FirstPicture.Layout(first, palette, canvas: canvas)
        plan = try OutputPlan(
            size: canvas, hasAlpha: layout.hasAlpha, nearestFormat: layout.sample.nearestFormat, orientation: .up,
            options: request.options)
    }

    /// Whether images behind the first are taken down: where the first alone is wanted, nobody asks for the others.
    var recordsAll: Bool { !request.options.firstFrameOnly || request.purpose == .animation }

    /// Takes note of an image that begins.
    mutating func begin(_ image: BlockReader.Image) {
        imageCount += 1
        let size = image.descriptor.rect.size
        decodingByteCount = max(decodingByteCount, FrameDecoder.byteCount(size))
        drawingByteCount = max(drawingByteCount, FramePainter.byteCount(size, order: .topToBottom))
    }

    /// Whether the bytes of the image that is being read are kept where they come in pieces.
    private var keepsCurrent: Bool { recordsAll || imageCount == 1 }

    /// Takes note of how many bytes of an image come.
    ///
    /// - Returns: whether that is more than was promised, and should be told.
    mutating func noteReceived(byteCount: Int) -> Bool { keepsCurrent && kept.note(byteCount) }

    /// Takes note of an image that ended.
    mutating func endImage() { kept.endFrame() }

    /// Takes note that no more of the image that is being read comes: there are so many bytes of it.
    mutating func endEarly(byteCount: Int) {
        if keepsCurrent { kept.endEarly(byteCount) }
    }

    // MARK: The promise

    /// What decoding the first picture takes, and reading the blocks.
    var firstByteCount: Int {
        plan.peakByteCount(layout: layout.sample, order: layout.order)
            .addingSaturated(FirstPicture.byteCount(canvas: plan.sourceSize, rect: first.rect))
            .addingSaturated(FrameDecoder.byteCount(first.rect.size))
            .addingSaturated(
                InputBuffer.peakByteCount(
                    unitByteCount: BlockReader.unitByteCount, inputByteCount: request.inputByteCount)
            )
            .addingSaturated(GIFFrames.byteCount(recordsAll ? imageCount : min(imageCount, 1)))
    }

    /// What composing frames takes, the frames themselves not.
    private func composingByteCount(savesPixels: Bool) -> Int {
        AnimationCanvas.byteCount(plan.sourceSize, savesPixels: savesPixels)
            .addingSaturated(decodingByteCount).addingSaturated(drawingByteCount)
    }

    /// How the frames of an animation are delivered.
    func framePlan(frameCount: Int) throws(ImageError) -> OutputPlan {
        try AnimationOutput.plan(
            size: plan.sourceSize, orientation: .up, options: request.options.dividing(among: frameCount))
    }

    /// The most memory that playing takes: canvas, a frame, what is kept. Saturates.
    func playingByteCount(frameCount: Int, savesPixels: Bool) throws(ImageError) -> Int {
        let output = try framePlan(frameCount: frameCount)
        let kept = min(
            max(0, request.options.maxFrameCacheByteCount), output.decodedByteCount.multipliedSaturated(by: frameCount))
        return composingByteCount(savesPixels: savesPixels)
            .addingSaturated(AnimationOutput.byteCount(output))
            .addingSaturated(kept)
            .addingSaturated(GIFFrames.byteCount(frameCount))
    }

    /// The most memory that a decode takes as far as the file was read. Saturates.
    ///
    /// - Parameter isTold: whether more of the image that is being read may come before this is asked again.
    func peakByteCount(savesPixels: Bool, isTold: Bool) throws(ImageError) -> Int {
        let isAnimation = imageCount > 1 && !request.options.firstFrameOnly
        let kept = kept.byteCount(isTold: isTold)
        guard isAnimation else {
            return request.purpose == .oneShot || request.purpose == .frames
                ? firstByteCount : firstByteCount.addingSaturated(kept)
        }
        let composing = composingByteCount(savesPixels: savesPixels)
        // Frames of an unfinished decode are drawn in the size of the picture.
        let live = composing.addingSaturated(AnimationOutput.byteCount(try framePlan(frameCount: 1)))
        let incremental = firstByteCount.addingSaturated(live).addingSaturated(kept)
        switch request.purpose {
        case .incremental: return incremental
        case .oneShot, .animation: return firstByteCount
        case .frames:
            let playing = try playingByteCount(frameCount: imageCount, savesPixels: savesPixels)
            let frames = try framePlan(frameCount: imageCount).decodedByteCount.multipliedSaturated(by: imageCount)
            return firstByteCount.addingSaturated(playing).addingSaturated(frames)
        case .inspection:
            let frames = try AnimationOutput.allByteCount(
                size: plan.sourceSize, orientations: [.up], frameCount: imageCount, options: request.options)
            let all = composing.addingSaturated(frames).addingSaturated(GIFFrames.byteCount(imageCount))
            return max(firstByteCount.addingSaturated(all), incremental)
        }
    }

    // MARK: The description

    /// What the blocks say, without metadata.
    ///
    /// - Parameters:
    ///   - isComplete: whether there are no more images.
    ///   - peakByteCount: what is promised.
    func info(isComplete: Bool, loopCount: Int, peakByteCount: Int) -> ImageInfo {
        let animation =
            imageCount > 1
            ? ImageInfo.Animation(frameCount: isComplete ? imageCount : nil, loopCount: loopCount) : nil
        return ImageInfo(
            format: .gif, size: plan.sourceSize, animation: animation, hasAlpha: layout.hasAlpha,
            bitDepth: (colors.rgba.count - 1).bitWidth - (colors.rgba.count - 1).leadingZeroBitCount,
            colorDescription: "palette", isProgressive: first.isInterlaced, decodedSize: plan.resultSize,
            decodedFormat: plan.format, peakByteCount: peakByteCount)
    }
}
