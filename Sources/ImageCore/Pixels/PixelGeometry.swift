// Sizes and rectangles in whole pixels.

/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The same size turned by a quarter: width and height exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// `width * height`, or `nil` if that overflows or a side is negative.
    public var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : product
    }

    /// Whether there is no pixel in it.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The size of a picture that has one pixel for each square of `reduction` x `reduction` of this one's, with what is
    /// left over at the right and at the bottom in squares that are not whole.
    ///
    /// - Precondition: Neither side is negative, and `reduction` is at least 1.
    package func reduced(by reduction: Int) -> PixelSize {
        func divideUp(_ side: Int) -> Int { side / reduction + (side % reduction == 0 ? 0 : 1) }
        return PixelSize(width: divideUp(width), height: divideUp(height))
    }
}

extension PixelSize: CustomStringConvertible {
    /// `"640x480"`.
    public var description: String { "\(width)x\(height)" }
}

/// A rectangle of pixels, the origin at the top left.
public struct PixelRect: Hashable, Sendable {
    /// The left column.
    public var x: Int
    /// The top row.
    public var y: Int
    /// Columns covered.
    public var width: Int
    /// Rows covered.
    public var height: Int

    /// Creates a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of a picture of `size`.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The size without its position.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Whether there is no pixel in it.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The smallest rectangle that covers both; an empty one adds nothing.
    public func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let left = min(x, other.x)
        let top = min(y, other.y)
        return PixelRect(
            x: left, y: top,
            width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

extension PixelRect: CustomStringConvertible {
    /// `"640x480+10+20"`: size, then position.
    public var description: String { "\(width)x\(height)+\(x)+\(y)" }
}
