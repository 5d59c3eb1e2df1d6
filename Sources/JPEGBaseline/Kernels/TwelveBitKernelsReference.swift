// The plain twin of TwelveBitKernels; interpolation is that of samples of any precision.

import ImageCodecsCore

package enum TwelveBitKernelsReference {
    /// Interpolates between samples, or sums of two of them, to twice as many; see ``ChromaUpsampling``.
    ///
    /// - Parameters:
    ///   - near: The samples of the row that counts three times as much,
    ///   - far: and as many of the other one.
    ///   - isBothWays: Whether `far` counts at all.
    ///   - pixels: Which samples of `row` are written.
    package static func interpolateAcross(
        near: RawSpan, far: RawSpan, isBothWays: Bool, pixels: Range<Int>, into row: inout MutableRawSpan
    ) {
        let count = near.byteCount / 2
        let (left, right, shift) = isBothWays ? (8, 7, 4) : (1, 2, 2)
        func sum(_ x: Int) -> Int {
            let place = 2 * min(max(x, 0), count - 1)
            return isBothWays
                ? 3 * Int(near.nativeUInt16(at: place)) + Int(far.nativeUInt16(at: place))
                : Int(near.nativeUInt16(at: place))
        }
        for x in pixels {
            let center = x >> 1
            let value = x % 2 == 0 ? sum(center - 1) + left : sum(center + 1) + right
            row.storeBytes(of: UInt16((3 * sum(center) + value) >> shift), toByteOffset: 2 * x, as: UInt16.self)
        }
    }

    package static func interpolateAcross(
        near: RawSpan, far: RawSpan, isBothWays: Bool, into row: inout MutableRawSpan
    ) {
        interpolateAcross(
            near: near, far: far, isBothWays: isBothWays, pixels: 0..<row.byteCount / 2, into: &row)
    }

    /// Makes Y'CbCr of twelve bits to R'G'B' of sixteen.
    ///
    /// - Parameters:
    ///   - pixels: Which pixels are written.
    ///   - target: Six bytes a pixel, the higher byte of each sample first.
    package static func writeColors(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, pixels: Range<Int>, into target: inout MutableRawSpan
    ) {
        let depth = SampleDepth(precision: 12)
        for x in pixels {
            let color = YCbCrConversion.rgb(
                y: Int(luma.nativeUInt16(at: 2 * x)), cb: Int(cb.nativeUInt16(at: 2 * x)) - 2048,
                cr: Int(cr.nativeUInt16(at: 2 * x)) - 2048, largest: 4095)
            for (index, sample) in [color.red, color.green, color.blue].enumerated() {
                target.storeBytes(
                    of: depth.deep(UInt16(sample)).bigEndian, toByteOffset: 6 * x + 2 * index, as: UInt16.self)
            }
        }
    }

    package static func writeColors(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, into pixels: inout MutableRawSpan
    ) {
        writeColors(luma: luma, cb: cb, cr: cr, pixels: 0..<width, into: &pixels)
    }
}

#if ReferenceKernels
package typealias TwelveBitKernels = TwelveBitKernelsReference
#endif
