// Chroma upsampling and colour: two lines of chroma and one of luma to a row of pixels.
//
// A pixel's chroma is 9/16 of the nearest sample, 3/16 of two others and 1/16 of the fourth. Lines are mixed first, three to
// one, into sums of words; then columns. Pixels go in pairs that share two columns: 2x - 1 and 2x.

import ImageCodecsCore

/// What sums and rows of pixels take.
package protocol UpsamplingBuffers {}

extension UpsamplingBuffers {
    /// Words of sums for pictures of a given number of pixels a row.
    package static func sumCount(width: Int) -> Int { groupCount(width: width) * 8 + 16 }

    /// Groups of sixteen pixels, the first of which begins one pixel before the row.
    fileprivate static func groupCount(width: Int) -> Int { (width + 16) / 16 }
}

#if !ReferenceKernels
/// Turns lines of samples into rows of pixels.
package enum VP8UpsamplingKernels: UpsamplingBuffers {
    /// Three times a line of chroma and once another one, with a copy of the first column in front and of the last after.
    ///
    /// - Parameters:
    ///   - near: `count` samples.
    ///   - far: as many.
    ///   - sums: `count` + 2 words or more; eight at a time are written.
    package static func mix(near: RawSpan, far: RawSpan, count: Int, into sums: inout MutableSpan<UInt16>) {
        let rounded = (count + 15) & ~15
        precondition(count > 0 && near.byteCount >= rounded && far.byteCount >= rounded)
        precondition(sums.count >= count + 2)
        let capacity = sums.count
        unsafe sums.withUnsafeMutableBufferPointer { sums in
            guard let base = sums.baseAddress else { return }
            let target = UnsafeMutableRawPointer(base)
            var x = 0
            while x < count {
                // SAFETY: sixteen samples from a multiple of sixteen below `count` on are in both lines.
                let (a, b) = unsafe (
                    near.unsafeLoadUnaligned(fromUncheckedByteOffset: x, as: Bytes16.self),
                    far.unsafeLoadUnaligned(fromUncheckedByteOffset: x, as: Bytes16.self)
                )
                let (a0, a1) = (widenLow(a), widenHigh(a))
                // SAFETY: words 1 + x on, as far as there is room, which there is for `count` of them.
                if x &+ 9 <= capacity {
                    unsafe target.storeBytes(
                        of: a0 &+ a0 &+ a0 &+ widenLow(b), toByteOffset: 2 &* x &+ 2, as: Words.self)
                }
                if x &+ 17 <= capacity {
                    unsafe target.storeBytes(
                        of: a1 &+ a1 &+ a1 &+ widenHigh(b), toByteOffset: 2 &* x &+ 18, as: Words.self)
                }
                x &+= 16
            }
            // SAFETY: there are `count` + 2 words.
            unsafe base[0] = base[1]
            unsafe base[count + 1] = base[count]
        }
    }

    /// A row of pixels, B, G, R and 255.
    ///
    /// - Parameters:
    ///   - luma: the line from one byte before its first sample on.
    ///   - u: sums of chroma columns.
    ///   - v: as `u`.
    ///   - pixels: receives the row, four bytes for each pixel; nothing else is written.
    /// - Source: RFC 6386 section 5 "Overview of the Decoding Process"; ITU-R BT.601 in fixed point of 14 bits
    package static func convert(
        luma: RawSpan, u: Span<UInt16>, v: Span<UInt16>, width: Int, into pixels: inout MutableRawSpan
    ) {
        let groups = groupCount(width: width)
        precondition(width > 0 && luma.byteCount >= 16 * groups && pixels.byteCount >= 4 * width)
        precondition(u.count >= 8 * groups + 8 && v.count >= 8 * groups + 8)
        let zero = opaqueZero(width)
        unsafe u.withUnsafeBytes { u in
            unsafe v.withUnsafeBytes { v in
                unsafe luma.withUnsafeBytes { luma in
                    unsafe pixels.withUnsafeMutableBytes { pixels in
                        guard let u = u.baseAddress, let v = v.baseAddress, let luma = luma.baseAddress,
                            let pixels = pixels.baseAddress
                        else { return }
                        // SAFETY: sixteen bytes of luma and nine words of sums for each group; the pixels of group g,
                        // 16 g - 1 to 16 g + 14, are in the row if g is 1 or more and 16 g + 15 at most the width.
                        let whole = max(1, (width &+ 1) / 16)
                        unsafe convertPart(of: 0, luma, u, v, pixels, width, zero)
                        for group in 1..<whole {
                            unsafe convertGroup(
                                luma + 16 &* group, u + 16 &* group, v + 16 &* group, pixels + (64 &* group &- 4), zero)
                        }
                        if whole < groups { unsafe convertPart(of: whole, luma, u, v, pixels, width, zero) }
                    }
                }
            }
        }
    }

    /// The first group of a row or its last, of which some pixels are outside.
    @unsafe @inline(never)
    private static func convertPart(
        of group: Int, _ luma: UnsafeRawPointer, _ u: UnsafeRawPointer, _ v: UnsafeRawPointer,
        _ pixels: UnsafeMutableRawPointer, _ width: Int, _ zero: Bytes16
    ) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { scratch in
            guard let base = scratch.baseAddress else { return }
            // SAFETY: 64 bytes of pixels, of which those inside of the row are copied to where they are there.
            unsafe convertGroup(luma + 16 &* group, u + 16 &* group, v + 16 &* group, base, zero)
            let first = 16 &* group &- 1
            let inside = max(first, 0)..<min(first &+ 16, width)
            unsafe (pixels + 4 &* inside.lowerBound).copyMemory(
                from: base + 4 &* (inside.lowerBound &- first), byteCount: 4 &* inside.count)
        }
    }

    @unsafe @inline(__always)
    private static func convertGroup(
        _ luma: UnsafeRawPointer, _ u: UnsafeRawPointer, _ v: UnsafeRawPointer, _ pixels: UnsafeMutableRawPointer,
        _ zero: Bytes16
    ) {
        // SAFETY: the caller promises sixteen bytes, and nine words.
        let both = unsafe luma.loadUnaligned(as: UnsignedWords.self)
        let (u1, u2) = unsafe mixed(u)
        let (v1, v2) = unsafe mixed(v)
        let high = UnsignedWords(repeating: 0xFF00)
        let first = color(both &<< UnsignedWords(repeating: 8), u1, v1, asWords(zero))
        let second = color(both & high, u2, v2 &+ asUnsigned(zero), asWords(zero))
        let blue = packUnsigned(first.blue, second.blue) &+ zero
        let green = packUnsigned(first.green, second.green) &- zero
        let red = packUnsigned(first.red, second.red) &+ zero
        let white = Bytes16(repeating: 255)
        let (bgFirst, bgSecond) = (asWords(interleaveLowBytes(blue, green)), asWords(interleaveHighBytes(blue, green)))
        let (raFirst, raSecond) = (asWords(interleaveLowBytes(red, white)), asWords(interleaveHighBytes(red, white)))
        let firstLow = asLongs(interleaveLowWords(bgFirst, raFirst))
        let firstHigh = asLongs(interleaveHighWords(bgFirst, raFirst))
        let secondLow = asLongs(interleaveLowWords(bgSecond, raSecond))
        let secondHigh = asLongs(interleaveHighWords(bgSecond, raSecond))
        // SAFETY: the caller promises 64 bytes.
        unsafe pixels.storeBytes(of: interleaveLow(firstLow, secondLow), as: Longs.self)
        unsafe pixels.storeBytes(of: interleaveHigh(firstLow, secondLow), toByteOffset: 16, as: Longs.self)
        unsafe pixels.storeBytes(of: interleaveLow(firstHigh, secondHigh), toByteOffset: 32, as: Longs.self)
        unsafe pixels.storeBytes(of: interleaveHigh(firstHigh, secondHigh), toByteOffset: 48, as: Longs.self)
    }

    /// Chroma of the first and of the second pixel of eight pairs, in the upper byte of each word.
    @unsafe @inline(__always)
    private static func mixed(_ sums: UnsafeRawPointer) -> (UnsignedWords, UnsignedWords) {
        // SAFETY: the caller promises nine words.
        let a = unsafe sums.loadUnaligned(as: UnsignedWords.self)
        let b = unsafe sums.loadUnaligned(fromByteOffset: 2, as: UnsignedWords.self)
        let sum = a &+ b &+ UnsignedWords(repeating: 8)
        // At most 4 * 4 * 255 + 8, of which the lowest four bits go.
        let high = UnsignedWords(repeating: 0xFF00)
        let four = UnsignedWords(repeating: 4)
        return (((sum &+ a &+ a) &<< four) & high, ((sum &+ b &+ b) &<< four) & high)
    }

    /// Eight pixels, whose samples are in the upper bytes; not clamped yet.
    ///
    /// - Parameter zero: see ``opaqueZero(_:)``; blue would be clamped as a number without sign, which takes more.
    @inline(__always)
    private static func color(
        _ luma: UnsignedWords, _ u: UnsignedWords, _ v: UnsignedWords, _ zero: Words
    ) -> (red: Words, green: Words, blue: Words) {
        let six = Words(repeating: 6)
        let y = multiplyHigh(luma, 19077)
        // 19002 + 26046 - 14234 and 19002 + 8708 are below 2^15; what goes beyond it between is put right by the next term.
        let red = asWords(y &- UnsignedWords(repeating: 14234) &+ multiplyHigh(v, 26149))
        let green = asWords(
            y &+ UnsignedWords(repeating: 8708) &- multiplyHigh(u, 6419) &- multiplyHigh(v, 13320))
        // 19002 + 32920 is below 2^16.
        let blue = subtractSaturating(y &+ multiplyHigh(u, 33050), UnsignedWords(repeating: 17685))
        return (red &>> six, green &>> six, asWords(blue &>> UnsignedWords(repeating: 6)) &+ zero)
    }
}
#endif
