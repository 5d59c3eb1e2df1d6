// JPEG reconstruction (JPEGBaseline): the inverse DCTs on a row of blocks, upsampling and colour on rows of pixels.
// Figures of the inverse DCT count coefficients: 2 Gpx/s are 32 ns a block.

import ImageCodecsCore
import JPEGBaselineCodec

private let width = 2048
private let blockCount = 256

func jpegKernels() -> [Kernel] {
    let scales: [(name: String, scale: DCTScale)] = [
        ("8x8", .full), ("4x4", .half), ("2x2", .quarter), ("1x1", .eighth),
    ]
    let blocks: [(name: String, lastIndex: UInt8)] = [("full", 63), ("corner", 9), ("dc", 0)]
    var kernels: [Kernel] = []
    for (name, scale) in scales {
        for (kind, lastIndex) in blocks where scale == .full || lastIndex == 63 {
            kernels += inverseDCT("\(name)-\(kind)", scale, lastIndex).map { [$0] } ?? []
        }
    }
    let samplings: [(name: String, factors: [(Int, Int)])] = [
        ("444", [(1, 1), (1, 1), (1, 1)]), ("422", [(2, 1), (1, 1), (1, 1)]), ("420", [(2, 2), (1, 1), (1, 1)]),
        ("440", [(1, 2), (1, 1), (1, 1)]), ("411", [(4, 1), (1, 1), (1, 1)]),
    ]
    for (name, factors) in samplings {
        for format in [PixelFormat.bgrx, .rgb] {
            kernels += rows("\(name)>\(format)", factors, format).map { [$0] } ?? []
        }
    }
    return kernels
}

/// Values a kernel works on; a class, so that results outlive the call.
private final class Workspace<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

private func geometry(_ factors: [(Int, Int)], height: Int, scale: DCTScale) -> FrameGeometry? {
    FrameGeometry(
        size: PixelSize(width: width, height: height),
        components: factors.enumerated().map {
            .init(
                identifier: UInt8($0.offset), horizontalSampling: $0.element.0, verticalSampling: $0.element.1,
                quantizationTable: 0)
        }, scale: scale)
}

private func inverseDCT(_ name: String, _ scale: DCTScale, _ lastIndex: UInt8) -> Kernel? {
    guard let geometry = geometry([(1, 1)], height: 8, scale: scale),
        let planes = try? MCURowPlanes(geometry, meter: nil)
    else { return nil }
    let workspace = Workspace(planes)
    let coefficients = (0..<64 * blockCount).map { index -> Int16 in
        let (row, column) = (index % 64 / 8, index % 8)
        guard lastIndex == 63 || row + column <= (lastIndex == 0 ? 0 : 3) else { return 0 }
        return Int16(truncatingIfNeeded: index &* 31 % 17) - 8
    }
    let lastIndices = [UInt8](repeating: lastIndex, count: blockCount)
    let table = DequantizationTable(naturalOrder: (0..<64).map { 3 + $0 })
    return Kernel(name: "jpeg/idct-\(name)", pixelCount: 64 * blockCount) {
        InverseDCT.reconstruct(
            coefficients.span, lastIndices: lastIndices.span, table: table, into: &workspace.value, component: 0,
            blockRow: 0)
    }
}

private func rows(_ name: String, _ factors: [(Int, Int)], _ format: PixelFormat) -> Kernel? {
    let maximumV = factors.map(\.1).max() ?? 1
    guard let geometry = geometry(factors, height: 8 * maximumV * 3, scale: .full),
        let emitter = try? RowEmitter(geometry: geometry, colorModel: .yCbCr, format: format, meter: nil),
        let bitmap = try? Bitmap(uninitialized: geometry.outputSize, format: format, meter: nil)
    else { return nil }
    let emitters = Workspace(emitter)
    let bitmaps = Workspace(bitmap)
    fillWithNoise(&emitters.value.planes.samples)
    emitters.value.finishMCURow()
    let finished = emitter.rows(finishedBy: 1)
    return Kernel(name: "jpeg/\(name)", pixelCount: width * finished.count) {
        let bytesPerRow = bitmaps.value.bytesPerRow
        bitmaps.value.withMutableRows(finished) {
            emitters.value.writeRows(finished, into: &$0, bytesPerRow: bytesPerRow)
        }
    }
}

private func fillWithNoise(_ buffer: inout ScratchBuffer) {
    var state: UInt32 = 1
    buffer.withMutableBytes { bytes in
        for offset in 0..<bytes.byteCount {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: state >> 24), toByteOffset: offset, as: UInt8.self)
        }
    }
}
