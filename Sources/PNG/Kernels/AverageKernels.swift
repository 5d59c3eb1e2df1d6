// Filter type 3 (Average) undone: a chain of three instructions from pixel to pixel.

#if !ReferenceKernels
/// The mean of `a` and `b`, rounded down, in each of eight words, plus `x` in the low byte of each.
@inline(__always)
private func averageSum(_ x: ScanlineBytes, _ a: ScanlineWords, _ b: ScanlineWords) -> ScanlineWords {
    let mean = (a &+ b) &>> ScanlineWords(repeating: 1)
    // A byte-wise sum wraps within the low byte of each word and leaves the high byte zero.
    let sum = unsafe unsafeBitCast(mean, to: ScanlineBytes.self) &+ x
    return unsafe unsafeBitCast(sum, to: ScanlineWords.self)
}

func averageFour(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    // SAFETY: eight bytes are read and four written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spreadScanlineBytes(from + i), a, widenedScanlineBytes(above + i))
        unsafe storeScanline32(lowBytesOfFour(a), row + i)
        i &+= 4
    }
    unsafe averageTail(from, above, row, startingAt: i, count, 4)
}

func averageThree(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    // SAFETY: eight bytes are read and three written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spreadScanlineBytes(from + i), a, widenedScanlineBytes(above + i))
        unsafe storeLowBytesOfThree(a, row + i)
        i &+= 3
    }
    unsafe averageTail(from, above, row, startingAt: i, count, 3)
}

func averageEight(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    // SAFETY: eight bytes are read and eight written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spreadScanlineBytes(from + i), a, widenedScanlineBytes(above + i))
        unsafe storeScanline64(lowBytes(a), row + i)
        i &+= 8
    }
    unsafe averageTail(from, above, row, startingAt: i, count, 8)
}

func averageSix(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    // SAFETY: eight bytes are read and six written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spreadScanlineBytes(from + i), a, widenedScanlineBytes(above + i))
        unsafe storeLowBytesOfSix(a, row + i)
        i &+= 6
    }
    unsafe averageTail(from, above, row, startingAt: i, count, 6)
}

func averageTwo(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a0 = 0
    var a1 = 0
    // SAFETY: i + 2 <= count.
    while i &+ 2 <= count {
        a0 = unsafe (Int(from[i]) &+ (a0 &+ Int(above[i])) &>> 1) & 255
        a1 = unsafe (Int(from[i &+ 1]) &+ (a1 &+ Int(above[i &+ 1])) &>> 1) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a0)
        unsafe row[i &+ 1] = UInt8(truncatingIfNeeded: a1)
        i &+= 2
    }
    unsafe averageTail(from, above, row, startingAt: i, count, 2)
}

func averageOne(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = 0
    // SAFETY: i < count.
    while i < count {
        a = unsafe (Int(from[i]) &+ (a &+ Int(above[i])) &>> 1) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a)
        i &+= 1
    }
}

private func averageTail(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>,
    startingAt start: Int,
    _ count: Int, _ distance: Int
) {
    var i = start
    // SAFETY: i < count, and i - distance is read only if it is not negative.
    while i < count {
        let a = unsafe i >= distance ? Int(row[i &- distance]) : 0
        unsafe row[i] = from[i] &+ UInt8(truncatingIfNeeded: (a &+ Int(above[i])) &>> 1)
        i &+= 1
    }
}
#endif
