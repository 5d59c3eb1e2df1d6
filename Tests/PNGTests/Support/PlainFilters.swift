// The plain twin of the filters, for scanlines in arrays.

import CodecTestSupport
import ImageCodecsCore
import PNGCodec

/// Undoes a filter on one scanline.
///
/// - Parameters:
///   - row: the filtered bytes, without the filter type byte.
///   - above: the reconstructed scanline above, as long as `row`.
///   - distance: bytes of a pixel, at least 1.
func undoFilterReference(_ filter: ScanlineFilter, _ row: [UInt8], above: [UInt8], distance: Int) -> [UInt8] {
    // If the result is a copy of `row`, the compiler of Swift 6.3 lets optimised tests write to both.
    var result = [UInt8](repeating: 0, count: row.count)
    (above + row).withRawSpan { lines in
        result.withMutableRawSpan {
            FilterKernelsReference.undo(
                filter, lines, .unpacked(above.count), above: .unpacked(0), in: &$0, to: 0, byteCount: row.count,
                distance: distance)
        }
    }
    return result
}
