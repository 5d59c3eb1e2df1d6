// A frame as a file has it: a rectangle of the canvas and how it is drawn. What a search hands to an encoder.

package import ImageCodecsCore

/// One way to make a canvas show what is wanted.
///
/// Holds both canvases and makes rows of pixels when they are asked for.
package struct SubFrame: Sendable {
    /// What its pixels are.
    package enum Content: Hashable, Sendable {
        /// Those that are wanted, put in the place of what is there, transparent ones too.
        case replacement
        /// Those that are wanted, all of them opaque, laid over what is there.
        case opaque
        /// Those that change, laid over what is there; runs of at least this many others are transparent.
        case changes(shortestRun: Int)

        /// How long runs mostly are that pay for leaving them out: shorter ones break up what would compress as a whole.
        package static let usualRun = 8
    }

    /// Where it lies on the canvas; not empty.
    package let rect: PixelRect
    /// What its pixels are.
    package let content: Content
    private let below: Bitmap
    private let wanted: Bitmap

    /// - Parameters:
    ///   - below: the canvas that it is drawn on, straight RGBA.
    ///   - wanted: the canvas after that.
    package init(_ rect: PixelRect, _ content: Content, on below: Bitmap, wanted: Bitmap) {
        self.rect = rect
        self.content = content
        self.below = below
        self.wanted = wanted
    }

    /// The same on a larger rectangle.
    package func extended(to rect: PixelRect) -> SubFrame {
        SubFrame(
            self.rect.union(rect), content == .opaque ? .changes(shortestRun: 1) : content, on: below, wanted: wanted)
    }

    /// The same drawn without regard to what is there.
    package var redrawn: SubFrame { SubFrame(rect, .opaque, on: below, wanted: wanted) }

    /// How it is drawn.
    package var blending: FrameInfo.Blending { content == .replacement ? .replace : .over }

    /// Whether a pixel may be transparent.
    package var mayBeTransparent: Bool { content != .opaque }

    /// Writes a row of its pixels, straight RGBA.
    ///
    /// - Parameters:
    ///   - y: the row, from 0 at the top of ``rect``.
    ///   - row: takes four bytes for each column of ``rect``.
    ///   - clear: what transparent pixels are, red in the lowest byte: zero, or a colour whose alpha is zero.
    package func copyRow(_ y: Int, into row: inout MutableRawSpan, clear: UInt32 = 0) {
        let bytes = 4 * rect.x..<4 * (rect.x + rect.width)
        wanted.withRowBytes(rect.y + y) { wanted in
            let wanted = wanted.extracting(bytes)
            guard case .changes(let shortestRun) = content else {
                ChangeKernels.copy(wanted, into: &row, count: rect.width, clear: clear)
                return
            }
            below.withRowBytes(rect.y + y) { below in
                ChangeKernels.keepChanges(
                    below.extracting(bytes), wanted, into: &row, count: rect.width, clear: clear,
                    shortestRun: shortestRun)
            }
        }
    }
}

/// What a format's frames can do, and what of that an encoder wants.
package struct FrameAbilities: Hashable, Sendable {
    /// What may become of a frame afterwards; `keep` among them. Of equally long ways the first is taken.
    package var disposals: [FrameInfo.Disposal]
    /// Whether a frame can replace what is there, so that pixels become transparent.
    package var replaces: Bool
    /// Whether a frame can be transparent where nothing changed.
    package var laysOver: Bool
    /// What the left and top of a frame are multiples of.
    package var offsetMultiple: Int
    /// Whether a frame that was laid over the canvas can be taken back.
    package var restoresAfterOver: Bool
    /// Whether the first frame covers the canvas.
    package var firstFrameCoversCanvas: Bool
    /// Whether opaque pixels that do not change may be drawn again. Not if they would become others: where colours are reduced, what
    /// stands still would flicker.
    package var redrawsUnchanged: Bool
    /// Whether a frame that equals the one before may become part of it, if decoders show both as long as the file says.
    package var mergesEqualFrames: Bool

    /// Everything, unless said otherwise.
    package init(
        disposals: [FrameInfo.Disposal] = [.keep, .restore, .clear], replaces: Bool = true, laysOver: Bool = true,
        offsetMultiple: Int = 1, restoresAfterOver: Bool = true, firstFrameCoversCanvas: Bool = false,
        redrawsUnchanged: Bool = true, mergesEqualFrames: Bool = false
    ) {
        self.disposals = disposals
        self.replaces = replaces
        self.laysOver = laysOver
        self.offsetMultiple = offsetMultiple
        self.restoresAfterOver = restoresAfterOver
        self.firstFrameCoversCanvas = firstFrameCoversCanvas
        self.redrawsUnchanged = redrawsUnchanged
        self.mergesEqualFrames = mergesEqualFrames
    }
}
