// Undoes the five filters that make scanlines compress well.

/// A filter type: what was subtracted from each byte of a scanline.
///
/// Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
package enum ScanlineFilter: UInt8, CaseIterable, Sendable {
    /// Nothing.
    case none
    /// The byte one pixel to the left.
    case sub
    /// The byte above.
    case up
    /// The mean of those two, rounded down.
    case average
    /// Whichever of left, above and above left is nearest to left + above - above left.
    case paeth

    /// Reconstructs one scanline in place.
    ///
    /// - Parameters:
    ///   - lines: holds both scanlines.
    ///   - row: where the filtered bytes of this scanline start, behind its filter type byte.
    ///   - above: where the reconstructed scanline above starts; all zero for the first of a pass.
    ///   - byteCount: bytes of a scanline without the filter type byte.
    ///   - distance: bytes of a pixel, at least 1: 1, 2, 3, 4, 6 or 8.
    /// - Precondition: both scanlines lie in `lines` and do not overlap.
    @inline(__always)
    package func undo(
        in lines: inout MutableRawSpan, row: Int, above: Int, byteCount: Int, distance: Int
    ) {
        switch self {
        case .none: break
        case .sub: undoSub(&lines, row: row, byteCount: byteCount, distance: distance)
        case .up: undoUp(&lines, row: row, above: above, byteCount: byteCount)
        case .average: undoAverage(&lines, row: row, above: above, byteCount: byteCount, distance: distance)
        case .paeth: undoPaeth(&lines, row: row, above: above, byteCount: byteCount, distance: distance)
        }
    }
}
