// What IDAT and fdAT hold: scanlines are filtered, compressed and cut into pieces as they come.

#if SystemZlib
package import DeflateCodec
package import ImageCodecsCore

/// Writes the image data of one picture, scanline by scanline, from top to bottom.
///
/// Holds two scanlines, a batch of filtered bytes and one piece; never the whole picture. Like its deflater, a copy is no second
/// writer.
package struct ImageDataWriter: Sendable {
    private let byteCount: Int
    private let distance: Int
    private let isFiltered: Bool
    private var row: ScratchBuffer
    private var above: ScratchBuffer
    /// Filtered scanlines that wait for compression.
    private var batch: ScratchBuffer
    private var batchCount = 0
    private var deflater: Deflater

    /// Bytes of the pieces that are handed out, each of which becomes a chunk.
    private static let pieceByteCount = 1 << 16
    /// Bytes from which on a batch is compressed.
    private static let batchByteCount = 1 << 15

    /// - Parameters:
    ///   - encoding: what a scanline holds.
    ///   - size: the picture's size.
    ///   - effort: how hard to compress.
    ///   - meter: counts the buffers.
    package init(
        _ encoding: PixelEncoding, size: PixelSize, effort: EncodingOptions.Effort, meter: MemoryMeter?
    ) throws(ImageError) {
        let byteCount = encoding.bytesPerScanline(width: size.width)
        let bufferByteCount = FilterSelectionKernels.bufferByteCount(byteCount)
        let row = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        let above = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        let batch = try ScratchBuffer(byteCount: max(Self.batchByteCount, byteCount + 1), meter: meter)
        let (total, overflow) = (byteCount + 1).multipliedReportingOverflow(by: size.height)
        let deflater = try Deflater(
            effort: CompressionEffort(effort), byteCount: overflow ? .max : total,
            pieceByteCount: Self.pieceByteCount, meter: meter)
        self.byteCount = byteCount
        distance = encoding.filterDistance
        isFiltered = encoding.isFiltered
        (self.row, self.above) = (row, above)
        self.batch = batch
        self.deflater = deflater
    }

    /// Bytes that writing holds, the piece on its way to the sink included. Saturates.
    package static func estimatedByteCount(
        _ encoding: PixelEncoding, size: PixelSize, effort: EncodingOptions.Effort
    ) -> Int {
        let byteCount = encoding.bytesPerScanline(width: size.width)
        let total = byteCount.addingSaturated(1).multipliedSaturated(by: size.height)
        return FilterSelectionKernels.bufferByteCount(byteCount).multipliedSaturated(by: 2)
            .addingSaturated(max(batchByteCount, byteCount.addingSaturated(1)))
            .addingSaturated(
                Deflater.estimatedByteCount(
                    effort: CompressionEffort(effort), byteCount: total, pieceByteCount: pieceByteCount)
            )
            .addingSaturated(pieceByteCount + 64)
    }

    /// Adds a scanline.
    ///
    /// - Parameters:
    ///   - fill: writes the scanline without its filter type byte.
    ///   - emit: gets each piece of the zlib stream that is full.
    package mutating func write(
        work: inout WorkGuard, _ fill: (inout MutableRawSpan) -> Void, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        if batchCount + 1 + byteCount > batch.byteCount { try compressBatch(work: &work, emit) }
        let start = FilterSelectionKernels.margin
        row.withMutableBytes(start..<start + byteCount) { fill(&$0) }
        appendFiltered()
        swap(&row, &above)
    }

    /// Ends the image data and hands out what is left of the zlib stream.
    package mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try compressBatch(work: &work, emit)
        try deflater.finish(work: &work, emit: emit)
    }

    /// Filters the scanline in `row` into the batch.
    private mutating func appendFiltered() {
        let (byteCount, distance) = (byteCount, distance)
        let filter = isFiltered ? selectFilter() : .none
        let target = batchCount..<batchCount + 1 + byteCount
        batchCount = target.upperBound
        let (row, above) = (row, above)
        batch.withMutableBytes(target) { target in
            target.storeBytes(of: filter.rawValue, toByteOffset: 0, as: UInt8.self)
        }
        batch.withMutableBytes(target.lowerBound + 1..<target.upperBound) { target in
            row.withBytes { row in
                above.withBytes { above in
                    FilterSelectionKernels.apply(
                        filter, row, above: above, byteCount: byteCount, distance: distance, into: &target)
                }
            }
        }
    }

    /// The filter that leaves the smallest sum of absolute values; of equals the one with the lowest number.
    private func selectFilter() -> ScanlineFilter {
        let sums = row.withBytes { row in
            above.withBytes { above in
                FilterSelectionKernels.absoluteSums(row, above: above, byteCount: byteCount, distance: distance)
            }
        }
        var best = ScanlineFilter.none
        for filter in ScanlineFilter.allCases where sums[Int(filter.rawValue)] < sums[Int(best.rawValue)] {
            best = filter
        }
        return best
    }

    private mutating func compressBatch(
        work: inout WorkGuard, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let batch = batch
        try batch.withBytes(0..<batchCount) { (bytes) throws(ImageError) in
            try deflater.write(bytes, work: &work, emit: emit)
        }
        batchCount = 0
    }
}

extension CompressionEffort {
    /// What compresses a picture that is written with `effort`.
    package init(_ effort: EncodingOptions.Effort) {
        self =
            switch effort {
            case .fast: .fast
            case .default: .default
            case .best: .best
            }
    }
}
#endif
