// Which frames have to be drawn to show one: worked out from the descriptions alone.
//
//   frame            0 keep   1 clear   2 restore   3 keep   4 ...
//   to show frame 4: draw 0,  clear 1,  (nothing),  draw 3,  draw 4
//
// A frame that is cleared or taken back leaves no pixel behind, so it is never drawn for the sake of a later
// one: random access needs no saved canvas.

/// Identifies a frame by reference: copies of a decoder may read different frames, and their snapshots share a canvas.
package final class FrameIdentity: Sendable {
    fileprivate init() {}

    /// The identity of frames that are not added yet.
    fileprivate static let none = FrameIdentity()
}

/// The frames of an animation as far as the canvas is concerned.
package struct CompositionPlan: Sendable {
    /// A frame on the canvas.
    package struct Frame: Sendable {
        package let info: FrameInfo
        /// The part of the frame's rectangle that is on the canvas; empty if none is.
        package let visible: PixelRect
        /// The frame from which the canvas below this one is composed, starting from an empty canvas.
        package let baseStart: Int
        /// The same frame in every snapshot that has it, with the same frames before; made when it is added.
        package fileprivate(set) var identity = FrameIdentity.none

        /// Whether the frame alone decides how the whole canvas looks.
        package func covers(_ canvas: PixelSize) -> Bool {
            visible == PixelRect(canvas) && (info.isOpaque || info.blending == .replace)
        }
    }

    /// Width and height of the canvas.
    package let canvasSize: PixelSize
    private var frames = PagedArray<Frame>()
    /// Whether a frame so far has to be taken back.
    package private(set) var needsSavedPixels = false
    /// Where composing the canvas before the next frame begins.
    private var nextBaseStart = 0

    /// Bytes that the identity of a frame takes.
    private static let identityByteCount = 48

    package init(canvasSize: PixelSize) { self.canvasSize = canvasSize }

    package var count: Int { frames.count }

    package subscript(_ index: Int) -> Frame { frames[index] }

    /// The most memory that the plan of this many frames takes. Saturates.
    package static func byteCount(_ count: Int) -> Int {
        PagedArray<Frame>.byteCount(count, elementByteCount: identityByteCount)
    }

    /// Adds the next frame, which ``planned(_:)`` made.
    ///
    /// - Returns: the frame as it was added.
    @discardableResult
    package mutating func append(_ planned: Frame, meter: MemoryMeter?) throws(ImageError) -> Frame {
        var frame = planned
        frame.identity = FrameIdentity()
        try frames.append(frame, elementByteCount: Self.identityByteCount, meter: meter)
        nextBaseStart = baseStart(behind: frame, at: frames.count - 1)
        if frame.info.disposal == .restore { needsSavedPixels = true }
        return frame
    }

    /// The next frame; its `composedFromIndex` is worked out here.
    package func planned(_ description: FrameInfo) -> Frame {
        let index = frames.count
        var info = description
        let visible = info.rect.clipped(to: canvasSize)
        var frame = Frame(info: info, visible: visible, baseStart: nextBaseStart)
        info.composedFromIndex = frame.covers(canvasSize) ? index : nextBaseStart
        frame = Frame(info: info, visible: visible, baseStart: nextBaseStart)
        return frame
    }

    /// Where composing begins for the canvas that `frame` leaves behind.
    private func baseStart(behind frame: Frame, at index: Int) -> Int {
        switch frame.info.disposal {
        case .keep: return frame.info.composedFromIndex
        case .clear where frame.visible == PixelRect(canvasSize): return index + 1
        case .clear, .restore: return frame.baseStart == index ? index + 1 : frame.baseStart
        }
    }

    /// How the canvas gets to show a frame.
    package struct Path: Sendable {
        /// Whether the canvas is emptied first; otherwise the frame that it shows is disposed of.
        package let startsEmpty: Bool
        /// Frames to go through first, in order: kept ones are drawn, those of cleared ones only have their rectangle cleared.
        package let before: Range<Int>
    }

    /// How a canvas that shows `shown` gets to show `frame`, the one at `index`.
    ///
    /// - Parameter shown: the frame that the canvas shows and that can be disposed of; `nil` for none.
    package func path(to frame: Frame, at index: Int, from shown: Int?) -> Path {
        // Disposing of the frame before touches only its rectangle, emptying touches the whole canvas; and what is below a frame
        // with disposal `restore` has to be composed too.
        let isIndependent = frame.covers(canvasSize) && frame.info.disposal != .restore
        if let shown, shown == index - 1, !isIndependent { return Path(startsEmpty: false, before: index..<index) }
        let start = frame.info.composedFromIndex
        if let shown, shown < index, shown >= start {
            return Path(startsEmpty: false, before: shown + 1..<index)
        }
        return Path(startsEmpty: true, before: start..<index)
    }
}

extension PixelRect {
    /// The part that lies on a canvas; empty, at the origin, if none does.
    package func clipped(to canvas: PixelSize) -> PixelRect {
        // Sides and positions come from files that have at most 32 bits for them.
        let (left, top) = (max(0, x), max(0, y))
        let right = min(canvas.width, x.addingSaturated(width))
        let bottom = min(canvas.height, y.addingSaturated(height))
        guard left < right, top < bottom else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
