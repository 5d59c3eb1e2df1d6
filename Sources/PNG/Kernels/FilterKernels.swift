// The filters at speed: sixteen bytes at a time where bytes do not depend on their left neighbours, one pixel
// in a register where they do.
//
// Sub is a prefix sum over a vector. Average and Paeth chain from pixel to pixel, so what
// counts is the latency from one pixel to the next: three instructions for Average, nine for Paeth.

private typealias Bytes = SIMD16<UInt8>
private typealias Words = SIMD8<Int16>

// MARK: - Entry points

/// Undoes filter type 1 (Sub): see ``ScanlineFilter/undo(in:row:above:byteCount:distance:)``.
func undoSub(_ lines: inout MutableRawSpan, row: Int, byteCount: Int, distance: Int) {
    checkScanline(lines.byteCount, row, byteCount)
    unsafe lines.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        // SAFETY: `row ..< row + byteCount` lies in the buffer (checked above); the kernels touch no more.
        let pointer = unsafe (base + row).assumingMemoryBound(to: UInt8.self)
        switch distance {
        case 4: unsafe subFour(pointer, byteCount)
        case 3: unsafe subThree(pointer, byteCount)
        case 2: unsafe subTwo(pointer, byteCount)
        case 6: unsafe subSix(pointer, byteCount)
        case 8: unsafe subEight(pointer, byteCount)
        default: unsafe subOne(pointer, byteCount)
        }
    }
}

/// Undoes filter type 2 (Up): see ``ScanlineFilter/undo(in:row:above:byteCount:distance:)``.
func undoUp(_ lines: inout MutableRawSpan, row: Int, above: Int, byteCount: Int) {
    checkScanline(lines.byteCount, row, byteCount)
    checkScanline(lines.byteCount, above, byteCount)
    unsafe lines.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        // SAFETY: both scanlines of `byteCount` bytes lie in the buffer (checked above).
        let current = unsafe (base + row).assumingMemoryBound(to: UInt8.self)
        let previous = unsafe UnsafePointer((base + above).assumingMemoryBound(to: UInt8.self))
        unsafe up(current, previous, byteCount)
    }
}

/// Undoes filter type 3 (Average): see ``ScanlineFilter/undo(in:row:above:byteCount:distance:)``.
func undoAverage(_ lines: inout MutableRawSpan, row: Int, above: Int, byteCount: Int, distance: Int) {
    checkScanline(lines.byteCount, row, byteCount)
    checkScanline(lines.byteCount, above, byteCount)
    unsafe lines.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        // SAFETY: both scanlines of `byteCount` bytes lie in the buffer (checked above).
        let current = unsafe (base + row).assumingMemoryBound(to: UInt8.self)
        let previous = unsafe UnsafePointer((base + above).assumingMemoryBound(to: UInt8.self))
        switch distance {
        case 4: unsafe averageFour(current, previous, byteCount)
        case 3: unsafe averageThree(current, previous, byteCount)
        case 2: unsafe averageTwo(current, previous, byteCount)
        case 6: unsafe averageSix(current, previous, byteCount)
        case 8: unsafe averageEight(current, previous, byteCount)
        default: unsafe averageOne(current, previous, byteCount)
        }
    }
}

/// Undoes filter type 4 (Paeth): see ``ScanlineFilter/undo(in:row:above:byteCount:distance:)``.
func undoPaeth(_ lines: inout MutableRawSpan, row: Int, above: Int, byteCount: Int, distance: Int) {
    checkScanline(lines.byteCount, row, byteCount)
    checkScanline(lines.byteCount, above, byteCount)
    unsafe lines.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        // SAFETY: both scanlines of `byteCount` bytes lie in the buffer (checked above).
        let current = unsafe (base + row).assumingMemoryBound(to: UInt8.self)
        let previous = unsafe UnsafePointer((base + above).assumingMemoryBound(to: UInt8.self))
        switch distance {
        case 4: unsafe paethFour(current, previous, byteCount)
        case 3: unsafe paethThree(current, previous, byteCount)
        case 8: unsafe paethEight(current, previous, byteCount)
        case 6: unsafe paethSix(current, previous, byteCount)
        case 2: unsafe paethTwo(current, previous, byteCount)
        default: unsafe paethOne(current, previous, byteCount)
        }
    }
}

