// What a file says about one frame: where it lies, how long it is shown, what happens before and after.

/// One frame of an animation as the file describes it.
public struct FrameInfo: Hashable, Sendable {
    /// What happens to a frame's rectangle after the frame was shown.
    public enum Disposal: String, Hashable, Sendable, CaseIterable {
        /// It stays as it is.
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes again what it was before the frame was drawn.
        case restore
    }

    /// How a frame is drawn on what is there.
    public enum Blending: String, Hashable, Sendable, CaseIterable {
        /// Laid over it: what is there shows through if the frame is transparent.
        case over
        /// Put in its place, transparent pixels too.
        case replace
    }

    /// Where the frame lies on the canvas, in pixels of the file. It may leave the canvas; what is outside is not shown.
    public var rect: PixelRect
    /// How long it is shown, as stored.
    public var duration: Duration
    /// What becomes of the rectangle afterwards.
    public var disposal: Disposal
    /// How the frame is drawn.
    public var blending: Blending
    /// Whether no pixel of the frame can be transparent.
    public var isOpaque: Bool
    /// The first frame that has to be drawn to show this one; its own index if it does not depend on others.
    public var composedFromIndex: Int

    /// Creates a description.
    public init(
        rect: PixelRect, duration: Duration, disposal: Disposal = .keep, blending: Blending = .over,
        isOpaque: Bool = false, composedFromIndex: Int = 0
    ) {
        self.rect = rect
        self.duration = duration
        self.disposal = disposal
        self.blending = blending
        self.isOpaque = isOpaque
        self.composedFromIndex = composedFromIndex
    }
}
