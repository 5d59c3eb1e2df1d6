// The filters at speed: sixteen bytes at a time where bytes do not depend on their left neighbours, one pixel
// in a register where they do.
//
// Measured shapes: Sub with four-byte pixels is a prefix sum over a vector; Average and Paeth chain from pixel
// to pixel. Paeth with three-byte pixels is faster as three interleaved scalar chains than as a vector.

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
        default: unsafe subAny(pointer, byteCount, distance)
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
        case 1: unsafe averageOne(current, previous, byteCount)
        default: unsafe averageTail(current, previous, from: 0, byteCount, distance)
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
private func load32(_ pointer: UnsafePointer<UInt8>) -> UInt32 {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
}

@inline(__always)
private func load64(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self)
}

@inline(__always)
private func store32(_ value: UInt32, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt32.self)
}

@inline(__always)
private func store64(_ value: UInt64, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt64.self)
}

/// Stores the low three bytes.
@inline(__always)
private func store24(_ value: UInt32, _ pointer: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
    unsafe pointer[2] = UInt8(truncatingIfNeeded: value &>> 16)
}

@inline(__always)
private func vector(_ pixel: UInt32) -> Bytes {
    unsafe unsafeBitCast(SIMD4<UInt32>(pixel, 0, 0, 0), to: Bytes.self)
}

