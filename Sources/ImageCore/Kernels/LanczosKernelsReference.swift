// The Lanczos filter's inner loops in plain Swift, as definition of what `LanczosKernels` computes.

/// Safe twins of `LanczosKernels`, byte by byte.
package enum LanczosKernelsReference {
    /// See `LanczosKernels.filterRow`.
    package static func filterRow(
        _ row: Span<UInt8>, filter: LanczosFilter, into output: inout [UInt8], from offset: Int
    ) {
        for x in 0..<filter.outputCount {
            let start = filter.start(ofOutput: x)
            for channel in 0..<4 {
                var sum = 0
                for tap in 0..<filter.tapCount {
                    sum += Int(filter.weight(ofTap: tap, output: x)) * Int(row[(start + tap) * 4 + channel])
                }
                output[offset + x * 4 + channel] = rounded(sum)
            }
        }
    }

    /// See `LanczosKernels.filterColumns`.
    package static func filterColumns(
        _ rows: [UInt8], weights: [Int16], alpha: ScaledAlpha, into output: inout [UInt8]
    ) {
        for i in 0..<output.count {
            var sum = 0
            for tap in 0..<weights.count { sum += Int(weights[tap]) * Int(rows[tap * output.count + i]) }
            output[i] = rounded(sum)
        }
        for pixel in stride(from: 0, to: output.count, by: 4) {
            switch alpha {
            case .opaque: output[pixel + 3] = 255
            case .premultiplied:
                for channel in 0..<3 { output[pixel + channel] = min(output[pixel + channel], output[pixel + 3]) }
            }
        }
    }

    /// A sum of weighted bytes as a byte: halves round up, what lies outside 0...255 becomes the nearest of the two.
    private static func rounded(_ sum: Int) -> UInt8 {
        UInt8(clamping: (sum + LanczosFilter.one / 2) >> LanczosFilter.fractionBitCount)
    }
}
