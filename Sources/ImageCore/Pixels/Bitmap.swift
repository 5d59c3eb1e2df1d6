// Pixels in memory: rows of one format, copy-on-write.

/// A rectangle of pixels in one ``PixelFormat``.
///
/// Rows lie one after another, top row first, each padded to a multiple of 64 bytes: a row of 540 pixels of
/// four bytes takes 2176 bytes, not 2160. The padding has no meaning. Copying a bitmap is free; the first
/// write through a shared copy copies the pixels, or throws if there is no memory for that.
///
/// One pixel is read by ``subscript(_:_:)``, a row of them by ``withRow(_:_:)`` and ``withRow16(_:_:)``; the article
/// <doc:BitmapsAndPixels> shows both.
public struct Bitmap: Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// What the bytes of a pixel mean.
    public let format: PixelFormat
    /// Bytes from the start of one row to the start of the next.
    public let bytesPerRow: Int
    private var storage: AlignedStorage

    /// Creates a bitmap whose pixels all are zero: transparent if the format has alpha, else black (with
    /// the padding byte of ``PixelFormat/bgrx`` at 255; for ``PixelFormat/cmyk`` zero means full ink).
    ///
    /// - Throws: `invalidArgument` for a negative size, `limitExceeded(.memory)` when the memory is not to be had.
    public init(size: PixelSize, format: PixelFormat) throws(ImageError) {
        try self.init(cleared: size, format: format, meter: nil, work: .unlimited)
    }

    /// Creates a bitmap of unwritten pixels: zero, but 255 in the padding byte of ``PixelFormat/bgrx``.
    ///
    /// - Throws: also what `work` throws, which is asked every some rows.
    package init(
        cleared size: PixelSize, format: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        self.size = size
        self.format = format
        let byteCount = try Self.checkedByteCount(size, format)
        bytesPerRow = size.height == 0 ? 0 : byteCount / size.height
        storage = try AlignedStorage(zeroedByteCount: byteCount, meter: meter)
        if format == .bgrx { try clearRows(0..<size.height, work: work) }
    }

    /// Creates a bitmap without clearing it: every pixel must be written before it is read.
    package init(uninitialized size: PixelSize, format: PixelFormat, meter: MemoryMeter?) throws(ImageError) {
        let byteCount = try Self.checkedByteCount(size, format)
        self.size = size
        self.format = format
        bytesPerRow = size.height == 0 ? 0 : byteCount / size.height
        storage = try AlignedStorage(byteCount: byteCount, meter: meter)
    }

    /// Creates a bitmap without clearing it, in the memory of another if that has the same size and format and nobody else
    /// holds it.
    ///
    /// - Parameter reusable: the other; always taken, so that its memory is free before more is allocated.
    package init(
        reusing reusable: inout Bitmap, size: PixelSize, format: PixelFormat, meter: MemoryMeter?
    ) throws(ImageError) {
        var candidate = reusable.moved()
        if candidate.size == size, candidate.format == format, candidate.isUniquelyReferenced() {
            self = candidate
        } else {
            candidate = .empty
            self = try Bitmap(uninitialized: size, format: format, meter: meter)
        }
    }

    /// Wraps memory that holds the rows of `layout`.
    ///
    /// - Precondition: there are as many bytes.
    init(_ storage: AlignedStorage, _ layout: PixelLayout) {
        precondition(layout.byteCount <= storage.byteCount, "less memory than the picture takes")
        size = layout.size
        format = layout.format
        bytesPerRow = layout.bytesPerRow
        self.storage = storage
    }

    private static func checkedByteCount(_ size: PixelSize, _ format: PixelFormat) throws(ImageError) -> Int {
        guard size.width >= 0, size.height >= 0 else {
            throw .invalidArgument("a bitmap cannot be \(size) pixels")
        }
        guard let byteCount = byteCount(size: size, format: format) else {
            throw .limitExceeded(.memory, requested: .max, allowed: .max)
        }
        return byteCount
    }

    /// A bitmap without pixels, which allocates nothing.
    public static let empty = Bitmap()

    private init() {
        size = PixelSize(width: 0, height: 0)
        format = .bgraPremultiplied
        bytesPerRow = 0
        storage = AlignedStorage.none
    }

    /// Bytes of a row, padded to a multiple of 64; `nil` if that overflows.
    static func bytesPerRow(width: Int, format: PixelFormat) -> Int? {
        let (packed, overflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard width >= 0, !overflow, packed <= .max - 63 else { return nil }
        return (packed + 63) & ~63
    }

    /// Bytes the pixels of a bitmap take in memory, row padding included; `nil` if that overflows.
    public static func byteCount(size: PixelSize, format: PixelFormat) -> Int? {
        guard size.height >= 0, let row = bytesPerRow(width: size.width, format: format) else { return nil }
        let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
        return overflow ? nil : bytes
    }

    /// Bytes the pixels take in memory, row padding included.
    public var byteCount: Int { storage.byteCount }

    /// Columns.
    public var width: Int { size.width }

    /// Rows.
    public var height: Int { size.height }

    /// The raw bytes of row `y`, without padding; see ``withRow(_:_:)`` for reading them.
    ///
    /// - Precondition: `y` is in `0..<height`.
    package func withRowBytes<R, E: Error>(_ y: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try storage.withBytes(byteRange(ofRow: y), body)
    }

    /// The raw bytes of row `y`, without padding, for writing.
    ///
    /// - Precondition: `y` is in `0..<height`, and no other value holds the pixels; see ``makeUnique()``.
    package mutating func withMutableRowBytes<R, E: Error>(
        _ y: Int, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        let range = byteRange(ofRow: y)
        requireOwnPixels()
        return try storage.withMutableBytes(range, body)
    }

    /// Whether the pixels are in memory of a caller, on loan.
    var isBorrowed: Bool { storage.isBorrowed }

    /// Whether what is between rows and after the last may be written to: not in memory of a caller.
    var ownsPadding: Bool { !storage.isBorrowed && storage.byteCount == bytesPerRow * height }

    /// The bytes of some rows, padding included, for writing: `bytesPerRow` from one to the next.
    ///
    /// - Precondition: `rows` is in `0..<height`, the bitmap ``ownsPadding``, and no other value holds the pixels.
    package mutating func withMutableRows<R, E: Error>(
        _ rows: Range<Int>, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= height, "rows outside the bitmap")
        requireOwnPixels()
        return try storage.withMutableBytes(rows.lowerBound * bytesPerRow..<rows.upperBound * bytesPerRow, body)
    }

    /// All bytes, padding included: row `y` starts at `y * bytesPerRow`.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try storage.withBytes(0..<storage.byteCount, body)
    }

    /// Some of the bytes, padding included, for writing.
    ///
    /// - Precondition: no other value holds the pixels.
    package mutating func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(E) -> R
    ) throws(E) -> R {
        requireOwnPixels()
        return try storage.withMutableBytes(range, body)
    }

    /// All bytes, padding included, for writing: row `y` starts at `y * bytesPerRow`; a shared bitmap is copied first.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy, and what `body` throws.
    public mutating func withMutableBytes<R>(
        _ body: (inout MutableRawSpan) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try makeUnique()
        return try storage.withMutableBytes(0..<storage.byteCount, body)
    }

    /// The pixels as a fresh array without row padding.
    ///
    /// That is a second picture in memory, of `width * height * format.bytesPerPixel` bytes, which no limit of a decode
    /// counts. To look at the pixels, ``withRow(_:_:)`` and ``forEachRow(in:_:)`` do without.
    public func packedBytes() -> [UInt8] {
        guard !size.isEmpty else { return [] }
        let rowByteCount = width * format.bytesPerPixel
        guard rowByteCount > 0 else { return [] }
        var packed: [UInt8] = []
        packed.reserveCapacity(rowByteCount * height)
        for y in 0..<height {
            withRowBytes(y) { packed.append($0) }
        }
        return packed
    }

    /// Sets rows to what an unwritten pixel is: zero, but 255 in the padding byte of ``PixelFormat/bgrx``.
    ///
    /// - Parameter work: asked every some rows.
    /// - Precondition: no other value holds the pixels.
    package mutating func clearRows(_ rows: Range<Int>, work: WorkGuard) throws(ImageError) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= height, "rows outside the bitmap")
        guard !rows.isEmpty, bytesPerRow > 0 else { return }
        requireOwnPixels()
        guard ownsPadding else { return try clearRowsOnly(rows, work: work) }
        for band in bands(of: rows) {
            try work.check()
            let bytes = band.lowerBound * bytesPerRow..<band.upperBound * bytesPerRow
            guard format == .bgrx else {
                storage.fill(bytes, with: 0)
                continue
            }
            storage.withMutableBytes(bytes) { bytes in
                for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                    bytes.storeBytes(of: UInt32(0xFF00_0000).littleEndian, toByteOffset: offset, as: UInt32.self)
                }
            }
        }
    }

    /// Sets pixels of a row to zero.
    ///
    /// - Precondition: they are within the bitmap, and no other value holds the pixels.
    package mutating func clearPixels(_ columns: Range<Int>, ofRow y: Int) {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width, "outside the bitmap")
        requireOwnPixels()
        let (row, bytesPerPixel) = (byteRange(ofRow: y), format.bytesPerPixel)
        storage.fill(
            row.lowerBound + columns.lowerBound * bytesPerPixel..<row.lowerBound + columns.upperBound * bytesPerPixel,
            with: 0)
    }

    /// The same, row by row, if the padding is not to be touched.
    private mutating func clearRowsOnly(_ rows: Range<Int>, work: WorkGuard) throws(ImageError) {
        var work = work
        for y in rows {
            let bytes = byteRange(ofRow: y)
            try work.spend(bytes.count)
            storage.fill(bytes, with: 0)
            guard format == .bgrx else { continue }
            storage.withMutableBytes(bytes) { row in
                for x in 0..<width { row.storeBytes(of: 255, toByteOffset: 4 * x + 3, as: UInt8.self) }
            }
        }
    }

    /// `rows` in runs that are short enough to be worked on between two looks at the clock.
    ///
    /// - Parameter rowMultiple: a run has a multiple of this many rows, but for the last.
    package func bands(of rows: Range<Int>, rowMultiple: Int = 1) -> some Sequence<Range<Int>> {
        let fitting = max(1, WorkGuard.stepByteCount / max(1, bytesPerRow) / rowMultiple) * rowMultiple
        return stride(from: rows.lowerBound, to: rows.upperBound, by: fitting).lazy
            .map { $0..<min($0 + fitting, rows.upperBound) }
    }

    /// Copies row `source` over row `target`.
    ///
    /// - Precondition: both are rows of the bitmap, and no other value holds the pixels.
    package mutating func copyRow(_ source: Int, to target: Int) {
        let from = byteRange(ofRow: source)
        let to = byteRange(ofRow: target)
        withMutableBytes(0..<byteCount) { $0.move(from: from.lowerBound, to: to.lowerBound, count: from.count) }
    }

    /// The bitmap, moved out of its place, so that its memory can be reused; what is left is ``empty``.
    package mutating func moved() -> Bitmap {
        var result = Bitmap.empty
        swap(&result, &self)
        return result
    }

    /// Whether both are the same pixels in memory, not just equal ones.
    package func hasSameStorage(as other: Bitmap) -> Bool { storage === other.storage && byteCount > 0 }

    /// Whether nobody else holds these pixels, so that writing will not copy them.
    package mutating func isUniquelyReferenced() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// Makes the pixels this value's own, so that no write that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for a copy.
    package mutating func makeUnique() throws(ImageError) {
        if byteCount > 0, !isKnownUniquelyReferenced(&storage) { storage = try storage.copied() }
    }

    /// Sees to it that no other value sees a write; if ``makeUnique()`` was forgotten, by a copy.
    private mutating func requireOwnPixels() {
        if !isKnownUniquelyReferenced(&storage), storage.byteCount > 0 { storage = storage.copiedLate() }
    }

    private func byteRange(ofRow y: Int) -> Range<Int> {
        precondition(y >= 0 && y < height, "row outside the bitmap")
        let start = y * bytesPerRow
        return start..<start + width * format.bytesPerPixel
    }
}

extension Bitmap: Equatable {
    /// Whether size, format and every pixel are equal; row padding does not count.
    public static func == (lhs: Bitmap, rhs: Bitmap) -> Bool {
        guard lhs.size == rhs.size, lhs.format == rhs.format else { return false }
        guard !lhs.size.isEmpty else { return true }
        for y in 0..<lhs.height {
            let isEqual = lhs.withRowBytes(y) { left in rhs.withRowBytes(y) { right in left.hasSameBytes(as: right) } }
            if !isEqual { return false }
        }
        return true
    }
}