@inline(__always)
private func checkScanline(_ available: Int, _ start: Int, _ byteCount: Int) {
    precondition(start >= 0 && byteCount >= 0 && byteCount <= available && start <= available - byteCount)
}

// MARK: - Loads and stores
//
// SAFETY: callers of these stay at least as many bytes before the end of the scanline as are accessed.

@inline(__always)
private func loadBytes(_ pointer: UnsafePointer<UInt8>) -> Bytes {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: Bytes.self)
}

@inline(__always)
private func storeBytes(_ value: Bytes, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: Bytes.self)
}

@inline(__always)
private func store32(_ value: UInt32, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt32.self)
}

@inline(__always)
private func store64(_ value: UInt64, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt64.self)
}

/// Eight bytes with a zero behind each.
@inline(__always)
private func spread(_ pointer: UnsafePointer<UInt8>) -> Bytes {
    // SAFETY: see above; eight bytes are accessed.
    let b = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<UInt8>.self)
    return Bytes(b[0], 0, b[1], 0, b[2], 0, b[3], 0, b[4], 0, b[5], 0, b[6], 0, b[7], 0)
}

/// Eight bytes, each widened to 16 bits.
@inline(__always)
private func widened(_ pointer: UnsafePointer<UInt8>) -> Words {
    unsafe unsafeBitCast(spread(pointer), to: Words.self)
}

/// The low byte of each of the eight words.
@inline(__always)
private func narrowed(_ words: Words) -> UInt64 {
    let bytes = unsafe unsafeBitCast(words, to: Bytes.self)
    return unsafe unsafeBitCast(bytes.evenHalf, to: UInt64.self)
}

/// The low byte of each of the first four words.
@inline(__always)
private func narrowedLow(_ words: Words) -> UInt32 {
    let bytes = unsafe unsafeBitCast(words, to: Bytes.self)
    return unsafe unsafeBitCast(SIMD4<UInt8>(bytes[0], bytes[2], bytes[4], bytes[6]), to: UInt32.self)
}

/// Stores the low bytes of the first three words.
@inline(__always)
private func storeThree(_ words: Words, _ pointer: UnsafeMutablePointer<UInt8>) {
    let value = unsafe unsafeBitCast(words, to: SIMD2<UInt64>.self)[0]
    let two = UInt16(truncatingIfNeeded: value | (value &>> 8))
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: two, as: UInt16.self)
    unsafe pointer[2] = UInt8(truncatingIfNeeded: value &>> 32)
}

/// Stores the low bytes of the first six words.
@inline(__always)
private func storeSix(_ words: Words, _ pointer: UnsafeMutablePointer<UInt8>) {
    let value = narrowed(words)
    unsafe store32(UInt32(truncatingIfNeeded: value), pointer)
    unsafe UnsafeMutableRawPointer(pointer + 4).storeBytes(
        of: UInt16(truncatingIfNeeded: value &>> 32), as: UInt16.self)
}

// MARK: - Up

private func up(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    // SAFETY: i + 16 <= count in the vector loop, i < count in the tail.
    while i &+ 16 <= count {
        unsafe storeBytes(loadBytes(row + i) &+ loadBytes(above + i), row + i)
        i &+= 16
    }
    while i < count {
        unsafe row[i] = row[i] &+ above[i]
        i &+= 1
    }
}

// MARK: - Sub
//
// A running sum of pixels: sums within a vector first (by one pixel, then two, then four, ...), then the sum of
// everything before it. Only that last addition waits for the vector in front.

private func subOne(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedByOne(sum)
        sum = sum &+ shiftedByTwo(sum)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeBytes(sum &+ carry, row + i)
        carry = carry &+ Bytes(repeating: sum[15])
        i &+= 16
    }
    unsafe subTail(row, from: i, count, 1)
}

