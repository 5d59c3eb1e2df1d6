// Pure functions around decoded pictures: sizes, scale factors, timelines (after SDImageCoderHelper).

/// What callers need around a coder: sizes to scale to, the scale a file name promises, animation timelines.
public enum CoderHelper {
    /// The default bound of ``scaledSize(of:limitBytes:bytesPerPixel:frameCount:)``: 60 MB of pixels.
    public static let defaultScaleDownLimitBytes = 60 * 1024 * 1024

    /// The scale factor a file name or URL promises: `cat@2x.png` is 2, `cat%403x.png` is 3, anything else 1.
    ///
    /// - Parameter key: a path or URL; the marker must stand in front of a dot.
    public static func scaleFactor(forKey key: String) -> Double {
        let bytes = Array(key.utf8)
        for (factor, digit) in [(2.0, UInt8(ascii: "2")), (3.0, UInt8(ascii: "3"))] {
            for prefix in ["@", "%40"] {
                let marker = Array(prefix.utf8) + [digit, UInt8(ascii: "x"), UInt8(ascii: ".")]
                if bytes.contains(marker) { return factor }
            }
        }
        return 1
    }

    /// The size that `size` takes when fitted into `box`.
    ///
    /// Sides are rounded to the nearest whole pixel and never below 1: 5250x3450 into 400x300 is 400x263.
    ///
    /// - Parameters:
    ///   - size: the size of the picture.
    ///   - box: the box; a side of zero or less does not bind.
    ///   - fit: how the picture fits the box.
    ///   - scalesUp: whether a picture smaller than the box is enlarged.
    public static func scaledSize(
        of size: PixelSize, in box: PixelSize, fit: DecodingOptions.Fit = .fit, scalesUp: Bool = false
    ) -> PixelSize {
        guard !size.isEmpty, box.width > 0 || box.height > 0 else { return size }
        let horizontal = box.width > 0 ? Double(box.width) / Double(size.width) : nil
        let vertical = box.height > 0 ? Double(box.height) / Double(size.height) : nil
        var x = horizontal ?? vertical ?? 1
        var y = vertical ?? horizontal ?? 1
        switch fit {
        case .fit: (x, y) = (min(x, y), min(x, y))
        case .fill: (x, y) = (max(x, y), max(x, y))
        case .stretch: break
        }
        if !scalesUp { (x, y) = (min(x, 1), min(y, 1)) }
        return PixelSize(width: scaledSide(size.width, x), height: scaledSide(size.height, y))
    }

    private static func scaledSide(_ side: Int, _ factor: Double) -> Int {
        let scaled = (Double(side) * factor).rounded()
        return max(1, scaled < Double(Int.max / 2) ? Int(scaled) : Int.max / 2)
    }

    /// The largest size with the aspect ratio of `size` whose pixels take at most `limitBytes`.
    ///
    /// Both sides are multiplied by `sqrt(limit / size)` and truncated, but never below 1 and never above
    /// what they were: 5250x3450 at 60 MB of four-byte pixels is 4892x3214.
    ///
    /// - Parameters:
    ///   - size: the size of the picture.
    ///   - limitBytes: bytes for the pixels of all frames together; zero or less means
    ///     ``defaultScaleDownLimitBytes``.
    ///   - bytesPerPixel: bytes of one pixel.
    ///   - frameCount: frames that share the limit.
    public static func scaledSize(
        of size: PixelSize, limitBytes: Int, bytesPerPixel: Int = 4, frameCount: Int = 1
    ) -> PixelSize {
        guard !size.isEmpty else { return size }
        let limit = limitBytes > 0 ? limitBytes : defaultScaleDownLimitBytes
        let pixels = limit / max(1, bytesPerPixel) / max(1, frameCount)
        if let all = size.pixelCount, all <= pixels { return size }
        return PixelSize(
            width: truncatedSide(size.width, across: size.height, pixels: pixels),
            height: truncatedSide(size.height, across: size.width, pixels: pixels))
    }

