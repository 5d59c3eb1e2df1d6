// What all pixels of a row have in common: one pass without branches that the compiler turns into vectors.

import ImageCodecsCore

/// What is true of every pixel looked at.
package struct PixelTraits: Hashable, Sendable {
    /// Alpha is at its maximum.
    package var isOpaque = true
    /// Red, green and blue are equal.
    package var isGray = true
    /// Every sample of sixteen bits is a byte repeated, so that eight bits say the same.
    package var fitsEightBits = true

    package init(isOpaque: Bool = true, isGray: Bool = true, fitsEightBits: Bool = true) {
        self.isOpaque = isOpaque
        self.isGray = isGray
        self.fitsEightBits = fitsEightBits
    }

    /// What is true of the pixels of both.
    package mutating func formIntersection(_ other: PixelTraits) {
        isOpaque = isOpaque && other.isOpaque
        isGray = isGray && other.isGray
        fitsEightBits = fitsEightBits && other.fitsEightBits
    }
}

#if !ReferenceKernels
package enum PixelSurveyKernels {
    /// Traits of a row of straight RGBA, eight bits a sample.
    ///
    /// - Precondition: `row` holds `width` pixels, as for every function here.
    package static func traits(rgba row: RawSpan, width: Int) -> PixelTraits {
        precondition(width >= 0 && row.byteCount / 4 >= width, "the row is shorter than its width")
        var common = UInt32.max
        var difference: UInt32 = 0
        unsafe row.withUnsafeBytes { row in
            // SAFETY: x < width, and the row holds `width` pixels of four bytes.
            for x in 0..<width {
                let pixel = unsafe row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                common &= pixel
                difference |= (pixel ^ (pixel &>> 8)) & 0xFFFF
            }
        }
        return PixelTraits(isOpaque: common >> 24 == 0xFF, isGray: difference == 0)
    }

    /// Traits of a row of straight RGBA, sixteen bits a sample in native byte order.
    package static func traits(rgba16 row: RawSpan, width: Int) -> PixelTraits {
        precondition(width >= 0 && row.byteCount / 8 >= width, "the row is shorter than its width")
        var common = UInt64.max
        var colorDifference: UInt64 = 0
        var byteDifference: UInt64 = 0
        unsafe row.withUnsafeBytes { row in
            // SAFETY: x < width, and the row holds `width` pixels of eight bytes.
            for x in 0..<width {
                let pixel = unsafe row.loadUnaligned(fromByteOffset: 8 &* x, as: UInt64.self)
                common &= pixel
                colorDifference |= (pixel ^ (pixel &>> 16)) & 0xFFFF_FFFF
                byteDifference |= (pixel ^ (pixel &>> 8)) & 0x00FF_00FF_00FF_00FF
            }
        }
        return PixelTraits(
            isOpaque: common >> 48 == 0xFFFF, isGray: colorDifference == 0, fitsEightBits: byteDifference == 0)
    }

    /// Traits of a row of gray samples of sixteen bits in native byte order.
    package static func traits(gray16 row: RawSpan, width: Int) -> PixelTraits {
        precondition(width >= 0 && row.byteCount / 2 >= width, "the row is shorter than its width")
        var difference: UInt16 = 0
        unsafe row.withUnsafeBytes { row in
            // SAFETY: x < width, and the row holds `width` samples of two bytes.
            for x in 0..<width {
                let sample = unsafe row.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self)
                difference |= (sample ^ (sample &>> 8)) & 0xFF
            }
        }
        return PixelTraits(fitsEightBits: difference == 0)
    }
}
#endif
