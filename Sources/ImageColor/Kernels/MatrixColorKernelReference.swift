// The plain twin of the kernel for curves and a matrix.

import ImageCodecsCore

/// See `MatrixColorKernel`.
package enum MatrixColorKernelReference {
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: MatrixColorTables) {
        for pixel in 0..<row.byteCount / pixelByteCount {
            let at = pixel * pixelByteCount
            var sum = SIMD4<Int32>.zero
            for channel in 0..<3 { sum &+= tables.contributions[256 * channel + Int(row.byte(at: at + channel))] }
            for channel in 0..<3 {
                let light = sum[channel] >> MatrixColorTables.restBitCount
                let number = tables.numbers[Int(min(1 << Int32(MatrixColorTables.lightBitCount), max(0, light)))]
                row.storeBytes(of: number, toByteOffset: at + channel, as: UInt8.self)
            }
        }
    }
}

#if ReferenceKernels
package typealias MatrixColorKernel = MatrixColorKernelReference
#endif
