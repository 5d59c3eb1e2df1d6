// Coefficients to samples: dequantisation and the inverse DCT, checked, a block or a row of blocks at a time.
//
// In: blocks of 64 coefficients in natural order as the entropy decoder left them. Out: samples in the planes of
// the MCU row. The arithmetic lives in `Kernels/InverseDCTKernels.swift` and `ScaledInverseDCTKernels.swift`.

import ImageCodecsCore

package enum InverseDCT {
    /// Reconstructs a run of blocks of one component that lie side by side.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values per block in natural order.
    ///   - lastIndices: Per block, the zig-zag index of the last coefficient that may differ from zero.
    ///   - table: The component's quantisation steps.
    ///   - planes: Receives the samples.
    ///   - component: Index of the component in the frame.
    ///   - blockRow: Row of blocks within the MCU row, from 0.
    ///   - firstColumn: Column of the first block.
    /// - Precondition: There are as many blocks as indices, and they fit the plane.
    package static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, table: DequantizationTable,
        into planes: inout MCURowPlanes, component: Int, blockRow: Int, firstColumn: Int = 0
    ) {
        reconstruct(
            coefficients, lastIndices: lastIndices, steps: table.values.span, into: &planes, component: component,
            blockRow: blockRow, firstColumn: firstColumn)
    }

    /// The same with the steps of a table as a span.
    static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, steps: Span<Int16>,
        into planes: inout MCURowPlanes, component: Int, blockRow: Int, firstColumn: Int = 0
    ) {
        let plane = planes.planes[component]
        let size = plane.blockSize
        precondition(blockRow >= 0 && firstColumn >= 0 && coefficients.count >= 64 * lastIndices.count)
        precondition((blockRow + 1) * size <= plane.rows && (firstColumn + lastIndices.count) * size <= plane.width)
        planes.samples.withMutableBytes { samples in
            InverseDCTKernels.reconstruct(
                coefficients, lastIndices: lastIndices, steps: steps, size: size, into: &samples,
                at: plane.offset(ofRow: blockRow * size) + firstColumn * size, stride: plane.stride)
        }
    }

    /// The zig-zag index of the last coefficient of a block that differs from zero; 0 if none does.
    package static func lastIndex(of coefficients: Span<Int16>, at offset: Int = 0) -> UInt8 {
        let last = ZigZagOrder.natural.lastIndex { coefficients[offset + Int($0)] != 0 }
        return UInt8(last ?? 0)
    }
}
