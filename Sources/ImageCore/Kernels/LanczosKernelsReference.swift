// The Lanczos filter's inner loops in plain Swift, as definition of what `LanczosKernels` computes.

/// Safe twins of `LanczosKernels`, byte by byte.
package enum LanczosKernelsReference {
    /// See `LanczosKernels.filterRow`.
    package static func filterRow(
        _ row: RawSpan, filter: LanczosFilter, into output: inout MutableRawSpan, from offset: Int
    ) {
        for x in 0..<filter.outputCount {
            let start = filter.start(ofOutput: x)
            var sums = SIMD4<Int>()
            for tap in 0..<filter.tapCount {
                let weight = Int(filter.weight(ofTap: tap, output: x))
                for channel in 0..<4 { sums[channel] += weight * Int(row.byte(at: (start + tap) * 4 + channel)) }
            }
            for channel in 0..<4 { output.setByte(rounded(sums[channel]), at: offset + x * 4 + channel) }
        }
    }

    /// See `LanczosKernels.filterColumns`.
    package static func filterColumns(
        _ rows: RawSpan, weights: Span<Int16>, alpha: ScaledAlpha, into output: inout MutableRawSpan
    ) {
        let count = output.byteCount
        for i in 0..<count {
            var sum = 0
            for tap in 0..<weights.count { sum += Int(weights[tap]) * Int(rows.byte(at: tap * count + i)) }
            output.setByte(rounded(sum), at: i)
        }
        for pixel in stride(from: 0, to: count, by: 4) {
            switch alpha {
            case .channel: break
            case .opaque: output.setByte(255, at: pixel + 3)
            case .premultiplied:
                let limit = output.byte(at: pixel + 3)
                for channel in pixel..<pixel + 3 { output.setByte(min(output.byte(at: channel), limit), at: channel) }
            }
        }
    }

    /// A sum of weighted bytes as a byte: halves round up, what lies outside 0...255 becomes the nearest of the two.
    private static func rounded(_ sum: Int) -> UInt8 {
        UInt8(clamping: (sum + LanczosFilter.one / 2) >> LanczosFilter.fractionBitCount)
    }
}

#if ReferenceKernels
package typealias LanczosKernels = LanczosKernelsReference
#endif
