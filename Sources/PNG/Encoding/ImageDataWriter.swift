// What IDAT and fdAT hold: scanlines are filtered, compressed and cut into pieces as they come.

package import DeflateCodec
package import ImageCodecsCore

/// Writes the image data of one picture, scanline by scanline, from top to bottom of each pass.
///
/// Holds two scanlines, a batch of filtered bytes and one piece; never the whole picture. Like its deflater, a copy is no second
/// writer.
package struct ImageDataWriter: Sendable {
    private var byteCount: Int
    private var filterer: ScanlineFilterer
    /// Filtered scanlines that wait for compression.
    private var batch: ScratchBuffer
    private var batchCount = 0
    private var deflater: Deflater

    /// Bytes of the pieces that are handed out, each of which becomes a chunk.
    package static let pieceByteCount = 1 << 16
    /// Bytes from which on a batch is compressed.
    private static let batchByteCount = 1 << 15

    /// - Parameters:
    ///   - byteCount: bytes of the longest scanline without its filter type byte.
    ///   - distance: bytes from a sample to the same one of the pixel before.
    ///   - total: bytes of all scanlines with their filter type bytes; `Int.max` if there are more than that.
    ///   - strategy: how filters are chosen.
    ///   - effort: how hard to compress.
    ///   - meter: counts the buffers.
    package init(
        byteCount: Int, distance: Int, total: Int, _ strategy: FilterStrategy, _ effort: CompressionEffort,
        meter: MemoryMeter?
    ) throws(ImageError) {
        let filterer = try ScanlineFilterer(strategy, byteCount: byteCount, distance: distance, meter: meter)
        let batch = try ScratchBuffer(byteCount: max(Self.batchByteCount, byteCount + 1), meter: meter)
        let deflater = try Deflater(
            effort: effort, byteCount: total, pieceByteCount: Self.pieceByteCount, meter: meter)
        self.byteCount = byteCount
        self.filterer = filterer
        self.batch = batch
        self.deflater = deflater
    }

    /// Bytes that writing holds, the piece on its way to the sink included. Saturates.
    package static func estimatedByteCount(
        _ encoding: PixelEncoding, size: PixelSize, _ effort: CompressionEffort
    ) -> Int {
        let byteCount = encoding.bytesPerScanline(width: size.width)
        return estimatedByteCount(
            byteCount: byteCount, total: byteCount.addingSaturated(1).multipliedSaturated(by: size.height), effort)
    }

    /// Bytes that writing holds, the piece on its way to the sink included; see the initialisers. Saturates.
    package static func estimatedByteCount(byteCount: Int, total: Int, _ effort: CompressionEffort) -> Int {
        let deflater = Deflater.estimatedByteCount(
            effort: effort, byteCount: total, pieceByteCount: pieceByteCount)
        return ScanlineFilterer.estimatedByteCount(byteCount, effort)
            .addingSaturated(max(batchByteCount, byteCount.addingSaturated(1)))
            .addingSaturated(deflater)
            .addingSaturated(pieceByteCount + 64)
    }

    /// Starts a pass of scanlines that have this many bytes.
    ///
    /// - Parameters:
    ///   - byteCount: without their filter type bytes.
    ///   - row: see ``ScanlineFilterer/beginPass(byteCount:row:)``.
    package mutating func beginPass(byteCount: Int, row: Int? = nil) {
        self.byteCount = byteCount
        filterer.beginPass(byteCount: byteCount, row: row)
    }

    /// Takes a scanline that stands above the next and is not written itself; see ``ScanlineFilterer/setAbove(_:)``.
    package mutating func setAbove(_ fill: (inout MutableRawSpan) -> Void) { filterer.setAbove(fill) }

    /// Adds a scanline.
    ///
    /// - Parameters:
    ///   - work: is asked for the time.
    ///   - fill: writes the scanline without its filter type byte.
    ///   - emit: gets each piece of the zlib stream that is full.
    package mutating func write(
        work: inout WorkGuard, _ fill: (inout MutableRawSpan) -> Void, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        if batchCount + 1 + byteCount > batch.byteCount { try compressBatch(work: &work, emit) }
        filterer.filter(into: &batch, at: batchCount, fill)
        batchCount += 1 + byteCount
    }

    /// Ends the image data and hands out what is left of the zlib stream.
    package mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try compressBatch(work: &work, emit)
        try deflater.finish(work: &work, emit: emit)
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
