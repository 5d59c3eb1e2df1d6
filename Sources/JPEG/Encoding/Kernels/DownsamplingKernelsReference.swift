// Downsampling, plain: the sum of a box and a bias, divided by the samples of the box.

import ImageCodecsCore

/// The plain twin of `DownsamplingKernels`.
package enum DownsamplingKernelsReference {
    /// See `DownsamplingKernels.downsample`.
    package static func downsample(
        _ rows: SIMD2<Int>, horizontal: Int, vertical: Int, count: Int, in samples: inout MutableRawSpan,
        into target: Int
    ) {
        let box = horizontal * vertical
        for x in 0..<count {
            var sum = horizontal == 2 ? box / 2 - 1 + x % 2 : box / 2
            for y in 0..<vertical {
                for step in 0..<horizontal { sum += Int(samples.byte(at: rows[y] + horizontal * x + step)) }
            }
            samples.setByte(UInt8(sum / box), at: target + x)
        }
    }
}

#if ReferenceKernels
package typealias DownsamplingKernels = DownsamplingKernelsReference
#endif
