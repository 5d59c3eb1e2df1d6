// The plain twin of the filters, for scanlines in arrays.

import CodecTestSupport
import ImageCore
import PNG

/// Undoes a filter on one scanline.
///
/// - Parameters:
///   - row: the filtered bytes, without the filter type byte.
///   - above: the reconstructed scanline above, as long as `row`.
///   - distance: bytes of a pixel, at least 1.
func undoFilterReference(_ filter: ScanlineFilter, _ row: [UInt8], above: [UInt8], distance: Int) -> [UInt8] {
    var result = row
    above.withRawSpan { above in
        result.withMutableRawSpan {
            FilterKernelsReference.undo(
                filter, above, .line(0), above: .unpacked(0), in: &$0, to: 0, byteCount: row.count, distance: distance)
        }
    }
    return result
}
