// The quantised coefficients of one component of a whole picture: what efforts that look at a picture more than once keep.
//
// In: blocks from the forward DCT, in any order. Out: blocks for statistics, scans and searches of quality.

package import ImageCodecsCore

/// Quantised coefficients of one component of the whole picture.
///
/// 64 `Int16` per block in zig-zag order, blocks row-major over the grid that is padded to whole MCUs.
/// Example, 36x28 pixels, 4:2:0: luma has 6x4 blocks, of which 5x4 touch the picture; the block in column 3 of row 2
/// begins at byte (2 · 6 + 3) · 128 = 1920. Memory: 128 bytes per block, counted in the meter.
package struct QuantizedCoefficients: Sendable {
    /// Blocks across and down, those of incomplete MCUs included.
    package let widthInBlocks: Int
    package let heightInBlocks: Int
    /// The coefficients as `Int16` in the machine's byte order; none if they lie in a buffer of several components.
    package var values: ScratchBuffer
    /// That buffer, and where this component's begin in it. They are only read.
    private let shared: (buffer: NumberBuffer<Int16>, start: Int)?

    /// Bytes of a block: 64 coefficients of two bytes.
    package static let bytesPerBlock = 128

    /// Coefficients that are all zero.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package init(widthInBlocks: Int, heightInBlocks: Int, meter: MemoryMeter?) throws(ImageError) {
        self.widthInBlocks = widthInBlocks
        self.heightInBlocks = heightInBlocks
        shared = nil
        values = try ScratchBuffer(
            zeroedByteCount: Self.byteCount(widthInBlocks: widthInBlocks, heightInBlocks: heightInBlocks), meter: meter)
    }

    /// Coefficients that lie in a buffer of several components, from its number `start` on.
    init(
        sharing buffer: NumberBuffer<Int16>, from start: Int, widthInBlocks: Int, heightInBlocks: Int
    ) throws(ImageError) {
        precondition(start + widthInBlocks * heightInBlocks * 64 <= buffer.count)
        self.widthInBlocks = widthInBlocks
        self.heightInBlocks = heightInBlocks
        shared = (buffer, start)
        values = try ScratchBuffer(byteCount: 0, meter: nil)
    }

    /// The bytes of `range`, wherever they lie, for reading.
    func withBytes<R, E: Error>(_ range: Range<Int>, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        guard let shared else { return try values.withBytes(range, body) }
        let first = shared.start + range.lowerBound / 2
        return try shared.buffer.withBytes(of: first..<first + range.count / 2, body)
    }

    /// All bytes.
    func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withBytes(0..<byteOffset(column: 0, row: heightInBlocks), body)
    }

    /// Where the block in `column` of `row` begins.
    package func byteOffset(column: Int, row: Int) -> Int { (row * widthInBlocks + column) * Self.bytesPerBlock }

    /// Bytes that a grid of blocks takes. Saturates.
    package static func byteCount(widthInBlocks: Int, heightInBlocks: Int) -> Int {
        widthInBlocks.multipliedSaturated(by: heightInBlocks).multipliedSaturated(by: bytesPerBlock)
    }
}
