// Plain twin of UpsamplingKernels: one sample at a time, and none after the last.

import ImageCodecsCore

/// See the functions of the same names in ``UpsamplingKernels``.
package enum UpsamplingKernelsReference: UpsamplingSums {
    package static func blend(
        near: RawSpan, far: RawSpan, width: Int, into sums: inout MutableRawSpan, at offset: Int
    ) {
        for word in -1...width {
            let column = min(max(word, 0), width - 1)
            let sum = 3 * UInt16(near.byte(at: column)) + UInt16(far.byte(at: column))
            sums.storeBytes(of: sum, toByteOffset: offset + 2 * (leadingWords + word), as: UInt16.self)
        }
    }

    /// The sum of a column, -1 to the left of the first and so on.
    static func sum(_ sums: RawSpan, _ column: Int, at offset: Int = 0) -> Int {
        Int(sums.nativeUInt16(at: offset + 2 * (leadingWords + column)))
    }

    package static func interpolateDown(
        near: RawSpan, far: RawSpan, bias: Int16, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        for column in 0..<width {
            let sum = 3 * Int(near.byte(at: column)) + Int(far.byte(at: column)) + Int(bias)
            row.setByte(UInt8(sum / 4), at: offset + column)
        }
    }

    /// The sample at `x`, twice as many as there are sums.
    static func interpolated(sums: RawSpan, _ x: Int, at offset: Int = 0) -> UInt8 {
        let (near, isLeft) = (3 * sum(sums, x / 2, at: offset), x % 2 == 0)
        return UInt8((near + sum(sums, x / 2 + (isLeft ? -1 : 1), at: offset) + (isLeft ? 8 : 7)) / 16)
    }

    package static func interpolateAcross(
        sums: Range<Int>, width: Int, in buffer: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<2 * width {
            let sample = interpolated(sums: buffer.bytes, x, at: sums.lowerBound)
            buffer.setByte(sample, at: offset + x)
        }
    }

    /// The sample at `x`, twice as many as there are samples; the first of those is a copy.
    static func interpolated(samples: RawSpan, _ x: Int) -> UInt8 {
        let (column, isLeft) = (x / 2, x % 2 == 0)
        let near = 3 * Int(samples.byte(at: column + 1))
        return UInt8((near + Int(samples.byte(at: isLeft ? column : column + 2)) + (isLeft ? 1 : 2)) / 4)
    }

    package static func interpolateAcross(
        samples: RawSpan, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<2 * width { row.setByte(interpolated(samples: samples, x), at: offset + x) }
    }

    package static func replicate(
        samples: RawSpan, factor: Int, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<factor * width { row.setByte(samples.byte(at: x / factor), at: offset + x) }
    }
}

#if ReferenceKernels
package typealias UpsamplingKernels = UpsamplingKernelsReference
#endif
