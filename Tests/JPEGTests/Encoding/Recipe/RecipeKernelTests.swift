import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Every kernel of the default effort against its plain twin, on random rows.
@Suite struct RecipeKernelTests {
    /// A workspace of rows that are 400 bytes apart, the first words of which lie 64 bytes after their beginnings.
    private struct Rows {
        var bytes: [UInt8]
        static let stride = 448

        init(count: Int, seed: UInt64, limit: Int16 = 2048) {
            var random = SeededRandom(seed: seed)
            bytes = []
            for _ in 0..<count * Self.stride / 2 {
                let value = Int16(truncatingIfNeeded: Int(random.next() % UInt64(2 * Int(limit))) - Int(limit))
                bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }

        static func offset(_ row: Int) -> Int { row * stride + 64 }

        func words(_ row: Int, _ count: Int) -> [Int16] {
            (0..<count).map { index in
                let place = Self.offset(row) + 2 * index
                return Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
            }
        }
    }

    private static let widths = [1, 2, 7, 8, 9, 15, 16, 23, 40, 64]

    /// Runs both on the same rows; the results are rows from `first` on.
    private func compare(
        _ rows: Rows, results: Range<Int>, count: Int, _ kernel: (inout MutableRawSpan) -> Void,
        _ twin: (inout MutableRawSpan) -> Void
    ) {
        var (a, b) = (rows, rows)
        a.bytes.withMutableBytes { kernel(&$0) }
        b.bytes.withMutableBytes { twin(&$0) }
        for row in results { #expect(a.words(row, count) == b.words(row, count)) }
        for row in results { #expect(a.words(row, count) != rows.words(row, count)) }
    }

    @Test(arguments: widths) func reducingChromaEqualsItsTwin(width: Int) {
        let rows = Rows(count: 8, seed: UInt64(width))
        let sources = (Rows.offset(0), Rows.offset(1), Rows.offset(2), Rows.offset(3))
        compare(
            rows, results: 4..<6, count: width,
            {
                ChromaFitKernels.reduce(
                    rows: sources, count: width, box: Rows.offset(4), adjoint: Rows.offset(5), in: &$0)
            },
            {
                ChromaFitReference.reduce(
                    rows: sources, count: width, box: Rows.offset(4), adjoint: Rows.offset(5), in: &$0)
            })
    }

    @Test(arguments: widths) func fittingChromaEqualsItsTwin(width: Int) {
        let rows = Rows(count: 8, seed: UInt64(100 + width), limit: 4096)
        let sources = (Rows.offset(0), Rows.offset(1), Rows.offset(2))
        let (other, room, result) = (Rows.offset(3), Rows.offset(4), Rows.offset(5))
        compare(
            rows, results: 5..<6, count: width,
            {
                ChromaFitKernels.correction(
                    rows: sources, adjoint: other, count: width, room: room, into: result, in: &$0)
            },
            {
                ChromaFitReference.correction(
                    rows: sources, adjoint: other, count: width, room: room, into: result, in: &$0)
            })
        compare(
            rows, results: 5..<6, count: width,
            { ChromaFitKernels.fitted(rows: sources, box: other, count: width, room: room, into: result, in: &$0) },
            { ChromaFitReference.fitted(rows: sources, box: other, count: width, room: room, into: result, in: &$0) })
    }

    @Test(arguments: widths) func upsamplingEqualsItsTwin(width: Int) {
        let (near, far, room, result) = (Rows.offset(0), Rows.offset(1), Rows.offset(2), Rows.offset(3))
        compare(
            Rows(count: 6, seed: UInt64(200 + width)), results: 3..<4, count: 2 * width,
            { LumaRepairKernels.upsample(near: near, far: far, count: width, room: room, into: result, in: &$0) },
            { LumaRepairReference.upsample(near: near, far: far, count: width, room: room, into: result, in: &$0) })
    }

    /// Chroma that is close to the picture's leaves luma alone, chroma that is not changes it.
    @Test(arguments: widths, [Int16(12), 60, 400, 2048]) func repairingLumaEqualsItsTwin(width: Int, limit: Int16) {
        let rows = Rows(count: 8, seed: UInt64(300 + width), limit: limit)
        let (luma, cb, cr) = (Rows.offset(0), Rows.offset(1), Rows.offset(2))
        let (decodedCb, decodedCr, result) = (Rows.offset(3), Rows.offset(4), Rows.offset(5))
        for strength in [LumaRepair.strength, LumaRepair.moderateStrength] {
            compare(
                rows, results: 5..<6, count: width,
                {
                    LumaRepairKernels.repair(
                        luma: luma, cb: cb, cr: cr, decodedCb: decodedCb, decodedCr: decodedCr, count: width,
                        into: result, strength: strength, in: &$0)
                },
                {
                    LumaRepairReference.repair(
                        luma: luma, cb: cb, cr: cr, decodedCb: decodedCb, decodedCr: decodedCr, count: width,
                        into: result, strength: strength, in: &$0)
                })
        }
    }

    @Test(arguments: [1, 5, 8, 17, 100]) func surveyingEqualsItsTwin(width: Int) {
        var rows = Rows(count: 3, seed: UInt64(400 + width), limit: 3)
        rows.bytes.withMutableBytes { workspace in
            let (first, second) = (Rows.offset(0), Rows.offset(1))
            let span = workspace.bytes
            #expect(
                SurveyKernels.squaredDifference(first, second, count: width, in: span)
                    == SurveyReference.squaredDifference(first, second, count: width, in: span))
            #expect(
                SurveyKernels.equalNeighbours(first, count: width, in: span)
                    == SurveyReference.equalNeighbours(first, count: width, in: span))
        }
    }

