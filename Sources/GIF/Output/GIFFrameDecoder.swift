// The data of one frame: sub-blocks in, rows of palette indices out.

import ImageCodecsCore

/// Decodes the table-based image data of one frame.
///
/// A value: a copy is a checkpoint.
struct GIFFrameDecoder: Sendable {
    /// Rows that came out, in the order of the file.
    private(set) var rowCount = 0
    private var size: PixelSize
    private let meter: MemoryMeter?
    private var lzw: LZWDecoder
    /// The data of a run of sub-blocks, joined.
    private var joined: ScratchBuffer
}

extension GIFFrameDecoder {
    /// - Parameters:
    ///   - minimumCodeSize: 1...8.
    ///   - size: Not empty.
    init(minimumCodeSize: Int, size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        // All at once: a value that is made member by member is copied when it is whole.
        self = GIFFrameDecoder(
            size: size, meter: meter,
            lzw: try LZWDecoder(minimumCodeSize: minimumCodeSize, size: size, meter: meter),
            joined: try ScratchBuffer(byteCount: BlockReader.mostRunByteCount, meter: meter))
    }

    /// Begins another frame, in the memory of this one.
    ///
    /// - Parameters:
    ///   - minimumCodeSize: 1...8.
    ///   - size: Not empty.
    mutating func restart(minimumCodeSize: Int, size: PixelSize) throws(ImageError) {
        (rowCount, self.size) = (0, size)
        if !joined.isUnique() { joined = try ScratchBuffer(byteCount: BlockReader.mostRunByteCount, meter: meter) }
        try lzw.restart(minimumCodeSize: minimumCodeSize, size: size)
    }

    /// The most memory that decoding a frame takes.
    static func byteCount(_ size: PixelSize) -> Int { LZWDecoder.byteCount(size) + BlockReader.mostRunByteCount }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    mutating func makeUnique() throws(ImageError) {
        try lzw.makeUnique()
        try joined.makeUnique()
    }

    /// Whether every row came.
    var isWhole: Bool { rowCount == size.height }

    /// Decodes a run of whole sub-blocks; what is after the last row is ignored.
    ///
    /// - Parameters:
    ///   - offset: where the run stands in the file.
    ///   - take: gets rows as they are complete, one after another, the bytes of each, and the number of the first in the order
    ///     of the file.
    mutating func decode(
        _ run: Span<UInt8>, offset: Int, work: inout WorkGuard,
        take: (_ rows: RawSpan, _ bytesPerRow: Int, _ index: Int) -> Void
    ) throws(ImageError) {
        guard !isWhole else { return }
        var count = rowCount
        defer { rowCount = count }
        let (width, height) = (size.width, size.height)
        let byteCount = joined.withMutableBytes { SubBlocks.join(run, into: &$0) }
        try joined.withBytes(0..<byteCount) { (input) throws(ImageError) in
            try lzw.decode(input, width: width, work: &work) { rows in
                let added = min(rows.byteCount / width, height - count)
                take(rows.extracting(first: added * width), width, count)
                count += added
                return count < height
            }
        }
        if lzw.ending != nil, count < height {
            // The code that ends the data.
            let place = SubBlocks.position(of: max(0, lzw.usedByteCount - 1), in: run)
            throw missing(offset + place, count, lzw.ending)
        }
    }

    /// Ends the data.
    ///
    /// - Throws: `corrupt` if rows are missing.
    func end(offset: Int) throws(ImageError) {
        guard !isWhole else { return }
        throw missing(offset, rowCount, lzw.ending)
    }

    private func missing(_ offset: Int, _ count: Int, _ ending: LZWDecoder.Ending?) -> ImageError {
        switch ending {
        case .invalidCode:
            .corrupt(.gif, .gifImageDataCode, offset: offset, reason: "a code without a string, in row \(count)")
        case .ended, nil:
            .corrupt(
                .gif, .gifImageDataShort, offset: offset, reason: "the image data end in row \(count) of \(size.height)"
            )
        }
    }
}