private func subTwo(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedByTwo(sum)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeBytes(sum &+ carry, row + i)
        carry = carry &+ lastTwo(sum)
        i &+= 16
    }
    unsafe subTail(row, from: i, count, 2)
}

private func subThree(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedByThree(sum)
        sum = sum &+ shiftedBySix(sum)
        unsafe storeTwelve(sum &+ carry, row + i)
        carry = carry &+ lastOfThree(sum)
        i &+= 12
    }
    unsafe subTail(row, from: i, count, 3)
}

private func subFour(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedByFour(sum)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeBytes(sum &+ carry, row + i)
        carry = carry &+ lastFour(sum)
        i &+= 16
    }
    unsafe subTail(row, from: i, count, 4)
}

private func subSix(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedBySix(sum)
        unsafe storeTwelve(sum &+ carry, row + i)
        carry = carry &+ lastOfSix(sum)
        i &+= 12
    }
    unsafe subTail(row, from: i, count, 6)
}

private func subEight(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        var sum = unsafe loadBytes(row + i)
        sum = sum &+ shiftedByEight(sum)
        unsafe storeBytes(sum &+ carry, row + i)
        carry = carry &+ lastEight(sum)
        i &+= 16
    }
    unsafe subTail(row, from: i, count, 8)
}

private func subTail(_ row: UnsafeMutablePointer<UInt8>, from start: Int, _ count: Int, _ distance: Int) {
    var i = max(start, distance)
    // SAFETY: distance <= i < count.
    while i < count {
        unsafe row[i] = row[i] &+ row[i &- distance]
        i &+= 1
    }
}

/// Stores the first twelve bytes.
@inline(__always)
private func storeTwelve(_ value: Bytes, _ pointer: UnsafeMutablePointer<UInt8>) {
    let parts = unsafe unsafeBitCast(value, to: SIMD4<UInt32>.self)
    unsafe store64(unsafeBitCast(parts.lowHalf, to: UInt64.self), pointer)
    unsafe store32(parts[2], pointer + 8)
}

// Moves by whole bytes towards higher addresses, zeros coming in; and the last pixel of a vector in every place.

@inline(__always)
private func shiftedByOne(_ x: Bytes) -> Bytes {
    Bytes(0, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14])
}

@inline(__always)
private func shiftedByTwo(_ x: Bytes) -> Bytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(0, y[0], y[1], y[2], y[3], y[4], y[5], y[6]), to: Bytes.self)
}

@inline(__always)
private func shiftedByThree(_ x: Bytes) -> Bytes {
    Bytes(0, 0, 0, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12])
}

@inline(__always)
private func shiftedByFour(_ x: Bytes) -> Bytes {
    let y = unsafe unsafeBitCast(x, to: SIMD4<UInt32>.self)
    return unsafe unsafeBitCast(SIMD4<UInt32>(0, y[0], y[1], y[2]), to: Bytes.self)
}

@inline(__always)
private func shiftedBySix(_ x: Bytes) -> Bytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(0, 0, 0, y[0], y[1], y[2], y[3], y[4]), to: Bytes.self)
}

@inline(__always)
private func shiftedByEight(_ x: Bytes) -> Bytes {
    let y = unsafe unsafeBitCast(x, to: SIMD2<UInt64>.self)
    return unsafe unsafeBitCast(SIMD2<UInt64>(0, y[0]), to: Bytes.self)
}

@inline(__always)
private func lastTwo(_ x: Bytes) -> Bytes {
    unsafe unsafeBitCast(SIMD8<UInt16>(repeating: unsafeBitCast(x, to: SIMD8<UInt16>.self)[7]), to: Bytes.self)
}

@inline(__always)
private func lastFour(_ x: Bytes) -> Bytes {
    unsafe unsafeBitCast(SIMD4<UInt32>(repeating: unsafeBitCast(x, to: SIMD4<UInt32>.self)[3]), to: Bytes.self)
}

