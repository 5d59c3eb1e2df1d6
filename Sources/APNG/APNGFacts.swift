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
    /// Bytes of frames that are kept.
    private var kept: KeptByteCount
    /// The most memory that drawing one of the frames takes besides the canvas.
    private var workingByteCount = 0
    private var savesPixels = false

    init(_ header: ImageHeader, _ request: DecodingRequest) {
        self.header = header
        self.request = request
        kept = KeptByteCount(request)
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

    /// Whether the bytes of the frame that is being read are kept where they come in pieces.
    private var keepsCurrent: Bool { !request.options.firstFrameOnly || frameCount <= 1 }

    /// Takes note of a chunk of the frame that is being read: of its bytes, as far as the file can have them.
    mutating func note(_ chunk: ChunkHeader) {
        // Where they are kept, they are counted as they come.
        guard request.purpose != .incremental, keepsCurrent else { return }
        _ = kept.noteMore(min(chunk.length, max(0, request.inputByteCount - chunk.bodyOffset)))
    }

    /// Takes note of more bytes of the frame that is being read.
    ///
    /// - Returns: whether they are more than were told.
    mutating func noteBytes(_ count: Int) -> Bool { keepsCurrent && kept.noteMore(count) }

    /// Takes note that the frame ended.
    mutating func endFrame() { kept.endFrame() }

    /// Takes note that no more of the frame that is being read comes: there are so many bytes of it.
    mutating func endEarly(byteCount: Int) {
        if keepsCurrent { kept.endEarly(byteCount) }
    }

    /// What is told besides of the frame that is being read: keeping bytes that did not come yet.
    var aheadByteCount: Int { kept.byteCount(isTold: true) - kept.byteCount(isTold: false) }

    private var composingByteCount: Int {
        AnimationCanvas.byteCount(header.size, savesPixels: savesPixels).addingSaturated(workingByteCount)
    }

    /// How the frames are delivered.
    func output(frameCount: Int) throws(ImageError) -> OutputPlan {
        try AnimationOutput.plan(
            size: header.size, orientation: orientation, options: request.options.dividing(among: frameCount))
    }

    /// The most memory that making one of them takes: also while it was not known yet how to turn them.
    private func outputByteCount(frameCount: Int) throws(ImageError) -> Int {
        try AnimationOutput.byteCount(
            size: header.size, orientations: [.up, orientation], options: request.options.dividing(among: frameCount))
    }

    /// The most memory that playing takes: canvas, a frame, what is kept. Saturates.
    func playingByteCount(frameCount: Int) throws(ImageError) -> Int {
        let output = try output(frameCount: frameCount)
        let kept = min(
            max(0, request.options.maxFrameCacheByteCount), output.decodedByteCount.multipliedSaturated(by: frameCount))
        return composingByteCount.addingSaturated(try outputByteCount(frameCount: frameCount)).addingSaturated(kept)
            .addingSaturated(APNGFrames.byteCount(frameCount))
    }

    /// What an unfinished decode takes: a canvas, and the bytes of frames.
    private func incrementalByteCount() throws(ImageError) -> Int {
        composingByteCount.addingSaturated(try outputByteCount(frameCount: 1))
            .addingSaturated(APNGFrames.byteCount(frameCount))
            .addingSaturated(kept.byteCount(isTold: false))
    }

    /// What all frames take, and composing them.
    private func allFramesByteCount() throws(ImageError) -> Int {
        let frames = try output(frameCount: frameCount).decodedByteCount.multipliedSaturated(by: frameCount)
        return try playingByteCount(frameCount: frameCount).addingSaturated(frames)
    }

    /// What the animation takes at most besides the default image, as far as the file was read. Saturates.
    ///
    /// An inspection is not refused for frames that nobody may want; it tells them with ``framesByteCount()``.
    func byteCount() throws(ImageError) -> Int {
        if request.options.firstFrameOnly { return try incrementalByteCount() }
        return switch request.purpose {
        case .incremental: try incrementalByteCount()
        case .oneShot, .animation, .inspection: APNGFrames.byteCount(frameCount)
        case .frames: try allFramesByteCount()
        }
    }

    /// What an inspection tells besides: the most that a decode of all frames takes, or one in pieces.
    func framesByteCount() -> Int {
        guard !request.options.firstFrameOnly, let incremental = try? incrementalByteCount(),
            let frames = try? AnimationOutput.allByteCount(
                size: header.size, orientations: [.up, orientation], frameCount: frameCount, options: request.options)
        else { return 0 }
        let all = composingByteCount.addingSaturated(frames).addingSaturated(APNGFrames.byteCount(frameCount))
        return max(all, incremental)
    }
}
