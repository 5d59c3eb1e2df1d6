// The plain twin of the kernel for curves and a matrix.

import ImageCodecsCore

/// See `MatrixColorKernel`.
package enum MatrixColorKernelReference {
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: MatrixColorTables) {
        for pixel in 0..<row.byteCount / pixelByteCount {
            let at = pixel * pixelByteCount
            var sum: Int64 = 0
            for channel in 0..<3 { sum &+= tables.contributions[256 * channel + Int(row.byte(at: at + channel))] }
            for channel in 0..<3 {
                let light =
                    sum >> (channel * MatrixColorTables.channelBitCount) & (1 << MatrixColorTables.channelBitCount - 1)
                row.setByte(tables.numbers[Int(light) >> MatrixColorTables.restBitCount], at: at + channel)
            }
        }
    }
}

#if ReferenceKernels
package typealias MatrixColorKernel = MatrixColorKernelReference
#endif
