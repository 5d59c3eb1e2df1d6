// Undoing the filter of one scanline at speed: sixteen bytes at a time if bytes do not depend on their left
// neighbours, one pixel in a register if they do. Here places are checked once; the loops are in the files named
// after the filters. Several scanlines at once: `FilterWaveKernels.swift`.

/// Where a scanline lies that filters read, without its filter type byte.
package enum ScanlinePlace: Hashable, Sendable {
    /// Among the unpacked bytes, from this offset on.
    case unpacked(Int)
    /// In the buffer of reconstructed scanlines, from this offset on.
    case line(Int)
}

#if !ReferenceKernels
enum FilterKernels {
    /// See ``ScanlineFilter/undo(_:_:above:in:to:byteCount:distance:)``.
    static func undo(
        _ filter: ScanlineFilter, _ unpacked: RawSpan, _ scanline: ScanlinePlace, above: ScanlinePlace,
        in lines: inout MutableRawSpan, to target: Int, byteCount: Int, distance: Int
    ) {
        checkScanline(lines.byteCount, target, byteCount)
        checkPlace(scanline, unpacked, lines.byteCount, byteCount)
        checkPlace(above, unpacked, lines.byteCount, byteCount)
        unsafe withScanlines(unpacked, &lines) { unpacked, lines in
            // SAFETY: the three scanlines of `byteCount` bytes lie in the buffers (checked above); the kernels touch no
            // more.
            let from = unsafe address(of: scanline, unpacked, lines)
            let above = unsafe address(of: above, unpacked, lines)
            let row = unsafe lines + target
            switch filter {
            case .none: unsafe UnsafeMutableRawPointer(row).copyMemory(from: from, byteCount: byteCount)
            case .sub: unsafe undoSub(from, row, byteCount, distance)
            case .up: unsafe undoUp(from, above, row, byteCount)
            case .average: unsafe undoAverage(from, above, row, byteCount, distance)
            case .paeth: unsafe undoPaeth(from, above, row, byteCount, distance)
            }
        }
    }
}

@inline(__always)
func checkScanline(_ available: Int, _ start: Int, _ byteCount: Int) {
    precondition(start >= 0 && byteCount >= 0 && byteCount <= available && start <= available - byteCount)
}

@inline(__always)
func checkPlace(_ place: ScanlinePlace, _ unpacked: RawSpan, _ lineByteCount: Int, _ byteCount: Int) {
    switch place {
    case .unpacked(let start): checkScanline(unpacked.byteCount, start, byteCount)
    case .line(let start): checkScanline(lineByteCount, start, byteCount)
    }
}

/// Hands `body` the start of both buffers; nothing happens if there are no lines.
@inline(__always)
func withScanlines(
    _ unpacked: RawSpan, _ lines: inout MutableRawSpan,
    _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
) {
    unsafe unpacked.withUnsafeBytes { unpacked in
        unsafe lines.withUnsafeMutableBytes { lines in
            guard let lines = unsafe lines.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            // SAFETY: an empty span may have no address, and then nothing is read from it.
            let first = unsafe unpacked.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(lines)
            unsafe body(first, lines)
        }
    }
}

// SAFETY: the caller has checked the place.
@inline(__always)
func address(
    of place: ScanlinePlace, _ unpacked: UnsafePointer<UInt8>, _ lines: UnsafeMutablePointer<UInt8>
) -> UnsafePointer<UInt8> {
    switch place {
    case .unpacked(let start): unsafe unpacked + start
    case .line(let start): unsafe UnsafePointer(lines + start)
    }
}

// SAFETY, for these four: the caller vouches for `count` bytes at each pointer. `row` may be `from`, for a scanline that
// is undone in place.

private func undoSub(
    _ from: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ distance: Int
) {
    switch distance {
    case 4: unsafe subFour(from, row, count)
    case 3: unsafe subThree(from, row, count)
    case 2: unsafe subTwo(from, row, count)
    case 6: unsafe subSix(from, row, count)
    case 8: unsafe subEight(from, row, count)
    default: unsafe subOne(from, row, count)
    }
}

private func undoUp(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    var i = 0
    // SAFETY: i + 16 <= count in the vector loop, i < count in the tail.
    while i &+ 16 <= count {
        unsafe storeScanlineBytes(loadScanlineBytes(from + i) &+ loadScanlineBytes(above + i), row + i)
        i &+= 16
    }
    while i < count {
        unsafe row[i] = from[i] &+ above[i]
        i &+= 1
    }
}

private func undoAverage(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ distance: Int
) {
    switch distance {
    case 4: unsafe averageFour(from, above, row, count)
    case 3: unsafe averageThree(from, above, row, count)
    case 2: unsafe averageTwo(from, above, row, count)
    case 6: unsafe averageSix(from, above, row, count)
    case 8: unsafe averageEight(from, above, row, count)
    default: unsafe averageOne(from, above, row, count)
    }
}

private func undoPaeth(
    _ from: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ distance: Int
) {
    switch distance {
    case 4: unsafe paethFour(from, above, row, count)
    case 3: unsafe paethThree(from, above, row, count)
    case 8: unsafe paethEight(from, above, row, count)
    case 6: unsafe paethSix(from, above, row, count)
    case 2: unsafe paethTwo(from, above, row, count)
    default: unsafe paethOne(from, above, row, count)
    }
}
#endif
