// PNG filters: one scanline of 2048 pixels undone over and over, the scanline above fixed.

import ImageCore
import PNG

func filterKernels() -> [Kernel] {
    let width = 2048
    var kernels: [Kernel] = []
    for distance in [1, 2, 3, 4, 6, 8] {
        for filter in ScanlineFilter.allCases where filter != .none {
            let byteCount = width * distance
            // Both scanlines start at odd addresses, as they do behind a filter type byte.
            guard var lines = try? ScratchBuffer(byteCount: 2 * byteCount + 2, filledWith: 0x5B, meter: nil) else {
                continue
            }
            kernels.append(
                Kernel(name: "filter/\(filter)-\(distance)", pixelCount: width) {
                    lines.withMutableBytes {
                        filter.undo(
                            in: &$0, row: byteCount + 2, above: 1, byteCount: byteCount, distance: distance)
                    }
                })
        }
    }
    return kernels
}
