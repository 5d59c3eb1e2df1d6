// What the chunks so far say about the file: the description, and the memory that is promised.

import ImageCore

/// Size, first picture and memory of one file; known from the first picture on.
struct WebPFacts: Sendable {
    /// What is known of the first picture.
    struct First: Sendable {
        let header: PictureHeader
        /// Where it lies on the canvas.
        let rect: PixelRect
        /// What its rows hold.
        let rows: SampleLayout
        let hasAlphaChunk: Bool
        /// Bytes of the payload.
        let byteCount: Int
    }

    /// Width and height of the canvas.
    let canvas: PixelSize
    let first: First
    private let hasAlpha: Bool
    private let isAnimation: Bool
    private let request: DecodingRequest
    /// How the picture has to be turned, as far as is known, and as far as it was when its rows began to come.
    var orientation: Orientation
    private let firstOrientation: Orientation

    /// Frames that have begun.
    private(set) var frameCount = 0
    /// Bytes of frames that are kept.
    var kept: KeptByteCount
    /// The most memory that drawing one of the frames takes besides the canvas.
    private var workingByteCount = 0
    /// The most bytes that are held back of a payload: of one that comes in pieces no more than came. A size in a head may be
    /// a lie, and is no reason then to refuse what will not come.
    private var unitByteCount = 0
    /// Bytes of the largest payload, as its head says.
    private var largestPayloadByteCount = 0

    /// What was told last of them.
    private var toldUnitByteCount = 0
    /// No need to tell of fewer.
    private static let smallUnitByteCount = 1 << 11

    /// - Parameters:
    ///   - canvas: width and height.
    ///   - first: the first picture.
    ///   - hasAlpha: whether a pixel of it may be transparent.
    ///   - isAnimation: whether the file is an animation.
    ///   - orientation: how the picture has to be turned, as far as is known.
    ///   - request: what is wanted.
    init(
        canvas: PixelSize, _ first: First, hasAlpha: Bool, isAnimation: Bool, orientation: Orientation,
        _ request: DecodingRequest
    ) {
        self.canvas = canvas
        self.first = first
        self.hasAlpha = hasAlpha
        self.isAnimation = isAnimation
        self.orientation = orientation
        firstOrientation = orientation
        self.request = request
        kept = KeptByteCount(request)
    }

    /// What the rows of the first picture are delivered as.
    private var layout: SampleLayout { FirstPicture.layout(first.rows, first.rect, canvas: canvas) }

    /// How the first picture is delivered.
    ///
    /// - Parameter orientation: how it has to be turned.
    func plan(_ orientation: Orientation) throws(ImageError) -> OutputPlan {
        try OutputPlan(
            size: canvas, hasAlpha: hasAlpha, nearestFormat: layout.nearestFormat, orientation: orientation,
            options: request.options)
    }

    /// Takes note of a picture that begins.
    mutating func begin(_ header: PictureHeader, hasAlphaChunk: Bool, byteCount: Int) {
        frameCount += 1
        largestPayloadByteCount = max(largestPayloadByteCount, byteCount)
        if request.purpose != .incremental { noteUnit(header.kind, byteCount: byteCount) }
        workingByteCount = max(
            workingByteCount,
            FrameDecoder.byteCount(header, hasAlphaChunk: hasAlphaChunk, threads: request.options.maxThreadCount)
                .addingSaturated(FramePainter.byteCount(header.size, order: .topToBottom)))
    }

    /// Takes note of the alpha of a frame that begins in front of its picture.
    ///
    /// - Parameter size: that the picture is to have.
    mutating func beginAlpha(size: PixelSize) {
        workingByteCount = max(workingByteCount, AlphaPlane.byteCount(size))
    }

    private mutating func noteUnit(_ kind: PictureHeader.Kind, byteCount: Int) {
        unitByteCount = max(unitByteCount, PayloadDecoder.unitByteCount(kind, byteCount: byteCount))
    }

    /// Takes note of how many bytes of a payload came so far.
    ///
    /// - Returns: whether that is so much more than before that it should be told.
    mutating func noteReceived(_ kind: PictureHeader.Kind, byteCount: Int) -> Bool {
        guard request.purpose == .incremental else { return false }
        noteUnit(kind, byteCount: byteCount)
        guard unitByteCount > max(2 * toldUnitByteCount, Self.smallUnitByteCount) else { return false }
        toldUnitByteCount = unitByteCount
        return true
    }

    // MARK: The promise