@inline(__always)
private func lastEight(_ x: Bytes) -> Bytes {
    unsafe unsafeBitCast(SIMD2<UInt64>(repeating: unsafeBitCast(x, to: SIMD2<UInt64>.self)[1]), to: Bytes.self)
}

/// The fourth of four pixels of three bytes, four times.
@inline(__always)
private func lastOfThree(_ x: Bytes) -> Bytes {
    let one = Bytes(x[9], x[10], x[11], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let two = one | shiftedByThree(one)
    return two | shiftedBySix(two)
}

/// The second of two pixels of six bytes, twice.
@inline(__always)
private func lastOfSix(_ x: Bytes) -> Bytes {
    let y = unsafe unsafeBitCast(x, to: SIMD8<UInt16>.self)
    return unsafe unsafeBitCast(SIMD8<UInt16>(y[3], y[4], y[5], y[3], y[4], y[5], 0, 0), to: Bytes.self)
}

// MARK: - Average

/// The mean of `a` and `b`, rounded down, in each of eight words, plus `x` in the low byte of each.
@inline(__always)
private func averageSum(_ x: Bytes, _ a: Words, _ b: Words) -> Words {
    let mean = (a &+ b) &>> Words(repeating: 1)
    // A byte-wise sum wraps within the low byte of each word and leaves the high byte zero.
    let sum = unsafe unsafeBitCast(mean, to: Bytes.self) &+ x
    return unsafe unsafeBitCast(sum, to: Words.self)
}

private func averageFour(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    // SAFETY: eight bytes are read and four written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spread(row + i), a, widened(above + i))
        unsafe store32(narrowedLow(a), row + i)
        i &+= 4
    }
    unsafe averageTail(row, above, from: i, count, 4)
}

private func averageThree(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    // SAFETY: eight bytes are read and three written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spread(row + i), a, widened(above + i))
        unsafe storeThree(a, row + i)
        i &+= 3
    }
    unsafe averageTail(row, above, from: i, count, 3)
}

private func averageEight(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    // SAFETY: eight bytes are read and eight written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spread(row + i), a, widened(above + i))
        unsafe store64(narrowed(a), row + i)
        i &+= 8
    }
    unsafe averageTail(row, above, from: i, count, 8)
}

private func averageSix(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    // SAFETY: eight bytes are read and six written, i + 8 <= count.
    while i &+ 8 <= count {
        a = unsafe averageSum(spread(row + i), a, widened(above + i))
        unsafe storeSix(a, row + i)
        i &+= 6
    }
    unsafe averageTail(row, above, from: i, count, 6)
}

private func averageTwo(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a0 = 0
    var a1 = 0
    // SAFETY: i + 2 <= count.
    while i &+ 2 <= count {
        a0 = unsafe (Int(row[i]) &+ (a0 &+ Int(above[i])) &>> 1) & 255
        a1 = unsafe (Int(row[i &+ 1]) &+ (a1 &+ Int(above[i &+ 1])) &>> 1) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a0)
        unsafe row[i &+ 1] = UInt8(truncatingIfNeeded: a1)
        i &+= 2
    }
    unsafe averageTail(row, above, from: i, count, 2)
}

private func averageOne(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = 0
    // SAFETY: i < count.
    while i < count {
        a = unsafe (Int(row[i]) &+ (a &+ Int(above[i])) &>> 1) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a)
        i &+= 1
    }
}

private func averageTail(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, from start: Int, _ count: Int,
    _ distance: Int
) {
    var i = start
    // SAFETY: i < count, and i - distance is read only where it is not negative.
    while i < count {
        let a = unsafe i >= distance ? Int(row[i &- distance]) : 0
        unsafe row[i] = row[i] &+ UInt8(truncatingIfNeeded: (a &+ Int(above[i])) &>> 1)
        i &+= 1
    }
}

// MARK: - Paeth

