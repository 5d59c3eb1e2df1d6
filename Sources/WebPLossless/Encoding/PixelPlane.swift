// Pixels between the stages of the encoder.

import ImageCodecsCore

/// A picture's pixels as alpha, red, green, blue from the highest byte on, or what transforms make of them.
///
/// Rows follow one another without padding; before the first and after the last there are ``margin`` pixels that kernels may read,
/// and write over after the last.
struct PixelPlane: Sendable {
    let size: PixelSize
    var pixels: NumberBuffer<UInt32>

    /// Pixels before and after those of the picture.
    static var margin: Int { ResidualKernel.margin }

    init(_ size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        self.size = size
        pixels = try NumberBuffer(count: Self.count(size), meter: meter)
    }

    private init(_ size: PixelSize, in pixels: consuming NumberBuffer<UInt32>) {
        self.size = size
        self.pixels = pixels
    }

    private static func count(_ size: PixelSize) -> Int {
        (size.pixelCount ?? .max).addingSaturated(2 * margin)
    }

    /// Bytes that a plane holds. Saturates.
    static func byteCount(_ size: PixelSize) -> Int { count(size).multipliedSaturated(by: 4) }

    var width: Int { size.width }
    var height: Int { size.height }
    var pixelCount: Int { size.width * size.height }

    /// The plane, moved out of its place so that it can be changed without being copied; what is left is not used again.
    mutating func handedOver() -> PixelPlane { PixelPlane(size, in: pixels.handedOver()) }

    /// The first pixels as a plane of another size, which has no more of them.
    mutating func handedOver(as size: PixelSize) -> PixelPlane { PixelPlane(size, in: pixels.handedOver()) }

    /// The same pixels in memory of their own.
    func copied(meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) -> PixelPlane {
        var copy = try PixelPlane(size, meter: meter)
        for y in 0..<height {
            try work.spend(width)
            pixels.withSpan { pixels in
                copy.pixels.withMutableSpan { copy in
                    for index in Self.margin + y * width..<Self.margin + (y + 1) * width { copy[index] = pixels[index] }
                }
            }
        }
        return copy
    }

    /// The bits that are not the same in all pixels.
    func changingBits(_ work: inout WorkGuard) throws(ImageError) -> UInt32 {
        var mask: UInt32 = 0
        for y in 0..<height {
            try work.spend(width / 4)
            pixels.withSpan { pixels in
                for index in Self.margin + y * width..<Self.margin + (y + 1) * width {
                    mask |= pixels[index] ^ pixels[Self.margin]
                }
            }
        }
        return mask
    }

    /// The bytes of a row.
    func withRowBytes<R>(_ y: Int, _ body: (RawSpan) -> R) -> R {
        pixels.withBytes(of: Self.margin + y * width..<Self.margin + (y + 1) * width, body)
    }

    /// The pixels of the picture, without the margins.
    func withSpan<R, E: Error>(_ body: (Span<UInt32>) throws(E) -> R) throws(E) -> R {
        try pixels.withSpan { (pixels) throws(E) in
            try body(pixels.extracting(Self.margin..<Self.margin + pixelCount))
        }
    }
}

/// Blocks of a picture that share a mode, factors, or prefix codes.
struct BlockGrid: Hashable, Sendable {
    let size: PixelSize
    /// The side of a block is two to this power.
    let sizeBits: Int

    var columnCount: Int { (size.width + (1 << sizeBits) - 1) >> sizeBits }
    var rowCount: Int { (size.height + (1 << sizeBits) - 1) >> sizeBits }
    var count: Int { columnCount * rowCount }
    /// The size of the image that has a pixel for each block.
    var imageSize: PixelSize { PixelSize(width: columnCount, height: rowCount) }

    /// Columns of the picture in a column of blocks.
    func columns(_ column: Int) -> Range<Int> {
        column << sizeBits..<min(size.width, (column + 1) << sizeBits)
    }

    /// Rows of the picture in a row of blocks.
    func rows(_ row: Int) -> Range<Int> { row << sizeBits..<min(size.height, (row + 1) << sizeBits) }
}
