// The filters as the standard writes them: one byte after another, bounds-checked. Plain twin of FilterKernels and of
// the waves of FilterWaveKernels.

import ImageCodecsCore

package enum FilterKernelsReference {
    /// See ``ScanlineFilter/undo(_:_:above:in:to:byteCount:distance:)``.
    ///
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
    package static func undo(
        _ filter: ScanlineFilter, _ unpacked: RawSpan, _ scanline: ScanlinePlace, above: ScanlinePlace,
        in lines: inout MutableRawSpan, to target: Int, byteCount: Int, distance: Int
    ) {
        for index in 0..<byteCount {
            let hasLeft = index >= distance
            let a = hasLeft ? lines.byte(at: target + index - distance) : 0
            let prediction: UInt8 =
                switch filter {
                case .none: 0
                case .sub: a
                case .up: byte(above, index, unpacked, lines)
                case .average: UInt8((Int(a) + Int(byte(above, index, unpacked, lines))) / 2)
                case .paeth:
                    paethReference(
                        a, byte(above, index, unpacked, lines),
                        hasLeft ? byte(above, index - distance, unpacked, lines) : 0)
                }
            lines.setByte(byte(scanline, index, unpacked, lines) &+ prediction, at: target + index)
        }
    }

    @inline(__always)
    private static func byte(
        _ place: ScanlinePlace, _ index: Int, _ unpacked: RawSpan, _ lines: borrowing MutableRawSpan
    ) -> UInt8 {
        switch place {
        case .unpacked(let start): unpacked.byte(at: start + index)
        case .line(let start): lines.byte(at: start + index)
        }
    }
}

/// The Paeth predictor: of `a` (left), `b` (above) and `c` (above left) the one nearest to `a + b - c`.
///
/// - Source: PNG 3rd ed. §9.4 "Filter type 4: Paeth".
package func paethReference(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> UInt8 {
    let p = Int(a) + Int(b) - Int(c)
    let pa = abs(p - Int(a))
    let pb = abs(p - Int(b))
    let pc = abs(p - Int(c))
    if pa <= pb && pa <= pc { return a }
    return pb <= pc ? b : c
}

extension ScanlineWave {
    /// See ``undo(_:in:byteCount:distance:)``: the scanlines one after another.
    package func undoReference(_ unpacked: RawSpan, in lines: inout MutableRawSpan, byteCount: Int, distance: Int) {
        var above = above
        for index in 0..<filters.count {
            FilterKernelsReference.undo(
                filters[index], unpacked, .unpacked(first + index * (byteCount + 1)), above: above, in: &lines,
                to: targets[index], byteCount: byteCount, distance: distance)
            above = .line(targets[index])
        }
    }
}

#if ReferenceKernels
typealias FilterKernels = FilterKernelsReference

extension ScanlineWave {
    /// Reconstructs the scanlines.
    ///
    /// - Parameters:
    ///   - unpacked: holds them, each after its filter type byte.
    ///   - lines: gets them.
    ///   - byteCount: bytes of a scanline without its filter type byte.
    ///   - distance: bytes of a pixel: 1, 2, 3, 4, 6 or 8.
    package func undo(_ unpacked: RawSpan, in lines: inout MutableRawSpan, byteCount: Int, distance: Int) {
        undoReference(unpacked, in: &lines, byteCount: byteCount, distance: distance)
    }
}
#endif