// Which of a, b and c is nearest to a + b - c depends on where t = 3c - a - b lies. With lo and hi the smaller
// and the larger of a and b: t <= lo says that c is far below, so hi is nearest; t >= hi says that it is far
// above, so lo is; in between it is c itself. Ties fall as the standard wants them. 3c - b comes from the line
// above, which leaves nine instructions between a pixel and the next.

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
private func paethSum(_ x: Bytes, _ a: Words, _ b: Words, _ c: Words) -> Words {
    let t = c &+ c &+ c &- b &- a
    let low = pointwiseMin(a, b)
    let high = pointwiseMax(a, b)
    let isBelowHigh = (t &- high) &>> Words(repeating: 15)
    let nearest = low ^ ((low ^ c) & isBelowHigh)
    let isAboveLow = (low &- t) &>> Words(repeating: 15)
    let prediction = high ^ ((high ^ nearest) & isAboveLow)
    // A byte-wise sum wraps within the low byte of each word and leaves the high byte zero.
    let sum = unsafe unsafeBitCast(prediction, to: Bytes.self) &+ x
    return unsafe unsafeBitCast(sum, to: Words.self)
}

private func paethFour(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    var c = Words()
    // SAFETY: eight bytes are read and four written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widened(above + i)
        a = unsafe paethSum(spread(row + i), a, b, c)
        c = b
        unsafe store32(narrowedLow(a), row + i)
        i &+= 4
    }
    unsafe paethTail(row, above, from: i, count, 4)
}

private func paethEight(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    var c = Words()
    // SAFETY: eight bytes are read and eight written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widened(above + i)
        a = unsafe paethSum(spread(row + i), a, b, c)
        c = b
        unsafe store64(narrowed(a), row + i)
        i &+= 8
    }
    unsafe paethTail(row, above, from: i, count, 8)
}

private func paethSix(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    var c = Words()
    // SAFETY: eight bytes are read and six written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widened(above + i)
        a = unsafe paethSum(spread(row + i), a, b, c)
        c = b
        unsafe storeSix(a, row + i)
        i &+= 6
    }
    unsafe paethTail(row, above, from: i, count, 6)
}

private func paethThree(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    var c = Words()
    // SAFETY: eight bytes are read and three written, i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widened(above + i)
        a = unsafe paethSum(spread(row + i), a, b, c)
        c = b
        unsafe storeThree(a, row + i)
        i &+= 3
    }
    unsafe paethTail(row, above, from: i, count, 3)
}

private func paethTwo(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var (a0, a1, c0, c1) = (0, 0, 0, 0)
    var i = 0
    // SAFETY: i + 2 <= count.
    while i &+ 2 <= count {
        let b0 = unsafe Int(above[i])
        let b1 = unsafe Int(above[i &+ 1])
        a0 = unsafe (Int(row[i]) &+ paethPredictor(a0, b0, c0)) & 255
        a1 = unsafe (Int(row[i &+ 1]) &+ paethPredictor(a1, b1, c1)) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a0)
        unsafe row[i &+ 1] = UInt8(truncatingIfNeeded: a1)
        (c0, c1) = (b0, b1)
        i &+= 2
    }
    unsafe paethTail(row, above, from: i, count, 2)
}

private func paethOne(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var (a, c, i) = (0, 0, 0)
    // SAFETY: i < count.
    while i < count {
        let b = unsafe Int(above[i])
        a = unsafe (Int(row[i]) &+ paethPredictor(a, b, c)) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a)
        c = b
        i &+= 1
    }
}

private func paethTail(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, from start: Int, _ count: Int,
    _ distance: Int
) {
    var i = start
    // SAFETY: i < count, and i - distance is read only where it is not negative.
    while i < count {
        let a = unsafe i >= distance ? Int(row[i &- distance]) : 0
        let c = unsafe i >= distance ? Int(above[i &- distance]) : 0
        let prediction = unsafe paethPredictor(a, Int(above[i]), c)
        unsafe row[i] = row[i] &+ UInt8(truncatingIfNeeded: prediction)
        i &+= 1
    }
}
