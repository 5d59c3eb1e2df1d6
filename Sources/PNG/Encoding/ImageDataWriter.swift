// IDAT: scanlines are filtered, compressed and cut into chunks as they come.

#if SystemZlib
package import DeflateCodec
package import ImageCodecsCore

/// Writes the image data of one picture, scanline by scanline, from top to bottom.
///
/// Holds two scanlines, a batch of filtered bytes and one chunk; never the whole picture. Like its ``ZlibDeflater``, a copy is
/// no second writer.
package struct ImageDataWriter: Sendable {
    private let byteCount: Int
    private let distance: Int
    private let isFiltered: Bool
    private var row: ScratchBuffer
    private var above: ScratchBuffer
    /// Filtered scanlines that wait for compression: zlib is called with a good many bytes at once.
    private var batch: ScratchBuffer
    private var batchCount = 0
    private var deflater: ZlibDeflater

    /// Bytes of an IDAT chunk's body.
    private static let chunkByteCount = 1 << 16
    /// Bytes from which on a batch is compressed.
    private static let batchByteCount = 1 << 15

    /// - Parameters:
    ///   - encoding: what a scanline holds.
    ///   - size: the picture's size.
    ///   - effort: how hard to compress.
    ///   - meter: counts the buffers.
    package init(
        _ encoding: PixelEncoding, size: PixelSize, effort: CompressionEffort, meter: MemoryMeter?
    ) throws(ImageError) {
        let byteCount = encoding.bytesPerScanline(width: size.width)
        let bufferByteCount = FilterSelectionKernels.bufferByteCount(byteCount)
        let row = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        let above = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        let batch = try ScratchBuffer(byteCount: max(Self.batchByteCount, byteCount + 1), meter: meter)
        let (total, overflow) = (byteCount + 1).multipliedReportingOverflow(by: size.height)
        let deflater = try ZlibDeflater(
            effort: effort, isFiltered: encoding.isFiltered, byteCount: overflow ? .max : total,
            pieceByteCount: Self.chunkByteCount, meter: meter)
        self.byteCount = byteCount
        distance = encoding.filterDistance
        isFiltered = encoding.isFiltered
        (self.row, self.above) = (row, above)
        self.batch = batch
        self.deflater = deflater
    }

    /// Bytes that writing scanlines of this many bytes holds. Saturates.
    package static func estimatedByteCount(scanlineByteCount byteCount: Int) -> Int {
        FilterSelectionKernels.bufferByteCount(byteCount).multipliedSaturated(by: 2)
            .addingSaturated(max(batchByteCount, byteCount.addingSaturated(1)))
            // zlib's own memory, and the chunk twice: as it is made, and on its way to the sink.
            .addingSaturated((1 << 18) + 2 * (chunkByteCount + 64) + byteCount)
    }

    /// Adds a scanline.
    ///
    /// - Parameters:
    ///   - file: takes the chunks that get full.
    ///   - fill: writes the scanline without its filter type byte.
    package mutating func write(to file: inout ChunkWriter, _ fill: (inout MutableRawSpan) -> Void) {
        if batchCount + 1 + byteCount > batch.byteCount { compressBatch(to: &file, isLast: false) }
        let start = FilterSelectionKernels.margin
        row.withMutableBytes(start..<start + byteCount) { fill(&$0) }
        appendFiltered()
        swap(&row, &above)
    }

    /// Ends the image data.
    package mutating func finish(to file: inout ChunkWriter) {
        compressBatch(to: &file, isLast: true)
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

    private mutating func compressBatch(to file: inout ChunkWriter, isLast: Bool) {
        let batch = batch
        batch.withBytes(0..<batchCount) { bytes in
            if isLast {
                deflater.finish(bytes) { file.append(.imageData, $0) }
            } else {
                deflater.write(bytes) { file.append(.imageData, $0) }
            }
        }
        batchCount = 0
    }
}
#endif
