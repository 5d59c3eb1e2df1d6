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
    /// Bytes of all images that ended, and of the largest.
    private var (totalByteCount, largestByteCount) = (0, 0)
    /// The most memory that drawing one of the frames takes besides the canvas.
    private var workingByteCount = 0

    /// - Throws: `limitExceeded` for a picture over the limits, `invalidArgument` for an empty thumbnail box.
    init(
        _ screen: LogicalScreen, canvas: PixelSize, first: ImageDescriptor, colors: ColorTable, palette: Palette,
        _ request: DecodingRequest
    ) throws(ImageError) {
        self.screen = screen
        self.first = first
        self.colors = colors
        self.request = request
        layout = FirstPicture.Layout(first, palette, canvas: canvas)
        plan = try OutputPlan(
            size: canvas, hasAlpha: layout.hasAlpha, nearestFormat: layout.sample.nearestFormat, orientation: .up,
            options: request.options)
    }

    /// Takes note of an image that begins.
    mutating func begin(_ image: BlockReader.Image) {
        imageCount += 1
        let size = image.descriptor.rect.size
        workingByteCount = max(
            workingByteCount,
            FrameDecoder.byteCount(size).addingSaturated(FramePainter.byteCount(size, order: .topToBottom)))
    }

    /// Takes note of an image that ended.
    mutating func end(byteCount: Int) {
        totalByteCount = totalByteCount.addingSaturated(byteCount)
        largestByteCount = max(largestByteCount, byteCount)
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
            .addingSaturated(GIFFrames.byteCount(imageCount))
    }

    /// What composing frames takes, the frames themselves not.
    private func composingByteCount(savesPixels: Bool) -> Int {
        AnimationCanvas.byteCount(plan.sourceSize, savesPixels: savesPixels).addingSaturated(workingByteCount)
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
    func peakByteCount(savesPixels: Bool) throws(ImageError) -> Int {
        let isAnimation = imageCount > 1 && !request.options.firstFrameOnly
        let kept = FrameByteKeeper.byteCount(
            total: totalByteCount, largest: largestByteCount)
        guard isAnimation else {
            return request.purpose == .oneShot || request.purpose == .frames
                ? firstByteCount : firstByteCount.addingSaturated(kept)
        }
        let playing = try playingByteCount(frameCount: imageCount, savesPixels: savesPixels)
        // Frames of an unfinished decode are drawn in the size of the picture.
        let live = composingByteCount(savesPixels: savesPixels)
            .addingSaturated(
                AnimationOutput.byteCount(try framePlan(frameCount: 1)))
        let incremental = firstByteCount.addingSaturated(live).addingSaturated(kept)
        guard request.purpose != .incremental else { return incremental }
        guard request.purpose != .oneShot, request.purpose != .animation else { return firstByteCount }
        let frames = try framePlan(frameCount: imageCount).decodedByteCount.multipliedSaturated(by: imageCount)
        let oneShot = firstByteCount.addingSaturated(playing).addingSaturated(frames)
        return request.purpose == .inspection ? max(oneShot, incremental) : oneShot
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