    @Test(arguments: [FineColorLayout.gray, .rgb, .rgbx, .bgrx], widths)
    func convertingColoursEqualsItsTwin(layout: FineColorLayout, width: Int) {
        var random = SeededRandom(seed: UInt64(500 + width))
        let pixels = (0..<width * layout.bytesPerPixel).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        pixels.withRawSpan { pixels in
            compare(
                Rows(count: 4, seed: 1), results: layout == .gray ? 0..<1 : 0..<3, count: width,
                {
                    FineColorKernels.convert(
                        pixels, layout: layout, width: width, luma: Rows.offset(0), cb: Rows.offset(1),
                        cr: Rows.offset(2), into: &$0)
                },
                {
                    FineColorReference.convert(
                        pixels, layout: layout, width: width, luma: Rows.offset(0), cb: Rows.offset(1),
                        cr: Rows.offset(2), into: &$0)
                })
        }
    }

    @Test(arguments: [BlockUse.plain, .luma, .chroma(decoded: 12 * Rows.stride)], [0.02, 0.3, 2])
    func codingBlocksEqualsItsTwin(use: BlockUse, scale: Double) {
        let zone = DeadZone(FittedTables(scale: scale, chroma: .subsampled).luma, DeadZone.luma)
        for seed in 0..<40 {
            var rows = Rows(count: 20, seed: UInt64(600 + seed), limit: 2040)
            // Words are beyond the limits of samples too rarely: some blocks become mostly white or black.
            if seed % 2 == 0 {
                for place in stride(from: 0, to: rows.bytes.count, by: 2) where rows.bytes[place] < UInt8(seed * 6) {
                    let edge: Int16 = seed % 4 == 0 ? 2032 : -2048
                    rows.bytes[place] = UInt8(truncatingIfNeeded: edge)
                    rows.bytes[place + 1] = UInt8(truncatingIfNeeded: edge >> 8)
                }
            }
            var (a, b) = (rows, rows)
            var (first, second) = ([UInt8](repeating: 0, count: 640), [UInt8](repeating: 1, count: 640))
            a.bytes.withMutableBytes { workspace in
                first.withMutableBytes {
                    QuantizingKernels.code(
                        samples: 64, stride: Rows.stride, blockCount: 5, numbers: zone.numbers.span, use: use,
                        into: &$0,
                        at: 0, in: &workspace)
                }
            }
            b.bytes.withMutableBytes { workspace in
                second.withMutableBytes {
                    QuantizingReference.code(
                        samples: 64, stride: Rows.stride, blockCount: 5, numbers: zone.numbers.span, use: use,
                        into: &$0,
                        at: 0, in: &workspace)
                }
            }
            #expect(first == second)
            #expect(a.bytes == b.bytes)
        }
    }

    @Test(arguments: [BlockUse.plain, .luma]) func transformingBlocksEqualsItsTwin(use: BlockUse) {
        let zone = DeadZone(FittedTables(scale: 0.4, chroma: .subsampled).luma, DeadZone.luma)
        var rows = Rows(count: 8, seed: 700, limit: 2040)
        // One block is half white.
        for row in 0..<4 {
            for x in 0..<8 {
                rows.bytes[Rows.offset(row) + 2 * x] = UInt8(truncatingIfNeeded: 2032)
                rows.bytes[Rows.offset(row) + 2 * x + 1] = 7
            }
        }
        var (first, second) = ([UInt8](repeating: 0, count: 640), [UInt8](repeating: 1, count: 640))
        rows.bytes.withMutableBytes { workspace in
            first.withMutableBytes {
                QuantizingKernels.transform(
                    samples: 64, stride: Rows.stride, blockCount: 5, numbers: zone.numbers.span, use: use, into: &$0,
                    at: 0, in: &workspace)
            }
            second.withMutableBytes {
                QuantizingReference.transform(
                    samples: 64, stride: Rows.stride, blockCount: 5, numbers: zone.numbers.span, use: use, into: &$0,
                    at: 0, in: &workspace)
            }
        }
        #expect(first == second)
    }

    @Test func decodingBlocksEqualsItsTwin() {
        let zone = DeadZone(FittedTables(scale: 0.4, chroma: .subsampled).chroma, DeadZone.chroma)
        var random = SeededRandom(seed: 800)
        var levels = (0..<5 * 64).flatMap { index -> [UInt8] in
            let value = Int16(truncatingIfNeeded: Int(random.next() % 9) - 4) * (index % 64 < 20 ? 1 : 0)
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        let rows = Rows(count: 8, seed: 801)
        levels.withMutableBytes { levels in
            let decode = { (bytes: inout MutableRawSpan, levels: inout MutableRawSpan) in
                QuantizingKernels.decode(
                    coefficients: &levels, at: 0, blockCount: 5, numbers: zone.numbers.span, samples: 64,
                    stride: Rows.stride, in: &bytes)
            }
            let twin = { (bytes: inout MutableRawSpan, levels: inout MutableRawSpan) in
                QuantizingReference.decode(
                    coefficients: &levels, at: 0, blockCount: 5, numbers: zone.numbers.span, samples: 64,
                    stride: Rows.stride, in: &bytes)
            }
            var (a, b) = (rows, rows)
            a.bytes.withMutableBytes { decode(&$0, &levels) }
            b.bytes.withMutableBytes { twin(&$0, &levels) }
            #expect(a.bytes == b.bytes)
            #expect(a.bytes != rows.bytes)
        }
    }
}
