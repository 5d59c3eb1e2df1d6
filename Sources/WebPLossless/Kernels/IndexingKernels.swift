// The color indexing transform undone: a byte with one index or with several in, as many pixels out.
//
// The table has all pixels of each byte in a row, so that a byte is one copy of 4, 8, 16 or 32 bytes.

/// The table of colors, and room for what it writes.
package protocol IndexingTable {}

extension IndexingTable {
    /// Pixels that there have to be after the rows, for the last byte of a row may be whole.
    package static var margin: Int { 8 }

    /// Fills the table.
    ///
    /// Source: RFC 9649 section 3.5.4 "Color Indexing Transform", "Pixel packing"; indices without a color are transparent
    /// black.
    ///
    /// - Parameters:
    ///   - table: `256 << bundleBits` numbers.
    ///   - colors: as many as there are, at most 256.
    ///   - bundleBits: how many indices a byte has, as an exponent: 0...3.
    package static func fillTable(_ table: inout MutableSpan<UInt32>, colors: Span<UInt32>, bundleBits: Int) {
        let indexBits = 8 >> bundleBits
        let mask = (1 << indexBits) - 1
        for byte in 0..<256 {
            for place in 0..<1 << bundleBits {
                let index = byte >> (place * indexBits) & mask
                table[byte << bundleBits | place] = index < colors.count ? colors[index] : 0
            }
        }
    }
}

#if !ReferenceKernels
package enum IndexingKernel: IndexingTable {
    /// Undoes the transform on some rows.
    ///
    /// - Parameters:
    ///   - source: bytes with indices, row by row from byte `first` on.
    ///   - byteStride: from one of them to the next: 1, or 4 if they are the green channel of pixels and `first` is that
    ///     of the first pixel.
    ///   - target: rows that are written, from index `start` on, and ``margin`` more.
    ///   - width: of the target's rows; those of the source have one byte for each `1 << bundleBits` pixels.
    package static func undo(
        _ source: RawSpan, from first: Int, byteStride: Int, _ target: inout MutableSpan<UInt32>, at start: Int,
        width: Int, rowCount: Int, table: Span<UInt32>, bundleBits: Int
    ) {
        let byteCount = (width + (1 << bundleBits) - 1) >> bundleBits
        precondition(first >= 0 && width > 0 && rowCount >= 0 && (byteStride == 1 || byteStride == 4))
        precondition(source.byteCount - first > (byteCount * rowCount - 1) * byteStride, "too few bytes")
        precondition(start >= 0 && target.count - start >= width * rowCount + margin, "too few pixels")
        precondition((0...3).contains(bundleBits) && table.count >= 256 << bundleBits, "too small a table")
        unsafe source.withUnsafeBytes { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe table.withUnsafeBufferPointer { table in
                    // SAFETY: as large as checked above; the last byte of a row writes up to seven pixels after it, which are
                    // those of the next row, not written yet, or of the margin.
                    guard let input = source.baseAddress, let output = target.baseAddress, let table = table.baseAddress
                    else { return }
                    for row in 0..<rowCount {
                        let bytes = unsafe input + (first + row * byteCount * byteStride)
                        let pixels = unsafe output + (start + row * width)
                        if byteStride == 1 {
                            unsafe undoRow(bytes, 1, pixels, byteCount, table, bundleBits)
                        } else {
                            unsafe undoRow(bytes, 4, pixels, byteCount, table, bundleBits)
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func undoRow(
        _ source: UnsafeRawPointer, _ byteStride: Int, _ target: UnsafeMutablePointer<UInt32>, _ byteCount: Int,
        _ table: UnsafePointer<UInt32>, _ bundleBits: Int
    ) {
        // SAFETY: see above.
        switch bundleBits {
        case 0: unsafe expand(source, byteStride, target, byteCount, table, UInt32.self, 1)
        case 1: unsafe expand(source, byteStride, target, byteCount, table, UInt64.self, 2)
        case 2: unsafe expand(source, byteStride, target, byteCount, table, SIMD4<UInt32>.self, 4)
        default: unsafe expand(source, byteStride, target, byteCount, table, SIMD8<UInt32>.self, 8)
        }
    }

    @inline(__always)
    private static func expand<Bundle: BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ byteStride: Int, _ target: UnsafeMutablePointer<UInt32>, _ byteCount: Int,
        _ table: UnsafePointer<UInt32>, _ bundle: Bundle.Type, _ count: Int
    ) {
        // SAFETY: see above.
        for place in 0..<byteCount {
            let byte = unsafe Int(source.load(fromByteOffset: place &* byteStride, as: UInt8.self))
            let pixels = unsafe UnsafeRawPointer(table + byte &* count).loadUnaligned(as: Bundle.self)
            unsafe UnsafeMutableRawPointer(target + place &* count).storeBytes(of: pixels, as: Bundle.self)
        }
    }
}
#endif
