// PNG filters: scanlines of 2048 pixels undone over and over, the scanline above fixed; one, or some that go together.

import ImageCodecsCore
import PNGCodec

private let width = 2048

func filterKernels() -> [Kernel] {
    var kernels: [Kernel] = []
    for distance in [1, 2, 3, 4, 6, 8] {
        for filter in ScanlineFilter.allCases where filter != .none {
            kernels.append(oneByOne(filter, distance: distance))
        }
        let four = distance <= 4 ? 4 : 2
        for filter in [ScanlineFilter.average, .paeth] {
            kernels.append(together("\(filter)", [ScanlineFilter](repeating: filter, count: four), distance: distance))
        }
        kernels.append(together("mixed", [.paeth, .average, .up, .paeth].suffix(four), distance: distance))
    }
    return kernels
        + [ScanlineFilter.average, .paeth].map { together("\($0)", [$0, $0], distance: 3) }
        + [together("mixed", [.average, .paeth], distance: 3)]
}

/// Unpacked scanlines at odd addresses, as they are after a filter type byte, and the lines they become.
private final class Scanlines {
    let unpacked: [UInt8]
    var lines: ScratchBuffer

    init(count: Int, byteCount: Int) {
        var state: UInt32 = 1
        unpacked = (0..<count * (byteCount + 1)).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24) & 31
        }
        guard let lines = try? ScratchBuffer(byteCount: 5 * byteCount, filledWith: 0x5B, meter: nil) else {
            fatalError("no memory for scanlines")
        }
        self.lines = lines
    }
}

private func oneByOne(_ filter: ScanlineFilter, distance: Int) -> Kernel {
    let byteCount = width * distance
    let scanlines = Scanlines(count: 1, byteCount: byteCount)
    return Kernel(name: "filter/\(filter)-\(distance)", pixelCount: width) {
        scanlines.unpacked.withRawSpan(first: scanlines.unpacked.count) { unpacked in
            scanlines.lines.withMutableBytes {
                filter.undo(
                    unpacked, .unpacked(1), above: .line(0), in: &$0, to: byteCount, byteCount: byteCount,
                    distance: distance)
            }
        }
    }
}

private func together(_ name: String, _ filters: [ScanlineFilter], distance: Int) -> Kernel {
    let byteCount = width * distance
    let scanlines = Scanlines(count: filters.count, byteCount: byteCount)
    var group = FilterGroup()
    for filter in filters { group.append(filter) }
    let wave = ScanlineWave(
        filters: group, first: 1, above: .line(0), targets: SIMD4(1, 2, 3, 4) &* byteCount)
    return Kernel(name: "filter/\(name)-\(distance)x\(filters.count)", pixelCount: width * filters.count) {
        scanlines.unpacked.withRawSpan(first: scanlines.unpacked.count) { unpacked in
            scanlines.lines.withMutableBytes {
                wave.undo(unpacked, in: &$0, byteCount: byteCount, distance: distance)
            }
        }
    }
}
