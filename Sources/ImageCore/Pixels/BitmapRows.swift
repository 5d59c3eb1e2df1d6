// Rows of a bitmap as samples that can be read and written without `unsafe`.

extension Bitmap {
    /// The bytes of row `y` (0 is the top), without padding: `width * format.bytesPerPixel` of them, in the order that
    /// ``format`` says.
    ///
    /// ```swift
    /// let darkest = gray.withRow(7) { row in row.indices.map { row[$0] }.min() }
    /// ```
    ///
    /// - Precondition: `y` is in `0..<height`.
    public func withRow<R, E: Error>(_ y: Int, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try withRowBytes(y) { (bytes) throws(E) in try body(Span<UInt8>(_bytes: bytes)) }
    }

    /// Hands out the bytes of every row in another format, from the top and without padding.
    ///
    /// What is allocated is one row, not a second picture; nothing when the bitmap is in that format.
    ///
    /// ```swift
    /// try bitmap.forEachRow(in: .rgba) { row in checksum.add(row) }
    /// ```
    ///
    /// - Parameters:
    ///   - target: converted as ``converted(to:)`` does.
    ///   - body: gets `width * target.bytesPerPixel` bytes, which are valid for the call.
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a row, and what `body` throws.
    public func forEachRow(
        in target: PixelFormat, _ body: (_ row: Span<UInt8>) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard target != format else {
            for y in 0..<height { try withRow(y, body) }
            return
        }
        let converter = RowConverter(from: .pixels(format), to: target)
        let byteCount = width.multipliedSaturated(by: target.bytesPerPixel)
        var converted = try ScratchBuffer(byteCount: byteCount, meter: nil)
        for y in 0..<height {
            withRowBytes(y) { row in
                converted.withMutableBytes { converter.convert(row, into: &$0, width: width) }
            }
            try converted.withBytes { (row) throws(ImageError) in try body(Span<UInt8>(_bytes: row)) }
        }
    }

    /// The bytes of row `y` (0 is the top), without padding, for writing; a shared bitmap is copied first.
    ///
    /// The fourth byte of a pixel of ``PixelFormat/bgrx`` has to stay 255.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy, and what `body` throws.
    /// - Precondition: `y` is in `0..<height`.
    public mutating func withMutableRow<R>(
        _ y: Int, _ body: (inout MutableSpan<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try makeUnique()
        return try withMutableRowBytes(y) { (bytes) throws(ImageError) in
            try bytes.withNumbers(of: UInt8.self, body)
        }
    }

    /// The samples of row `y` (0 is the top) of a bitmap of sixteen bits per sample, in the machine's byte order:
    /// `width * format.samplesPerPixel` of them.
    ///
    /// - Precondition: `y` is in `0..<height`, and `format.depth` is ``PixelFormat/Depth/sixteen``.
    public func withRow16<R, E: Error>(_ y: Int, _ body: (Span<UInt16>) throws(E) -> R) throws(E) -> R {
        precondition(format.depth == .sixteen, "a row of \(format) does not hold samples of sixteen bits")
        return try withRowBytes(y) { (bytes) throws(E) in try body(Span<UInt16>(_bytes: bytes)) }
    }

    /// The samples of row `y` (0 is the top) of a bitmap of sixteen bits per sample, for writing; a shared bitmap is
    /// copied first.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy, and what `body` throws.
    /// - Precondition: `y` is in `0..<height`, and `format.depth` is ``PixelFormat/Depth/sixteen``.
    public mutating func withMutableRow16<R>(
        _ y: Int, _ body: (inout MutableSpan<UInt16>) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        precondition(format.depth == .sixteen, "a row of \(format) does not hold samples of sixteen bits")
        try makeUnique()
        return try withMutableRowBytes(y) { (bytes) throws(ImageError) in
            try bytes.withNumbers(of: UInt16.self, body)
        }
    }
}