@inline(__always)
private func pixel(_ bytes: Bytes) -> UInt32 {
    unsafe unsafeBitCast(bytes, to: SIMD4<UInt32>.self)[0]
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

/// Four-byte pixels: a running sum over four pixels in two vector additions, plus the carried last pixel.
private func subFour(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var carry = Bytes()
    // SAFETY: i + 16 <= count.
    while i &+ 16 <= count {
        let x = unsafe loadBytes(row + i)
        let one = unsafe unsafeBitCast(x, to: SIMD4<UInt32>.self)
        let y = unsafe x &+ unsafeBitCast(SIMD4<UInt32>(0, one[0], one[1], one[2]), to: Bytes.self)
        let two = unsafe unsafeBitCast(y, to: SIMD4<UInt32>.self)
        let sum = unsafe y &+ unsafeBitCast(SIMD4<UInt32>(0, 0, two[0], two[1]), to: Bytes.self) &+ carry
        unsafe storeBytes(sum, row + i)
        let last = unsafe unsafeBitCast(sum, to: SIMD4<UInt32>.self)[3]
        carry = unsafe unsafeBitCast(SIMD4<UInt32>(repeating: last), to: Bytes.self)
        i &+= 16
    }
    unsafe subTail(row, from: i, count, 4)
}

private func subThree(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Bytes()
    // SAFETY: four bytes are read and three written, i + 4 <= count.
    while i &+ 4 <= count {
        a = unsafe vector(load32(row + i)) &+ a
        unsafe store24(pixel(a), row + i)
        i &+= 3
    }
    unsafe subTail(row, from: i, count, 3)
}

private func subAny(_ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ distance: Int) {
    unsafe subTail(row, from: 0, count, distance)
}

private func subTail(_ row: UnsafeMutablePointer<UInt8>, from start: Int, _ count: Int, _ distance: Int) {
    var i = max(start, distance)
    // SAFETY: distance <= i < count.
    while i < count {
        unsafe row[i] = row[i] &+ row[i &- distance]
        i &+= 1
    }
}

// MARK: - Average

/// `(a + b) / 2` rounded down, per byte: `pavgb`, which rounds up, minus the lost bit.
@inline(__always)
private func floorAverage(_ a: Bytes, _ b: Bytes) -> Bytes {
    let difference = a ^ b
    let rounded = (a | b) &- (difference &>> Bytes(repeating: 1))
    return rounded &- (difference & Bytes(repeating: 1))
}

private func averageFour(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Bytes()
    // SAFETY: i + 4 <= count.
    while i &+ 4 <= count {
        a = unsafe vector(load32(row + i)) &+ floorAverage(a, vector(load32(above + i)))
        unsafe store32(pixel(a), row + i)
        i &+= 4
    }
    unsafe averageTail(row, above, from: i, count, 4)
}

private func averageThree(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Bytes()
    // SAFETY: four bytes are read and three written, i + 4 <= count.
    while i &+ 4 <= count {
        a = unsafe vector(load32(row + i)) &+ floorAverage(a, vector(load32(above + i)))
        unsafe store24(pixel(a), row + i)
        i &+= 3
    }
    unsafe averageTail(row, above, from: i, count, 3)
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

/// The Paeth predictor without branches.
///
/// With `p = b - c` and `q = a - c`, the distances of `a + b - c` are |p| to a, |q| to b and |p + q| to c.
@inline(__always)
private func paethPredictor(_ a: Int, _ b: Int, _ c: Int) -> Int {
    let p = b &- c
    let q = a &- c
    let pa = abs(p)
    let pb = abs(q)
    let pc = abs(p &+ q)
    let other = pb > pc ? c : b
    let nearest = pb > pc ? pc : pb
    return pa > nearest ? other : a
}

@inline(__always)
private func magnitude(_ value: Words) -> Words {
    let sign = value &>> Words(repeating: 15)
    return (value ^ sign) &- sign
}

@inline(__always)
private func mask(_ comparison: SIMDMask<Words>) -> Words {
    unsafe unsafeBitCast(comparison, to: Words.self)
}

/// The predictor on eight samples of 16 bits.
@inline(__always)
private func paethPredictor(_ a: Words, _ b: Words, _ c: Words) -> Words {
    let p = b &- c
    let q = a &- c
    let pa = magnitude(p)
    let pb = magnitude(q)
    let pc = magnitude(p &+ q)
    let useC = mask(pb .> pc)
    let other = b ^ ((b ^ c) & useC)
    let nearest = pb &- ((pb &- pc) & useC)
    return a ^ ((a ^ other) & mask(pa .> nearest))
}

/// The low eight bytes, each widened to 16 bits.
@inline(__always)
private func widened(_ bytes: Bytes) -> Words {
    var result = Bytes()
    result.evenHalf = bytes.lowHalf
    result.oddHalf = SIMD8<UInt8>()
    return unsafe unsafeBitCast(result, to: Words.self)
}

/// The low byte of each of the eight words.
@inline(__always)
private func narrowed(_ words: Words) -> UInt64 {
    let bytes = unsafe unsafeBitCast(words, to: Bytes.self)
    return unsafe unsafeBitCast(bytes.evenHalf, to: UInt64.self)
}

@inline(__always)
private func narrowedLow(_ words: Words) -> UInt32 {
    let bytes = unsafe unsafeBitCast(words, to: Bytes.self)
    return unsafe unsafeBitCast(SIMD4<UInt8>(bytes[0], bytes[2], bytes[4], bytes[6]), to: UInt32.self)
}

@inline(__always)
private func vector64(_ value: UInt64) -> Bytes {
    unsafe unsafeBitCast(SIMD2<UInt64>(value, 0), to: Bytes.self)
}

private func paethFour(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    var a = Words()
    var c = Words()
    // SAFETY: i + 4 <= count.
    while i &+ 4 <= count {
        let b = unsafe widened(vector(load32(above + i)))
        let x = unsafe widened(vector(load32(row + i)))
        a = (x &+ paethPredictor(a, b, c)) & Words(repeating: 255)
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
    // SAFETY: i + 8 <= count.
    while i &+ 8 <= count {
        let b = unsafe widened(vector64(load64(above + i)))
        let x = unsafe widened(vector64(load64(row + i)))
        a = (x &+ paethPredictor(a, b, c)) & Words(repeating: 255)
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
        let b = unsafe widened(vector64(load64(above + i)))
        let x = unsafe widened(vector64(load64(row + i)))
        a = (x &+ paethPredictor(a, b, c)) & Words(repeating: 255)
        c = b
        let value = narrowed(a)
        unsafe store32(UInt32(truncatingIfNeeded: value), row + i)
        unsafe UnsafeMutableRawPointer(row + (i &+ 4)).storeBytes(
            of: UInt16(truncatingIfNeeded: value &>> 32), as: UInt16.self)
        i &+= 6
    }
    unsafe paethTail(row, above, from: i, count, 6)
}

private func paethThree(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var (a0, a1, a2, c0, c1, c2) = (0, 0, 0, 0, 0, 0)
    var i = 0
    // SAFETY: i + 3 <= count.
    while i &+ 3 <= count {
        let b0 = unsafe Int(above[i])
        let b1 = unsafe Int(above[i &+ 1])
        let b2 = unsafe Int(above[i &+ 2])
        a0 = unsafe (Int(row[i]) &+ paethPredictor(a0, b0, c0)) & 255
        a1 = unsafe (Int(row[i &+ 1]) &+ paethPredictor(a1, b1, c1)) & 255
        a2 = unsafe (Int(row[i &+ 2]) &+ paethPredictor(a2, b2, c2)) & 255
        unsafe row[i] = UInt8(truncatingIfNeeded: a0)
        unsafe row[i &+ 1] = UInt8(truncatingIfNeeded: a1)
        unsafe row[i &+ 2] = UInt8(truncatingIfNeeded: a2)
        (c0, c1, c2) = (b0, b1, b2)
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
