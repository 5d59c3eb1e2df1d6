// Plain twins of the kernels that undo transforms: rows, one pixel after another, every access checked.

import ImageCodecsCore

package enum PredictorKernelReference: PredictorRows {
    /// See ``PredictorKernel/undo(_:from:_:width:firstRow:rowCount:modes:sizeBits:)``.
    package static func undo(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, width: Int, firstRow: Int,
        rowCount: Int, modes: Span<UInt8>, sizeBits: Int
    ) {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        for y in 0..<rowCount {
            for x in 0..<width {
                // The first row of the target is that above.
                let place = (y + 1) * width + x
                let prediction: UInt32
                switch (x, firstRow + y) {
                case (0, 0): prediction = 0xFF00_0000
                case (_, 0): prediction = target[place - 1]
                case (0, _): prediction = target[place - width]
                default:
                    prediction = TransformReference.predict(
                        modes[((firstRow + y) >> sizeBits) * blocksPerRow + x >> sizeBits], l: target[place - 1],
                        t: target[place - width], tr: target[place - width + 1], tl: target[place - width - 1])
                }
                target[place] = TransformReference.sum(source[first + y * width + x], prediction)
            }
        }
    }
}

package enum ColorKernelReference: ColorRows {
    /// See ``ColorKernel/undo(_:from:_:at:width:firstRow:rowCount:factors:sizeBits:)``.
    package static func undo(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, at start: Int, width: Int,
        firstRow: Int, rowCount: Int, factors: Span<UInt32>, sizeBits: Int
    ) {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        for y in 0..<rowCount {
            for x in 0..<width {
                let block = ((firstRow + y) >> sizeBits) * blocksPerRow + x >> sizeBits
                target[start + y * width + x] = TransformReference.color(source[first + y * width + x], factors[block])
            }
        }
    }

    /// See ``ColorKernel/addGreen(_:from:_:at:count:)``.
    package static func addGreen(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, at start: Int, count: Int
    ) {
        for x in 0..<count { target[start + x] = TransformReference.greenAdded(source[first + x]) }
    }

    /// See ``ColorKernel/extractGreen(_:_:)``.
    package static func extractGreen(_ source: RawSpan, _ target: inout MutableSpan<UInt8>) {
        for x in 0..<target.count { target[x] = source.byte(at: 4 * x + 1) }
    }
}

package enum IndexingKernelReference: IndexingTable {
    /// See ``IndexingKernel/undo(_:from:byteStride:_:at:width:rowCount:table:bundleBits:)``.
    package static func undo(
        _ source: RawSpan, from first: Int, byteStride: Int, _ target: inout MutableSpan<UInt32>, at start: Int,
        width: Int, rowCount: Int, table: Span<UInt32>, bundleBits: Int
    ) {
        let byteCount = (width + (1 << bundleBits) - 1) >> bundleBits
        for y in 0..<rowCount {
            for x in 0..<width {
                let byte = Int(source.byte(at: first + (y * byteCount + x >> bundleBits) * byteStride))
                target[start + y * width + x] = table[byte << bundleBits | x & (1 << bundleBits - 1)]
            }
        }
    }
}

#if ReferenceKernels
package typealias PredictorKernel = PredictorKernelReference
package typealias ColorKernel = ColorKernelReference
package typealias IndexingKernel = IndexingKernelReference
#endif
