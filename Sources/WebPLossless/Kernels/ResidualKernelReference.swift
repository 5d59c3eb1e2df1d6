// The plain twin of ResidualKernel.

/// Differences from predictions, a pixel at a time.
package enum ResidualKernelReference: ResidualModes {
    private static func difference(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, at index: Int
    ) -> UInt32 {
        let predicted = TransformReference.predict(
            UInt8(mode), l: pixels[index - 1], t: pixels[index - width], tr: pixels[index - width + 1],
            tl: pixels[index - width - 1])
        return TransformReference.difference(pixels[index], predicted)
    }

    /// See `ResidualKernel`.
    package static func addDistances(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, row: Int, columns: Range<Int>, to sums: inout SIMD4<UInt32>
    ) {
        for column in columns {
            let bits = difference(mode, pixels, width: width, at: margin + row * width + column)
            for channel in 0..<4 {
                let value = bits >> UInt32(8 * channel) & 255
                sums[channel] += min(value, 256 - value)
            }
        }
    }

    /// See `ResidualKernel`.
    package static func write(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, row: Int, columns: Range<Int>,
        to target: inout MutableSpan<UInt32>, at index: Int
    ) {
        for column in columns {
            target[index + column - columns.lowerBound] = difference(
                mode, pixels, width: width, at: margin + row * width + column)
        }
    }
}

#if ReferenceKernels
package typealias ResidualKernel = ResidualKernelReference
#endif
