// The vectors that the filter kernels compute with, and how they get from and to scanlines.

#if !ReferenceKernels
typealias ScanlineBytes = SIMD16<UInt8>
typealias ScanlineWords = SIMD8<Int16>

// SAFETY: callers of these stay at least as many bytes before the end of the scanline as are accessed.

@inline(__always)
func loadScanlineBytes(_ pointer: UnsafePointer<UInt8>) -> ScanlineBytes {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: ScanlineBytes.self)
}

@inline(__always)
func storeScanlineBytes(_ value: ScanlineBytes, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: ScanlineBytes.self)
}

@inline(__always)
func storeScanline32(_ value: UInt32, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt32.self)
}

@inline(__always)
func storeScanline64(_ value: UInt64, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt64.self)
}

/// Eight bytes with a zero after each.
@inline(__always)
func spreadScanlineBytes(_ pointer: UnsafePointer<UInt8>) -> ScanlineBytes {
    // SAFETY: see above; eight bytes are accessed.
    let b = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<UInt8>.self)
    return ScanlineBytes(b[0], 0, b[1], 0, b[2], 0, b[3], 0, b[4], 0, b[5], 0, b[6], 0, b[7], 0)
}

/// Eight bytes, each widened to 16 bits.
@inline(__always)
func widenedScanlineBytes(_ pointer: UnsafePointer<UInt8>) -> ScanlineWords {
    unsafe unsafeBitCast(spreadScanlineBytes(pointer), to: ScanlineWords.self)
}

/// The low byte of each of the eight words.
@inline(__always)
func lowBytes(_ words: ScanlineWords) -> UInt64 {
    let bytes = unsafe unsafeBitCast(words, to: ScanlineBytes.self)
    return unsafe unsafeBitCast(bytes.evenHalf, to: UInt64.self)
}

/// The low byte of each of the first four words.
@inline(__always)
func lowBytesOfFour(_ words: ScanlineWords) -> UInt32 {
    let bytes = unsafe unsafeBitCast(words, to: ScanlineBytes.self)
    return unsafe unsafeBitCast(SIMD4<UInt8>(bytes[0], bytes[2], bytes[4], bytes[6]), to: UInt32.self)
}

/// Stores the low bytes of the first three words.
@inline(__always)
func storeLowBytesOfThree(_ words: ScanlineWords, _ pointer: UnsafeMutablePointer<UInt8>) {
    let value = unsafe unsafeBitCast(words, to: SIMD2<UInt64>.self)[0]
    let two = UInt16(truncatingIfNeeded: value | (value &>> 8))
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: two, as: UInt16.self)
    unsafe pointer[2] = UInt8(truncatingIfNeeded: value &>> 32)
}

/// Stores the low bytes of the first six words.
@inline(__always)
func storeLowBytesOfSix(_ words: ScanlineWords, _ pointer: UnsafeMutablePointer<UInt8>) {
    let value = lowBytes(words)
    unsafe storeScanline32(UInt32(truncatingIfNeeded: value), pointer)
    unsafe UnsafeMutableRawPointer(pointer + 4).storeBytes(
        of: UInt16(truncatingIfNeeded: value &>> 32), as: UInt16.self)
}

@inline(__always)
func loadScanline32(_ pointer: UnsafePointer<UInt8>) -> UInt32 {
    // SAFETY: see above.
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
}

@inline(__always)
func loadScanline64(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    // SAFETY: see above.
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self)
}
#endif
