// Alpha is stored as differences to what its neighbours let expect; here the differences become alpha again.
//
//        C B          A: left, B: above, C: above left
//        A x          horizontal: A    vertical: B    gradient: A + B - C, held to 0...255
//
// Where there is no left neighbour the one above is used, and the other way round; the first pixel of all is stored as it is.

/// What a byte of a plane is the difference to.
///
/// - Source: RFC 9649 §2.7.1.2 "Alpha", "Filtering method (F)".
package enum AlphaFilter: UInt8, Hashable, Sendable, CaseIterable {
    /// Nothing: alpha is stored as it is.
    case none
    /// The pixel to the left.
    case horizontal
    /// The pixel above.
    case vertical
    /// Left plus above minus above left.
    case gradient

    /// Undoes the filter on one row, in place.
    ///
    /// - Parameters:
    ///   - rows: the row above and behind it the filtered row, `width` bytes each; of the first row of a plane the
    ///     filtered row alone.
    ///   - width: in pixels, at least 1.
    /// - Precondition: `rows` has `width` or `2 * width` bytes.
    package func undo(_ rows: inout MutableSpan<UInt8>, width: Int) {
        precondition(width > 0 && (rows.count == width || rows.count == 2 * width), "not a row or two")
        guard rows.count > width else {
            // The filters differ in what is above, which there is not.
            if self != .none { Self.addLeft(&rows, from: 1) }
            return
        }
        switch self {
        case .none: break
        case .horizontal:
            rows[width] &+= rows[0]
            Self.addLeft(&rows, from: width + 1)
        case .vertical:
            for x in 0..<width { rows[width + x] &+= rows[x] }
        case .gradient: Self.addGradient(&rows, width: width)
        }
    }

    /// Adds to each byte from `start` on the one in front of it.
    private static func addLeft(_ rows: inout MutableSpan<UInt8>, from start: Int) {
        var left = rows[start - 1]
        for x in start..<rows.count {
            left &+= rows[x]
            rows[x] = left
        }
    }

    private static func addGradient(_ rows: inout MutableSpan<UInt8>, width: Int) {
        var left = rows[width] &+ rows[0]
        rows[width] = left
        var corner = Int(rows[0])
        for x in 1..<width {
            let above = Int(rows[x])
            // Of three bytes: -255...510, and a byte again when it is held to that.
            let expected = min(max(Int(left) + above - corner, 0), 255)
            left = rows[width + x] &+ UInt8(truncatingIfNeeded: expected)
            rows[width + x] = left
            corner = above
        }
    }
}
