// Undoing filters at speed: sixteen bytes at a time where bytes do not depend on their left neighbours, one pixel
// in a register where they do. These are the entries, which check lengths once; the loops are in the files named
// after the filters.

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

private func up(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var i = 0
    // SAFETY: i + 16 <= count in the vector loop, i < count in the tail.
    while i &+ 16 <= count {
        unsafe storeScanlineBytes(loadScanlineBytes(row + i) &+ loadScanlineBytes(above + i), row + i)
        i &+= 16
    }
    while i < count {
        unsafe row[i] = row[i] &+ above[i]
        i &+= 1
    }
}
