// What a JPEG file may cost besides its pixels: markers alone, bytes that are waited in, segments after the first scan.

import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

@Suite struct JPEGWorkTests {
    /// One gray component whose every code is one zero bit: no difference, the end of the block.
    private func file(width: UInt8, height: UInt8, restartInterval: UInt8? = nil, data: [UInt8]) -> [UInt8] {
        let table: [UInt8] = [1] + Array(repeating: 0, count: 15) + [0]
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
        file += [0xFF, 0xC0, 0, 11, 8, 0, height, 0, width, 1, 1, 0x11, 0]
        file += [0xFF, 0xC4, 0, 20, 0x00] + table + [0xFF, 0xC4, 0, 20, 0x10] + table
        if let restartInterval { file += [0xFF, 0xDD, 0, 4, 0, restartInterval] }
        return file + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + data + [0xFF, 0xD9]
    }

    /// Units of work of a tolerant decode.
    private func unitCount(_ file: [UInt8], inPiecesOf pieceSize: Int) throws -> Int {
        let log = WorkLog()
        var options = DecodingOptions.tolerant
        options.workLog = log
        let image = try JPEGCoder().decode(file, inPiecesOf: pieceSize, options: options)
        #expect(image?.size == PixelSize(width: Int(file[79]), height: 8))
        #expect(log.checkCount >= log.unitCount >> 14)
        return log.unitCount
    }

    @Test(arguments: [1, 2, 1000, 100_000])
    func restartMarkersCostTheSameInPieces(_ pieceSize: Int) throws {
        let markers = (0..<10_000).flatMap { _ in [0xFF, 0xD0] as [UInt8] }
        // The height is looked for after the markers, which are read again later.
        let file = file(width: 8, height: 0, data: [0] + markers + [0xFF, 0xDC, 0, 4, 0, 8])
        let count = try unitCount(file, inPiecesOf: pieceSize)
        #expect(count <= 12 * file.count)
        #expect(count >= 8 * file.count)
    }

    @Test(arguments: [1, 2, 1000, 100_000])
    func waitingForARestartMarkerIsNoWork(_ pieceSize: Int) throws {
        let stray = [UInt8](repeating: 0, count: 10_000)
        let file = file(width: 16, height: 8, restartInterval: 1, data: [0x3F] + stray + [0xFF, 0xD0, 0x3F])
        #expect(try unitCount(file, inPiecesOf: pieceSize) <= file.count)
    }

    /// Segments after the first scan take memory that nobody could promise before it.
    @Test(arguments: [1, 1000, 70_000, 1_000_000])
    func metadataAfterTheScanDoNotChangeTheEstimate(_ pieceSize: Int) throws {
        let comment: [UInt8] = [0xFF, 0xFE, 0xEA, 0x62] + Array(repeating: 0x61, count: 60_000)
        let comments = (0..<4).flatMap { _ in comment }
        let file = file(width: 8, height: 8, data: [0x3F] + comments)
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        var decoder = JPEGCoder().makeIncrementalDecoder(options: options)
        var estimates: Set<Int> = []
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            _ = try decoder.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
            if let info = decoder.info { estimates.insert(info.estimatedPeakByteCount) }
        }
        _ = try decoder.finish()
        let info = try #require(decoder.info)
        #expect(info.metadata.comments.count == 4)
        #expect(meter.peak <= (try MemoryAllowance(JPEGCoder(), file, .default).byteCount(holdsFrames: true)))
        #expect(estimates.union([info.estimatedPeakByteCount]).count == 1)
    }
}
