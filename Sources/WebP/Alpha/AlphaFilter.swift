// Alpha is stored as differences to a prediction from neighbours; here the differences become alpha again.
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
    ///   - rows: the row above and after it the filtered row, `width` bytes each; of the first row of a plane the
    ///     filtered row alone.
    ///   - width: in pixels, at least 1.
    /// - Precondition: `rows` has `width` or `2 * width` bytes.
    package func undo(_ rows: inout MutableSpan<UInt8>, width: Int) {
        precondition(width > 0 && (rows.count == width || rows.count == 2 * width), "not a row or two")
        guard rows.count > width else {
            // The first row has none above it, so all filters predict from the left.
            if self != .none { AlphaKernels.addLeft(&rows, from: 1) }
            return
        }
        switch self {
        case .none: break
        case .horizontal:
            rows[width] &+= rows[0]
            AlphaKernels.addLeft(&rows, from: width + 1)
        case .vertical: AlphaKernels.addAbove(&rows)
        case .gradient: AlphaKernels.addGradient(&rows)
        }
    }
}
