// Corners cut round: pixels on the circle keep the share of them that lies inside.

extension Bitmap {
    /// Corners of a bitmap.
    public struct Corners: OptionSet, Hashable, Sendable {
        /// A bit for each corner.
        public let rawValue: Int
        /// A set of the corners whose bits are set.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// First row, first column.
        public static let topLeft = Corners(rawValue: 1)
        /// First row, last column.
        public static let topRight = Corners(rawValue: 2)
        /// Last row, first column.
        public static let bottomLeft = Corners(rawValue: 4)
        /// Last row, last column.
        public static let bottomRight = Corners(rawValue: 8)
        /// All four.
        public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
    }

    /// The pixels with corners cut round: transparent outside of a circle of `radius`, and on it as much as lies outside.
    ///
    /// The result has alpha: `bgrx` becomes `bgraPremultiplied`, `rgb` and `cmyk` become `rgba`, `gray` becomes `grayAlpha`,
    /// `gray16` becomes `rgba16`. Premultiplied colour is multiplied with its alpha, each product rounded; straight colour stays.
    ///
    /// - Parameters:
    ///   - radius: in pixels, at most half of the shorter side; more counts as that.
    ///   - corners: those to cut.
    /// - Throws: `invalidArgument` for a radius that is negative or not a number; `limitExceeded(.memory)` if the memory is not
    ///   to be had; `cancelled`.
    public func roundingCorners(radius: Double, _ corners: Corners = .all) throws(ImageError) -> Bitmap {
        guard radius >= 0 else { throw .invalidArgument("corners cannot have a radius of \(radius) pixels") }
        var result = try converted(to: format.withAlpha)
        let cut = CornerCut(radius: min(radius, Double(min(width, height)) / 2), corners, size: size)
        var work = WorkGuard.unlimited
        var coverage = [UInt8](repeating: 255, count: width)
        for y in cut.rows {
            try work.spend(width)
            cut.cover(y, &coverage)
            try result.multiplyAlpha(ofRow: y, by: coverage)
        }
        return result
    }

    /// Multiplies the alpha of each pixel of a row, and the colour too if it is premultiplied.
    ///
    /// - Parameter coverage: a factor for each pixel, 255 for one.
    private mutating func multiplyAlpha(ofRow y: Int, by coverage: [UInt8]) throws(ImageError) {
        let samples = format.alpha == .premultiplied ? 0..<4 : format.samplesPerPixel - 1..<format.samplesPerPixel
        let pixel = format.samplesPerPixel
        guard format.depth == .eight else {
            return try withMutableRow16(y) { row in
                for x in coverage.indices where coverage[x] < 255 {
                    let at = x * pixel + pixel - 1
                    row[at] = UInt16((UInt32(row[at]) * UInt32(coverage[x]) + 127) / 255)
                }
            }
        }
        try withMutableRow(y) { row in
            for x in coverage.indices where coverage[x] < 255 {
                for sample in samples {
                    row[x * pixel + sample] = row[x * pixel + sample].multiplied(by: coverage[x])
                }
            }
        }
    }
}

/// Which share of each pixel is inside.
private struct CornerCut {
    /// Of the circle; at most half of the shorter side.
    let radius: Double
    let corners: Bitmap.Corners
    let size: PixelSize
    /// Rows, and columns, from a side inwards that the circle touches.
    private let depth: Int

    init(radius: Double, _ corners: Bitmap.Corners, size: PixelSize) {
        (self.radius, self.corners, self.size) = (radius, corners, size)
        depth = Int(radius.rounded(.up))
    }

    /// Rows with pixels that are not wholly inside.
    var rows: [Int] {
        guard depth > 0 else { return [] }
        let (top, bottom) = (0..<depth, size.height - depth..<size.height)
        return top.overlaps(bottom) ? Array(0..<size.height) : Array(top) + Array(bottom)
    }

    /// Sets the share of each pixel of row `y`, 255 for all of it.
    func cover(_ y: Int, _ coverage: inout [UInt8]) {
        for x in coverage.indices { coverage[x] = 255 }
        let fromTop = y
        let fromBottom = size.height - 1 - y
        if fromTop < depth { cut(fromTop, left: .topLeft, right: .topRight, &coverage) }
        if fromBottom < depth { cut(fromBottom, left: .bottomLeft, right: .bottomRight, &coverage) }
    }

    /// Takes what lies outside of two corners off a row.
    ///
    /// - Parameter row: how many rows lie between it and the side.
    private func cut(
        _ row: Int, left: Bitmap.Corners, right: Bitmap.Corners, _ coverage: inout [UInt8]
    ) {
        guard !corners.isDisjoint(with: left.union(right)) else { return }
        for column in 0..<depth {
            // Two corners meet in a pixel in the middle: what each cuts off is another part of it.
            let outside = outside(column: column, row: row)
            if corners.contains(left) { coverage[column] -= min(outside, coverage[column]) }
            let opposite = size.width - 1 - column
            if corners.contains(right) { coverage[opposite] -= min(outside, coverage[opposite]) }
        }
    }

    /// The share of a pixel that lies outside of the circle around `(radius, radius)` and before its centre, 255 for all of it:
    /// exact along a row, the mean of sixteen lines in a column.
    private func outside(column: Int, row: Int) -> UInt8 {
        var area = 0.0
        for line in 0..<16 {
            let distance = radius - (Double(row) + (Double(line) + 0.5) / 16)
            guard distance > 0 else { continue }
            let edge = radius - (radius * radius - distance * distance).squareRoot()
            area += min(max(edge - Double(column), 0), 1)
        }
        return UInt8((area / 16 * 255).rounded())
    }
}

extension PixelFormat {
    /// The nearest format that has alpha; this one if it has.
    fileprivate var withAlpha: PixelFormat {
        switch self {
        case .bgrx: .bgraPremultiplied
        case .rgb, .cmyk: .rgba
        case .gray: .grayAlpha
        case .gray16: .rgba16
        default: self
        }
    }
}

extension UInt8 {
    /// `round(self * factor / 255)`, as premultiplying does it.
    fileprivate func multiplied(by factor: UInt8) -> UInt8 {
        let product = UInt16(self) * UInt16(factor) + 128  // at most 65153
        return UInt8((product + product >> 8) >> 8)
    }
}
