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

    /// Whether a scanline's bytes wait for those to their left in a way that no vector gets around.
    package var isChain: Bool { self == .average || self == .paeth }

    /// Reconstructs one scanline.
    ///
    /// - Parameters:
    ///   - unpacked: the unpacked bytes.
    ///   - scanline: where its filtered bytes start, after its filter type byte.
    ///   - above: where the reconstructed scanline above starts; all zero for the first of a pass.
    ///   - lines: holds reconstructed scanlines, and gets this one.
    ///   - target: where in `lines`; there may lie the filtered bytes, but not the scanline above.
    ///   - byteCount: bytes of a scanline without the filter type byte.
    ///   - distance: bytes of a pixel, at least 1: 1, 2, 3, 4, 6 or 8.
    /// - Precondition: all scanlines lie in their buffers; no two of them overlap without being the same.
    package func undo(
        _ unpacked: RawSpan, _ scanline: ScanlinePlace, above: ScanlinePlace, in lines: inout MutableRawSpan,
        to target: Int, byteCount: Int, distance: Int
    ) {
        FilterKernels.undo(
            self, unpacked, scanline, above: above, in: &lines, to: target, byteCount: byteCount, distance: distance)
    }
}
