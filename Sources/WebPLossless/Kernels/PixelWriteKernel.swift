// Symbols into the stream: the loop that writes pixels.

#if !ReferenceKernels
package enum PixelWriteKernel {
    /// The most bytes that a pixel takes: four codes of fifteen bits.
    package static let pixelByteCount = 8

    /// Writes pixels one by one, each as green, red, blue, alpha.
    ///
    /// - Parameters:
    ///   - codes: of one group: bits below, their number from bit 24 on; green's from 0 on, the others' from `red`, `blue` and `alpha`
    ///     on, 256 each.
    ///   - output: has room for ``pixelByteCount`` bytes a pixel from `position` on, and 16 more.
    ///   - bits: at most 7, below `count`.
    package static func write(
        _ pixels: Span<UInt32>, codes: Span<UInt32>, red: Int, blue: Int, alpha: Int, to output: inout MutableRawSpan,
        position: inout Int, bits: inout UInt64, count: inout Int
    ) {
        precondition(
            min(red, blue, alpha) >= 256 && max(red, blue, alpha) + 256 <= codes.count, "codes that are missing")
        precondition(position >= 0 && count < 8 && output.byteCount - position >= pixels.count * pixelByteCount + 16)
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe codes.withUnsafeBufferPointer { codes in
                unsafe output.withUnsafeMutableBytes { output in
                    // SAFETY: a value is below 256 and each code has as many entries from its place on. Two codes and what is left of a
                    // byte have 37 bits at most, so that eight bytes take them; at most four are kept, twice for each pixel.
                    let table = codes.baseAddress!
                    let bytes = output.baseAddress!
                    var (place, held, heldCount) = (position, bits, UInt64(truncatingIfNeeded: count))
                    @inline(__always)
                    func put(_ first: UInt32, _ second: UInt32) {
                        held |= UInt64(first & 0xFF_FFFF) &<< heldCount
                        heldCount &+= UInt64(first &>> 24)
                        held |= UInt64(second & 0xFF_FFFF) &<< heldCount
                        heldCount &+= UInt64(second &>> 24)
                        unsafe bytes.storeBytes(of: held.littleEndian, toByteOffset: place, as: UInt64.self)
                        let wholeBits = heldCount & ~7
                        place &+= Int(truncatingIfNeeded: wholeBits &>> 3)
                        held &>>= wholeBits
                        heldCount &-= wholeBits
                    }
                    for index in 0..<pixels.count {
                        let pixel = unsafe pixels[index]
                        let green = unsafe table[Int(pixel &>> 8 & 255)]
                        let redCode = unsafe table[red &+ Int(pixel &>> 16 & 255)]
                        put(green, redCode)
                        let blueCode = unsafe table[blue &+ Int(pixel & 255)]
                        let alphaCode = unsafe table[alpha &+ Int(pixel &>> 24)]
                        put(blueCode, alphaCode)
                    }
                    (position, bits, count) = (place, held, Int(truncatingIfNeeded: heldCount))
                }
            }
        }
    }
}
#endif
