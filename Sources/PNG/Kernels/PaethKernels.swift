// Filter type 4 (Paeth) undone: a chain of nine instructions from pixel to pixel.

// Which of a, b and c is nearest to a + b - c depends on where t = 3c - a - b lies. With lo and hi the smaller
// and the larger of a and b: t <= lo says that c is far below, so hi is nearest; t >= hi says that it is far
// above, so lo is; in between it is c itself. Ties fall as the standard wants them. 3c - b comes from the line
// above, which leaves nine instructions between a pixel and the next.

#if !ReferenceKernels
/// The Paeth predictor of one sample.
@inline(__always)
private func paethPredictor(_ a: Int, _ b: Int, _ c: Int) -> Int {
    let threshold = 3 &* c &- b &- a
    let low = min(a, b)
    let high = max(a, b)
    let nearest = high <= threshold ? low : c
    return threshold <= low ? high : nearest
}

/// The predictor on eight samples of 16 bits, plus `x` in the low byte of each.
///
/// Masks come from the sign of a difference, which keeps the whole chain in vector registers.
@inline(__always)
private func paethSum(_ x: ScanlineBytes, _ a: ScanlineWords, _ b: ScanlineWords, _ c: ScanlineWords) -> ScanlineWords {
    let t = c &+ c &+ c &- b &- a
    let low = pointwiseMin(a, b)
    let high = pointwiseMax(a, b)
    let isBelowHigh = (t &- high) &>> ScanlineWords(repeating: 15)
    let nearest = low ^ ((low ^ c) & isBelowHigh)
    let isAboveLow = (low &- t) &>> ScanlineWords(repeating: 15)
    let prediction = high ^ ((high ^ nearest) & isAboveLow)
    // A byte-wise sum wraps within the low byte of each word and leaves the high byte zero.
    let sum = unsafe unsafeBitCast(prediction, to: ScanlineBytes.self) &+ x
    return unsafe unsafeBitCast(sum, to: ScanlineWords.self)
}

func paethFour(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    var c = ScanlineWords()
    // SAFETY: eight bytes are read and four written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widenedScanlineBytes(above + i)
        a = unsafe paethSum(spreadScanlineBytes(from + i), a, b, c)
        c = b
        unsafe storeScanline32(lowBytesOfFour(a), row + i)
        i &+= 4
    }
    unsafe paethTail(from, above, row, startingAt: i, count, 4)
}

func paethEight(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    var c = ScanlineWords()
    // SAFETY: eight bytes are read and eight written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widenedScanlineBytes(above + i)
        a = unsafe paethSum(spreadScanlineBytes(from + i), a, b, c)
        c = b
        unsafe storeScanline64(lowBytes(a), row + i)
        i &+= 8
    }
    unsafe paethTail(from, above, row, startingAt: i, count, 8)
}

func paethSix(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    var c = ScanlineWords()
    // SAFETY: eight bytes are read and six written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widenedScanlineBytes(above + i)
        a = unsafe paethSum(spreadScanlineBytes(from + i), a, b, c)
        c = b
        unsafe storeLowBytesOfSix(a, row + i)
        i &+= 6
    }
    unsafe paethTail(from, above, row, startingAt: i, count, 6)
}

func paethThree(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    var a = ScanlineWords()
    var c = ScanlineWords()
    // SAFETY: eight bytes are read and three written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widenedScanlineBytes(above + i)
        a = unsafe paethSum(spreadScanlineBytes(from + i), a, b, c)
        c = b
        unsafe storeLowBytesOfThree(a, row + i)
        i &+= 3
    }
    unsafe paethTail(from, above, row, startingAt: i, count, 3)
}

func paethTwo(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var (a0, a1, c0, c1) = (0, 0, 0, 0)
    var i = 0
    // SAFETY: i + 2 <= count.
    while i &+ 2 <= count {
        let b0 = unsafe Int(above[i])
        let b1 = unsafe Int(above[i &+ 1])
        a0 = unsafe (Int(from[i]) &+ paethPredictor(a0, b0, c0)) & 255
        a1 = unsafe (Int(from[i &+ 1]) &+ paethPredictor(a1, b1, c1)) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a0)
        unsafe row[i &+ 1] = UInt8(truncatingIfNeeded: a1)
        (c0, c1) = (b0, b1)
        i &+= 2
    }
    unsafe paethTail(from, above, row, startingAt: i, count, 2)
}

func paethOne(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var (a, c, i) = (0, 0, 0)
    // SAFETY: i < count.
    while i < count {
        let b = unsafe Int(above[i])
        a = unsafe (Int(from[i]) &+ paethPredictor(a, b, c)) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a)
        c = b
        i &+= 1
    }
}

private func paethTail(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>,
    startingAt start: Int,
    _ count: Int, _ distance: Int
) {
    var i = start
    // SAFETY: i < count, and i - distance is read only if it is not negative.
    while i < count {
        let a = unsafe i >= distance ? Int(row[i &- distance]) : 0
        let c = unsafe i >= distance ? Int(above[i &- distance]) : 0
        let prediction = unsafe paethPredictor(a, Int(above[i]), c)
        unsafe row[i] = from[i] &+ UInt8(truncatingIfNeeded: prediction)
        i &+= 1
    }
}
#endif