    /// The most bytes of a payload that are held back: before it is told of more, twice as many may be, but never more than a
    /// payload has.
    var heldByteCount: Int {
        max(min(unitByteCount.multipliedSaturated(by: 2), largestPayloadByteCount), Self.smallUnitByteCount)
    }

    /// What decoding the first picture takes. Saturates.
    ///
    /// Where the file told behind its pixels how to turn them, that of turning what was delivered otherwise.
    func firstByteCount() throws(ImageError) -> Int {
        let (plan, delivered) = (try plan(orientation), try plan(firstOrientation))
        return plan.peakByteCount(replacing: delivered, layout: layout, order: .topToBottom)
            .addingSaturated(FirstPicture.byteCount(canvas: canvas, rect: first.rect))
            .addingSaturated(
                FrameDecoder.byteCount(
                    first.header, hasAlphaChunk: first.hasAlphaChunk, threads: request.options.maxThreadCount)
            )
            .addingSaturated(isAnimation ? WebPFrames.byteCount(frameCount) : 0)
    }

    /// What composing frames takes, the frames themselves not.
    private var composingByteCount: Int {
        AnimationCanvas.byteCount(canvas, savesPixels: false).addingSaturated(workingByteCount)
    }

    /// How the frames of an animation are delivered.
    func output(frameCount: Int) throws(ImageError) -> OutputPlan {
        try AnimationOutput.plan(
            size: canvas, orientation: orientation, options: request.options.dividing(among: frameCount))
    }

    /// The most memory that making one of them takes: also while it was not known yet how to turn them.
    private func outputByteCount(frameCount: Int) throws(ImageError) -> Int {
        try AnimationOutput.byteCount(
            size: canvas, orientations: [firstOrientation, orientation],
            options: request.options.dividing(among: frameCount))
    }

    /// The most memory that playing takes: canvas, a frame, what is kept. Saturates.
    func playingByteCount(frameCount: Int) throws(ImageError) -> Int {
        let output = try output(frameCount: frameCount)
        let kept = min(
            max(0, request.options.maxFrameCacheByteCount), output.decodedByteCount.multipliedSaturated(by: frameCount))
        return composingByteCount.addingSaturated(try outputByteCount(frameCount: frameCount)).addingSaturated(kept)
            .addingSaturated(WebPFrames.byteCount(frameCount))
    }

    /// The most memory that a decode takes as far as the file was read, without metadata. Saturates.
    ///
    /// - Parameter isTold: whether more of the frame that is being read may come before this is asked again.
    func peakByteCount(isTold: Bool) throws(ImageError) -> Int {
        let first = try firstByteCount()
        guard isAnimation else { return first }
        let kept = kept.byteCount(isTold: isTold)
        if request.options.firstFrameOnly {
            let isInPieces = request.purpose == .incremental || request.purpose == .inspection
            return isInPieces ? first.addingSaturated(kept) : first
        }
        // Frames of an unfinished decode are drawn in the size of the picture.
        let live = composingByteCount.addingSaturated(try outputByteCount(frameCount: 1))
        let incremental = first.addingSaturated(live).addingSaturated(kept)
        switch request.purpose {
        case .incremental: return incremental
        case .oneShot, .animation: return first
        case .frames:
            let frames = try output(frameCount: frameCount).decodedByteCount.multipliedSaturated(by: frameCount)
            return first.addingSaturated(try playingByteCount(frameCount: frameCount)).addingSaturated(frames)
        case .inspection:
            let frames = try AnimationOutput.allByteCount(
                size: canvas, orientations: [firstOrientation, orientation], frameCount: frameCount,
                options: request.options)
            let all = composingByteCount.addingSaturated(frames).addingSaturated(WebPFrames.byteCount(frameCount))
            return max(first.addingSaturated(all), incremental)
        }
    }

    // MARK: The description

    /// What the chunks say, without metadata.
    ///
    /// - Parameters:
    ///   - isComplete: whether there are no more frames.
    ///   - loopCount: total number of plays, 0 for ever.
    func info(isComplete: Bool, loopCount: Int) throws(ImageError) -> ImageInfo {
        let plan = try plan(orientation)
        let animation =
            isAnimation ? ImageInfo.Animation(frameCount: isComplete ? frameCount : nil, loopCount: loopCount) : nil
        return ImageInfo(
            format: .webP, size: canvas, animation: animation, hasAlpha: hasAlpha, bitDepth: 8,
            colorDescription: first.header.kind == .lossless ? "RGB, lossless" : "Y'CbCr 4:2:0",
            orientation: orientation, decodedSize: plan.resultSize, decodedFormat: plan.format, peakByteCount: 0)
    }
}
