// Chroma upsampling and colour conversion in one pass, for the two most common sampling factors.
//
// The upsampled chroma never exists as bytes: interpolation yields Cb - 128 and Cr - 128 as words, as colour conversion
// wants them. The result equals `UpsamplingByTheBook` of the tests followed by `YCbCrConversion`.

import ImageCodecsCore

#if !ReferenceKernels
extension ColorKernels {
    /// One row of 4:2:0: horizontal interpolation of vertical sums, and colour.
    ///
    /// - Parameters:
    ///   - luma: `width` samples, readable up to a multiple of 16.
    ///   - cbSums: A row of sums (`UpsamplingKernels.blend`) of `(width + 1) / 2` columns or more.
    ///   - crSums: As `cbSums`.
    ///   - pixels: Receives `width` pixels from `offset` on.
    package static func convertYCbCrH2V2(
        luma: RawSpan, cbSums: RawSpan, crSums: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        let needed = UpsamplingKernels.byteCountOfSums(width: (width + 1) / 2)
        precondition(width >= 0 && luma.byteCount >= (width + 15) & ~15)
        precondition(cbSums.byteCount >= needed && crSums.byteCount >= needed)
        let zero = opaqueZero(width)
        // SAFETY: groups start at multiples of 16 below `width`: 16 bytes of luma and words up to
        // width / 2 rounded up to a multiple of 8, plus one, are readable.
        switch order {
        case .bgrx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeBGRX(colorsH2V2(luma, cbSums, crSums, x, zero), &target, offset)
            }
        case .rgbx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGBX(colorsH2V2(luma, cbSums, crSums, x, zero), &target, offset)
            }
        case .rgb:
            writeGroups(width, bytesPerPixel: 3, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGB(colorsH2V2(luma, cbSums, crSums, x, zero), &target, offset)
            }
        }
    }

    /// One row of 4:2:2: horizontal interpolation of samples, and colour.
    ///
    /// - Parameters:
    ///   - luma: `width` samples, readable up to a multiple of 16.
    ///   - cb: The row from column -1 on: a copy of column 0, `(width + 1) / 2` samples or more and a copy of the last,
    ///     readable up to a multiple of 8 columns and two bytes more.
    ///   - cr: As `cb`.
    ///   - pixels: Receives `width` pixels from `offset` on.
    package static func convertYCbCrH2V1(
        luma: RawSpan, cb: RawSpan, cr: RawSpan, width: Int, order: PixelOrder,
        into pixels: inout MutableRawSpan, at offset: Int = 0
    ) {
        let needed = (width + 15) / 16 * 8 + 2
        precondition(width >= 0 && luma.byteCount >= (width + 15) & ~15)
        precondition(cb.byteCount >= needed && cr.byteCount >= needed)
        let zero = opaqueZero(width)
        // SAFETY: groups start at multiples of 16 below `width`: 16 bytes of luma and 10 bytes of chroma are readable.
        switch order {
        case .bgrx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeBGRX(colorsH2V1(luma, cb, cr, x, zero), &target, offset)
            }
        case .rgbx:
            writeGroups(width, bytesPerPixel: 4, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGBX(colorsH2V1(luma, cb, cr, x, zero), &target, offset)
            }
        case .rgb:
            writeGroups(width, bytesPerPixel: 3, into: &pixels, at: offset) { x, target, offset in
                unsafe storeRGB(colorsH2V1(luma, cb, cr, x, zero), &target, offset)
            }
        }
    }
}

@unsafe @inline(__always)
private func colorsH2V2(
    _ luma: RawSpan, _ cbSums: RawSpan, _ crSums: RawSpan, _ x: Int, _ zero: Bytes16
) -> Colors {
    // The level 128 is 2048 in sixteenths: subtracting it before the shift saves doing it after.
    let offset = x &+ 2 &* UpsamplingKernels.leadingWords
    // SAFETY: the callers' checks, stated there.
    let y = unsafe evenAndOdd(luma, x)
    let b = unsafe interpolatedSums(cbSums, offset, leftBias: 8 - 2048, rightBias: 7 - 2048)
    let r = unsafe interpolatedSums(crSums, offset, leftBias: 8 - 2048, rightBias: 7 - 2048)
    return convert(
        even: (y.even, b.left, r.left &+ asWords(zero)), odd: (y.odd, b.right, r.right &+ asWords(zero)), zero)
}

@unsafe @inline(__always)
private func colorsH2V1(_ luma: RawSpan, _ cb: RawSpan, _ cr: RawSpan, _ x: Int, _ zero: Bytes16) -> Colors {
    // The level 128 is 512 in quarters.
    // SAFETY: the callers' checks, stated there.
    let y = unsafe evenAndOdd(luma, x)
    let b = unsafe interpolatedSamples(cb, x &>> 1, leftBias: 1 - 512, rightBias: 2 - 512)
    let r = unsafe interpolatedSamples(cr, x &>> 1, leftBias: 1 - 512, rightBias: 2 - 512)
    return convert(
        even: (y.even, b.left, r.left &+ asWords(zero)), odd: (y.odd, b.right, r.right &+ asWords(zero)), zero)
}
#endif
