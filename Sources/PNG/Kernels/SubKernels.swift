// Filter type 1 (Sub) undone.
//
// A running sum of pixels: sums within a vector first (by one pixel, then two, then four, ...), then the sum of
// everything before it. Only that last addition waits for the vector in front.

#if !ReferenceKernels
func subOne(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedByOne(sum)
        sum = sum &+ shiftedByTwo(sum)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeScanlineBytes(sum &+ carry, row + i)
        carry = carry &+ ScanlineBytes(repeating: sum[15])
        i &+= 16
    }
    unsafe subTail(from, row, startingAt: i, count, 1)
}

func subTwo(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedByTwo(sum)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeScanlineBytes(sum &+ carry, row + i)
        carry = carry &+ lastTwo(sum)
        i &+= 16
    }
    unsafe subTail(from, row, startingAt: i, count, 2)
}

func subThree(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedByThree(sum)
        sum = sum &+ shiftedBySix(sum)
        unsafe storeTwelve(sum &+ carry, row + i)
        carry = carry &+ lastOfThree(sum)
        i &+= 12
    }
    unsafe subTail(from, row, startingAt: i, count, 3)
}

func subFour(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeScanlineBytes(sum &+ carry, row + i)
        carry = carry &+ lastFour(sum)
        i &+= 16
    }
    unsafe subTail(from, row, startingAt: i, count, 4)
}

func subSix(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedBySix(sum)
        unsafe storeTwelve(sum &+ carry, row + i)
        carry = carry &+ lastOfSix(sum)
        i &+= 12
    }
    unsafe subTail(from, row, startingAt: i, count, 6)
}

func subEight(_ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = ScanlineBytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadScanlineBytes(from + i)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeScanlineBytes(sum &+ carry, row + i)
        carry = carry &+ lastEight(sum)
        i &+= 16
    }
    unsafe subTail(from, row, startingAt: i, count, 8)
}

private func subTail(
    _ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, startingAt start: Int, _ count: Int,
    _ distance: Int
) {
    var i = start
    // SAFETY: i < count, and i - distance is read only if it is not negative.
    while i < min(distance, count) {
        unsafe row[i] = from[i]
        i &+= 1
    }
    while i < count {
        unsafe row[i] = from[i] &+ row[i &- distance]
        i &+= 1
    }
}

/// Stores the first twelve bytes.
@inline(__always)
private func storeTwelve(_ value: ScanlineBytes, _ pointer: UnsafeMutablePointer<UInt8>) {
    let parts = unsafe unsafeBitCast(value, to: SIMD4<UInt32>.self)
    unsafe storeScanline64(unsafeBitCast(parts.lowHalf, to: UInt64.self), pointer)
    unsafe storeScanline32(parts[2], pointer + 8)
}

// Moves by whole bytes towards higher addresses, zeros coming in; and the last pixel of a vector in every place.

@inline(__always)
private func shiftedByOne(_ x: ScanlineBytes) -> ScanlineBytes {
    ScanlineBytes(0, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14])
}

@inline(__always)
private func shiftedByTwo(_ x: ScanlineBytes) -> ScanlineBytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(0, y[0], y[1], y[2], y[3], y[4], y[5], y[6]), to: ScanlineBytes.self)
}

@inline(__always)
private func shiftedByThree(_ x: ScanlineBytes) -> ScanlineBytes {
    ScanlineBytes(0, 0, 0, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12])
}

@inline(__always)
private func shiftedByFour(_ x: ScanlineBytes) -> ScanlineBytes {
    let y = unsafe unsafeBitCast(x, to: SIMD4<UInt32>.self)
    return unsafe unsafeBitCast(SIMD4<UInt32>(0, y[0], y[1], y[2]), to: ScanlineBytes.self)
}

@inline(__always)
private func shiftedBySix(_ x: ScanlineBytes) -> ScanlineBytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(0, 0, 0, y[0], y[1], y[2], y[3], y[4]), to: ScanlineBytes.self)
}

@inline(__always)
private func shiftedByEight(_ x: ScanlineBytes) -> ScanlineBytes {
    let y = unsafe unsafeBitCast(x, to: SIMD2<UInt64>.self)
    return unsafe unsafeBitCast(SIMD2<UInt64>(0, y[0]), to: ScanlineBytes.self)
}

@inline(__always)
private func lastTwo(_ x: ScanlineBytes) -> ScanlineBytes {
    unsafe unsafeBitCast(SIMD8<UInt16>(repeating: unsafeBitCast(x, to: SIMD8<UInt16>.self)[7]), to: ScanlineBytes.self)
}

@inline(__always)
private func lastFour(_ x: ScanlineBytes) -> ScanlineBytes {
    unsafe unsafeBitCast(SIMD4<UInt32>(repeating: unsafeBitCast(x, to: SIMD4<UInt32>.self)[3]), to: ScanlineBytes.self)
}

@inline(__always)
private func lastEight(_ x: ScanlineBytes) -> ScanlineBytes {
    unsafe unsafeBitCast(SIMD2<UInt64>(repeating: unsafeBitCast(x, to: SIMD2<UInt64>.self)[1]), to: ScanlineBytes.self)
}

/// The fourth of four pixels of three bytes, four times.
@inline(__always)
private func lastOfThree(_ x: ScanlineBytes) -> ScanlineBytes {
    let one = ScanlineBytes(x[9], x[10], x[11], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let two = one | shiftedByThree(one)
    return two | shiftedBySix(two)
}

/// The second of two pixels of six bytes, twice.
@inline(__always)
private func lastOfSix(_ x: ScanlineBytes) -> ScanlineBytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(y[3], y[4], y[5], y[3], y[4], y[5], 0, 0), to: ScanlineBytes.self)
}
#endif
