// What the animation of a file takes: memory that is promised besides that of the default image.

import ImageCore
import PNG

/// Frames and memory of one animation; known when the image data begin.
struct APNGFacts: Sendable {
    private let header: ImageHeader
    private let request: DecodingRequest
    /// How the picture has to be turned, as far as is known.
    var orientation = Orientation.up
    /// Frames that have begun.
    private(set) var frameCount = 0
    /// Bytes of all frames, of the largest, and of the one that is being read.
    private var (totalByteCount, largestByteCount, currentByteCount) = (0, 0, 0)
    /// The most memory that drawing one of the frames takes besides the canvas.
    private var workingByteCount = 0
    private var savesPixels = false

    init(_ header: ImageHeader, _ request: DecodingRequest) {
        self.header = header
        self.request = request
    }

    /// Takes note of a frame that begins.
    mutating func begin(_ info: FrameInfo) {
        frameCount += 1
        if info.disposal == .restore { savesPixels = true }
        let size = info.rect.size
        let order: RowOrder = header.isInterlaced ? .passes : .topToBottom
        workingByteCount = max(
            workingByteCount,
            FrameAssembly.byteCount(header, size: size).addingSaturated(FramePainter.byteCount(size, order: order)))
    }

    /// Takes note of more bytes of the frame that is being read.
    mutating func noteBytes(_ count: Int) {
        currentByteCount = currentByteCount.addingSaturated(count)
        totalByteCount = totalByteCount.addingSaturated(count)
        largestByteCount = max(largestByteCount, currentByteCount)
    }

    /// Takes note that the frame ended.
    mutating func endFrame() { currentByteCount = 0 }

    private var composingByteCount: Int {
        AnimationCanvas.byteCount(header.size, savesPixels: savesPixels).addingSaturated(workingByteCount)
    }

    /// How the frames are delivered.
    func output(frameCount: Int) throws(ImageError) -> OutputPlan {
        try AnimationOutput.plan(
            size: header.size, orientation: orientation, options: request.options.dividing(among: frameCount))
    }

    /// The most memory that playing takes: canvas, a frame, what is kept. Saturates.
    func playingByteCount(frameCount: Int) throws(ImageError) -> Int {
        let output = try output(frameCount: frameCount)
        let kept = min(
            max(0, request.options.maxFrameCacheByteCount), output.decodedByteCount.multipliedSaturated(by: frameCount))
        return composingByteCount.addingSaturated(AnimationOutput.byteCount(output)).addingSaturated(kept)
            .addingSaturated(APNGFrames.byteCount(frameCount))
    }

    /// What the animation takes at most besides the default image, as far as the file was read. Saturates.
    func byteCount() throws(ImageError) -> Int {
        let live = composingByteCount.addingSaturated(AnimationOutput.byteCount(try output(frameCount: 1)))
            .addingSaturated(APNGFrames.byteCount(frameCount))
        let kept = FrameByteKeeper.byteCount(total: totalByteCount, largest: largestByteCount)
        let incremental = live.addingSaturated(kept)
        if request.options.firstFrameOnly { return incremental }
        switch request.purpose {
        case .incremental: return incremental
        case .oneShot, .animation: return APNGFrames.byteCount(frameCount)
        case .frames, .inspection:
            let frames = try output(frameCount: frameCount).decodedByteCount.multipliedSaturated(by: frameCount)
            let oneShot = try playingByteCount(frameCount: frameCount).addingSaturated(frames)
            return request.purpose == .frames ? oneShot : max(oneShot, incremental)
        }
    }
}
