// What the PNG encoder does per scanline of 2048 pixels before zlib gets it.

import ImageCodecsCore
import ImagePalettes
import PNGCodec

private let width = 2048

func encodingKernels() -> [Kernel] {
    [1, 3, 4, 8].flatMap(filterSelectionKernels(distance:))
        + [traitsKernel(), paletteSearchKernel()].compactMap(\.self)
}

/// Bytes that look random, from `seed`.
private func noise(_ count: Int, seed: UInt32) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

private func filterSelectionKernels(distance: Int) -> [Kernel] {
    let byteCount = width * distance
    let bufferByteCount = FilterSelectionKernels.bufferByteCount(byteCount)
    guard var row = try? ScratchBuffer(byteCount: bufferByteCount, meter: nil),
        var above = try? ScratchBuffer(byteCount: bufferByteCount, meter: nil),
        var target = try? ScratchBuffer(byteCount: byteCount, meter: nil)
    else { return [] }
    row.withMutableBytes { $0.copy(noise(bufferByteCount, seed: 1).span) }
    above.withMutableBytes { $0.copy(noise(bufferByteCount, seed: 2).span) }
    let (scanline, previous) = (row, above)
    let sums = Kernel(name: "encoding/bitLengthSums-\(distance)", pixelCount: width) {
        let sums = scanline.withBytes { row in
            previous.withBytes { above in
                FilterSelectionKernels.bitLengthSums(
                    row, above: above, byteCount: byteCount, distance: distance, step: 1)
            }
        }
        target.withMutableBytes { $0.storeBytes(of: sums[4], toByteOffset: 0, as: Int.self) }
    }
    let filters = [ScanlineFilter.sub, .paeth].map { filter in
        Kernel(name: "encoding/\(filter)-\(distance)", pixelCount: width) {
            target.withMutableBytes { target in
                scanline.withBytes { row in
                    previous.withBytes { above in
                        FilterSelectionKernels.apply(
                            filter, row, above: above, byteCount: byteCount, distance: distance, into: &target)
                    }
                }
            }
        }
    }
    return [sums] + filters
}

private func traitsKernel() -> Kernel? {
    let row = noise(4 * width, seed: 3)
    guard var result = try? ScratchBuffer(byteCount: 1, meter: nil) else { return nil }
    return Kernel(name: "encoding/traits", pixelCount: width) {
        let traits = row.withRawSpan(first: row.count) { PixelSurveyKernels.traits(rgba: $0, width: width) }
        result.fill(0..<1, with: traits.isGray ? 1 : 0)
    }
}

/// 64 colours in runs of four, as in a drawing.
private func paletteSearchKernel() -> Kernel? {
    let row = (0..<width).flatMap { x -> [UInt8] in [UInt8(x / 4 * 7 & 63), 0, 0, 255] }
    var colors = DistinctColors()
    guard var indices = try? ScratchBuffer(byteCount: width, meter: nil) else { return nil }
    let isPalette = row.withRawSpan(first: row.count) { row in
        indices.withMutableBytes { colors.insert(rgba: row, width: width, indices: &$0) }
    }
    guard isPalette else { return nil }
    let palette = colors
    return Kernel(name: "encoding/paletteSearch", pixelCount: width) {
        row.withRawSpan(first: row.count) { row in
            indices.withMutableBytes { palette.look(up: row, width: width, into: &$0) }
        }
    }
}
