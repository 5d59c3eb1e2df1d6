// What a file says about a frame, as words for people and as JSON.

import ImageCodecs

extension FrameInfo {
    /// How it is drawn and what becomes of it: `over, then keep`.
    var drawing: String { "\(blending.rawValue), then \(disposal.rawValue)" }

    /// The frame that drawing starts from to show frame `index`, which this is: `from frame 3`, `from itself`.
    func origin(of index: Int) -> String {
        composedFromIndex == index ? "from itself" : "from frame \(composedFromIndex)"
    }

    /// Position and size.
    var rectMembers: [(key: String, value: JSONValue)] {
        [
            ("x", .integer(rect.x)), ("y", .integer(rect.y)), ("width", .integer(rect.width)),
            ("height", .integer(rect.height)),
        ]
    }

    /// How it is drawn and what becomes of it.
    var drawingMembers: [(key: String, value: JSONValue)] {
        [("disposal", .string(disposal.rawValue)), ("blending", .string(blending.rawValue))]
    }
}

/// Every frame of a file.
struct FrameTable: Sendable {
    private let frames: [FrameInfo]
    /// Whether the file is a still picture, which has no durations.
    private let isStill: Bool

    /// Opens an animation and decodes no frame of it; a still has one frame, its whole picture.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - info: what an inspection of it said.
    ///   - options: which the animation is opened with, all of its frames in any case.
    init(_ data: ImageData, info: ImageInfo, options: DecodingOptions) throws(ImageError) {
        isStill = info.animation == nil
        guard !isStill else {
            frames = [
                FrameInfo(rect: PixelRect(info.size), duration: .zero, blending: .replace, isOpaque: !info.hasAlpha)
            ]
            return
        }
        var options = options
        options.firstFrameOnly = false
        let animation = try CoderRegistry.shared.makeAnimation(from: data, options: options)
        var frames: [FrameInfo] = []
        for index in 0..<animation.frameCount { frames.append(try animation.frameInfo(at: index)) }
        self.frames = frames
    }

    /// How long all frames together are shown, as stored; `nil` for stills.
    private var milliseconds: Int? {
        isStill ? nil : frames.reduce(Duration.zero) { $0 + max(.zero, $1.duration) }.wholeMilliseconds
    }

    /// A line for the whole and one for each frame.
    var textLines: [(name: String, value: String)] {
        let duration = milliseconds.map { [(name: "duration", value: "\($0) ms")] } ?? []
        return duration + zip(0..., frames).map { ("frame \($0)", words(for: $1, $0)) }
    }

    private func words(for frame: FrameInfo, _ index: Int) -> String {
        let duration = isStill ? [] : ["\(frame.duration.wholeMilliseconds) ms"]
        let opacity = frame.isOpaque ? ["opaque"] : []
        return (["\(frame.rect)"] + duration + [frame.drawing] + opacity + [frame.origin(of: index)])
            .joined(separator: ", ")
    }

    /// The same for programs.
    var members: [(key: String, value: JSONValue)] {
        [("durationMS", .optional(milliseconds)), ("frames", .array(zip(0..., frames).map { object($1, $0) }))]
    }

    private func object(_ frame: FrameInfo, _ index: Int) -> JSONValue {
        let duration = isStill ? nil : frame.duration.wholeMilliseconds
        return .object(
            [("index", .integer(index))] + frame.rectMembers + [("durationMS", .optional(duration))]
                + frame.drawingMembers
                + [("isOpaque", .bool(frame.isOpaque)), ("composedFrom", .integer(frame.composedFromIndex))])
    }
}
