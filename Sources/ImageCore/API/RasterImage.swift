// A decoded picture with everything a viewer needs to show it.

/// A decoded picture, still or animated.
public struct RasterImage: Sendable {
    /// The frames of an animation.
    public struct Animation: Sendable {
        /// Every frame, composited on the full canvas.
        public var frames: [ImageFrame]
        /// Total number of plays, 0 for ever.
        public var loopCount: Int

        /// Creates an animation.
        public init(frames: [ImageFrame], loopCount: Int) {
            self.frames = frames
            self.loopCount = loopCount
        }
    }

    /// The pixels; of an animation, those of the first frame.
    public var bitmap: Bitmap
    /// Pixels per point, at least 1.
    public var scale: Double
    /// How the bitmap still has to be turned for viewing: ``Orientation/up`` once orientation was applied.
    public var orientation: Orientation
    /// The format of the file that it was decoded from; `nil` if it was not decoded from a file.
    public var format: ImageFormat?
    /// Whether that file stores samples with loss; see ``ImageInfo/isLossy``. Encoders of formats with both ways take the same one.
    public var isLossy = false
    /// Which part of the picture is decoded, if some of it could not be or has not been yet; `nil` for whole pictures.
    public var partial: PartialReport?
    /// What the file says about the picture.
    public var metadata: ImageMetadata
    /// The animation, if it is one.
    public var animation: Animation?
    /// What became of the colours; `nil` if nothing had to be done, or ``DecodingOptions/color`` asked for nothing.
    public var colorReport: ColorReport?

    /// Creates an image around a bitmap.
    public init(
        bitmap: Bitmap, scale: Double = 1, orientation: Orientation = .up, format: ImageFormat? = nil,
        partial: PartialReport? = nil, metadata: ImageMetadata = ImageMetadata(), animation: Animation? = nil
    ) {
        self.bitmap = bitmap
        self.scale = max(1, scale)
        self.orientation = orientation
        self.format = format
        self.partial = partial
        self.metadata = metadata
        self.animation = animation
    }

    /// Width and height in pixels, as stored in ``bitmap``.
    public var size: PixelSize { bitmap.size }

    /// Columns of ``bitmap``.
    public var width: Int { bitmap.width }

    /// Rows of ``bitmap``.
    public var height: Int { bitmap.height }

    /// The colour of a pixel of ``bitmap``: red, green, blue and alpha, straight; `image[0, 0].rgba8` has eight bits of each.
    ///
    /// - Parameters:
    ///   - x: the column, from 0 at the left.
    ///   - y: the row, from 0 at the top.
    /// - Precondition: see ``Bitmap/subscript(_:_:)``, which this is.
    public subscript(x: Int, y: Int) -> PixelColor { bitmap[x, y] }

    /// Whether some of the picture is missing.
    public var isPartial: Bool { partial != nil }
}

extension RasterImage {
    /// The frames: those of the animation, or the still as one frame without duration.
    public var frames: [ImageFrame] {
        animation?.frames ?? [ImageFrame(bitmap: bitmap, duration: .zero, partial: partial)]
    }

    /// The scale that the name of a file or a URL states: `cat@2x.png` is 2, `cat%403x.png` is 3, anything else 1.
    ///
    /// - Parameter name: a path or URL; the marker must stand before a dot.
    public static func scale(promisedBy name: String) -> Double {
        let bytes = Array(name.utf8)
        for (factor, digit) in [(2.0, UInt8(ascii: "2")), (3.0, UInt8(ascii: "3"))] {
            for prefix in ["@", "%40"] {
                let marker = Array(prefix.utf8) + [digit, UInt8(ascii: "x"), UInt8(ascii: ".")]
                if bytes.contains(marker) { return factor }
            }
        }
        return 1
    }
}

/// Which part of a partial picture is decoded; the rest is transparent, or black if there is no alpha.
public struct PartialReport: Hashable, Sendable {
    /// Rows of the file (before scaling and orientation) whose pixels are decoded, in ascending order.
    public var rows: [Range<Int>]
    /// Interlace passes that are complete, and how many there are.
    public var passes: Progress?
    /// Scans that are complete; how many there will be is not known.
    public var scans: Int?
    /// Frames that are complete, and how many there are.
    public var frames: Progress?
    /// Frames of an animation that are missing or not whole, in the order of the file.
    /// Empty until the decode has ended; ``cause`` is set before that.
    public var frameDamages: [FrameDamage]
    /// What is wrong with the file: the damage that comes first in it; `nil` when decoding merely is not finished.
    public var cause: ImageError?

    /// How many passes or frames are complete, of how many.
    public struct Progress: Hashable, Sendable {
        /// How many are complete.
        public var done: Int
        /// How many there are.
        public var total: Int
        /// Creates a progress.
        public init(done: Int, total: Int) {
            self.done = done
            self.total = total
        }
    }

    /// Creates a report.
    public init(
        rows: [Range<Int>], passes: Progress? = nil, scans: Int? = nil, frames: Progress? = nil,
        frameDamages: [FrameDamage] = [], cause: ImageError? = nil
    ) {
        self.frameDamages = frameDamages
        self.rows = rows
        self.passes = passes
        self.scans = scans
        self.frames = frames
        self.cause = cause
    }
}

/// A frame of an animation that is missing or not whole.
public struct FrameDamage: Hashable, Sendable {
    /// The index of the damaged frame; if it is missing, of the frame that takes its place.
    public var index: Int
    /// Whether nothing of it could be read.
    public var isMissing: Bool
    /// What is wrong with it.
    public var cause: ImageError

    /// Creates a description.
    public init(index: Int, isMissing: Bool, cause: ImageError) {
        self.index = index
        self.isMissing = isMissing
        self.cause = cause
    }
}