    /// `side * sqrt(pixels / (side * other))`, truncated, without rounding error: the largest `n` with
    /// `n * n * other <= pixels * side`.
    private static func truncatedSide(_ side: Int, across other: Int, pixels: Int) -> Int {
        func fits(_ candidate: Int) -> Bool {
            let square = candidate.multipliedFullWidth(by: candidate)
            guard square.high == 0, square.low <= UInt(Int.max) else { return false }
            let left = Int(square.low).multipliedFullWidth(by: other)
            let right = pixels.multipliedFullWidth(by: side)
            return (left.high, left.low) <= (right.high, right.low)
        }
        let estimate = (Double(pixels) * Double(side) / Double(other)).squareRoot()
        // Beyond the sides of any format the estimate is good enough, and squares would overflow.
        guard estimate < 0x1p31 else { return max(1, min(side, Int(exactly: estimate.rounded(.down)) ?? side)) }
        var candidate = Int(estimate)
        while candidate > 1 && !fits(candidate) { candidate -= 1 }
        while candidate < side && fits(candidate + 1) { candidate += 1 }
        return min(max(candidate, 1), side)
    }

    /// The format to write an image in when the caller names none: an animated format for animations, PNG for
    /// pictures with alpha, JPEG for opaque ones.
    public static func preferredFormat(for image: Image) -> ImageFormat {
        if image.animation != nil {
            return image.format == .apng || image.format == .webP ? image.format! : .gif
        }
        return image.bitmap.format.hasAlpha ? .png : .jpeg
    }
}

extension CoderHelper {
    /// An animation as ticks of equal length.
    public struct Timeline: Hashable, Sendable {
        /// The length of a tick: the greatest common divisor of all frame durations.
        public var tick: Duration
        /// For how many ticks each frame is shown.
        public var repeatCounts: [Int]
    }

    /// The frames' effective durations as counts of one tick, for players that only know equal intervals.
    ///
    /// Frames are counted, never copied. Durations are taken in whole milliseconds.
    public static func timeline(of frames: [ImageFrame]) -> Timeline {
        let milliseconds = frames.map { max(1, $0.effectiveDuration.wholeMilliseconds) }
        guard let first = milliseconds.first else { return Timeline(tick: .zero, repeatCounts: []) }
        let divisor = milliseconds.reduce(first, greatestCommonDivisor)
        return Timeline(tick: .milliseconds(divisor), repeatCounts: milliseconds.map { $0 / divisor })
    }

    /// The frames of an image: those of its animation, or the still as one frame without duration.
    public static func frames(from image: Image) -> [ImageFrame] {
        image.animation?.frames ?? [ImageFrame(bitmap: image.bitmap, duration: .zero, partial: image.partial)]
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

extension CoderHelper {
    /// The bitmap in another pixel format; see ``Bitmap/converted(to:)``.
    public static func convert(_ bitmap: Bitmap, to format: PixelFormat) throws(ImageError) -> Bitmap {
        try bitmap.converted(to: format)
    }

    /// The bitmap turned for viewing; see ``Bitmap/oriented(_:)``.
    public static func orient(_ bitmap: Bitmap, _ orientation: Orientation) throws(ImageError) -> Bitmap {
        try bitmap.oriented(orientation)
    }

    /// The bitmap scaled to `size`; see ``Bitmap/scaled(to:)``.
    public static func scale(_ bitmap: Bitmap, to size: PixelSize) throws(ImageError) -> Bitmap {
        try bitmap.scaled(to: size)
    }

    /// The bitmap scaled down until its pixels take at most `limitBytes`
    /// (see ``scaledSize(of:limitBytes:bytesPerPixel:frameCount:)``); itself when they already do.
    public static func scaleDown(
        _ bitmap: Bitmap, limitBytes: Int = defaultScaleDownLimitBytes
    ) throws(ImageError) -> Bitmap {
        try bitmap.scaled(
            to: scaledSize(of: bitmap.size, limitBytes: limitBytes, bytesPerPixel: bitmap.format.bytesPerPixel))
    }
}
