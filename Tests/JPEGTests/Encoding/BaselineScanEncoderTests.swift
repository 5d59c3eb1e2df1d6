// The one-pass encoder against libjpeg-turbo's bytes.
//
// The vectors come from cjpeg of libjpeg-turbo 2.1.5 (`-dct int -baseline -quality Q -sample HxV -restart NB`) on the
// pictures that `Vector.pixels` makes; printed is the FNV-1a hash of the bytes between the scan header and EOI.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct BaselineScanEncoderTests {
    struct Vector: Sendable, CustomStringConvertible {
        let format: PixelFormat
        let subsampling: JPEGSubsampling
        let width: Int
        let height: Int
        let quality: Int
        let restart: Int
        let seed: UInt64
        let byteCount: Int
        let hash: UInt64

        init(
            _ format: PixelFormat, _ subsampling: JPEGSubsampling, _ width: Int, _ height: Int, quality: Int,
            restart: Int, seed: UInt64, bytes: Int, hash: UInt64
        ) {
            self.format = format
            self.subsampling = subsampling
            self.width = width
            self.height = height
            self.quality = quality
            self.restart = restart
            self.seed = seed
            byteCount = bytes
            self.hash = hash
        }

        var description: String { "\(format) \(subsampling.rawValue) \(width)x\(height) quality \(quality)" }

        /// Ramps, under noise that grows to the right.
        var pixels: [UInt8] {
            var random = SeededRandom(seed: seed)
            var pixels: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 1...format.bytesPerPixel {
                        let noise = Int(random.next() >> 33 & 255) * x / width
                        pixels.append(UInt8(truncatingIfNeeded: 5 * x * channel + 3 * y + noise))
                    }
                }
            }
            return pixels
        }

        func frame() throws -> EncoderFrame {
            let model = format == .gray ? JPEGColorModel.grayscale : .yCbCr
            let tables = StandardQuantization.tables(quality: Double(quality), count: EncoderFrame.tableCount(model))
            return try #require(
                EncoderFrame(
                    size: PixelSize(width: width, height: height), colorModel: model, subsampling: subsampling,
                    quantizationTables: tables))
        }
    }

    static let vectors = [
        Vector(.rgb, .yCbCr444, 1, 1, quality: 75, restart: 0, seed: 1, bytes: 4, hash: 0xea7d_8d71_fd99_fc7f),
        Vector(.rgb, .yCbCr444, 17, 33, quality: 90, restart: 0, seed: 2, bytes: 1030, hash: 0x1877_1208_25f1_2d95),
        Vector(.rgb, .yCbCr444, 40, 9, quality: 30, restart: 0, seed: 3, bytes: 211, hash: 0x1db9_d491_a0fe_df4c),
        Vector(.rgb, .yCbCr444, 70, 61, quality: 100, restart: 3, seed: 4, bytes: 17301, hash: 0xa7d6_1c70_0990_d7ed),
        Vector(.rgb, .yCbCr444, 257, 50, quality: 50, restart: 7, seed: 5, bytes: 9850, hash: 0xfda6_28cc_a96d_04d7),
        Vector(.rgb, .yCbCr422, 1, 1, quality: 75, restart: 0, seed: 6, bytes: 4, hash: 0xea5b_c671_fd7d_76f4),
        Vector(.rgb, .yCbCr422, 17, 33, quality: 90, restart: 0, seed: 7, bytes: 766, hash: 0x24ec_08bb_56fe_2646),
        Vector(.rgb, .yCbCr422, 40, 9, quality: 30, restart: 0, seed: 8, bytes: 149, hash: 0xb695_4596_1d00_b1f5),
        Vector(.rgb, .yCbCr422, 70, 61, quality: 100, restart: 3, seed: 9, bytes: 11946, hash: 0xdaec_d132_9b7c_2ab6),
        Vector(.rgb, .yCbCr422, 257, 50, quality: 50, restart: 7, seed: 10, bytes: 6466, hash: 0xd137_f8c0_f502_1a0e),
        Vector(.rgb, .yCbCr420, 1, 1, quality: 75, restart: 0, seed: 11, bytes: 6, hash: 0x7c34_1e02_016c_b0a1),
        Vector(.rgb, .yCbCr420, 17, 33, quality: 90, restart: 0, seed: 12, bytes: 574, hash: 0x590f_48d4_5f56_4eaf),
        Vector(.rgb, .yCbCr420, 40, 9, quality: 30, restart: 0, seed: 13, bytes: 127, hash: 0xd4fd_43e9_def6_2536),
        Vector(.rgb, .yCbCr420, 70, 61, quality: 100, restart: 3, seed: 14, bytes: 8651, hash: 0x032c_4a68_727e_fbc4),
        Vector(.rgb, .yCbCr420, 257, 50, quality: 50, restart: 7, seed: 15, bytes: 5078, hash: 0xa1da_a76e_96c5_a573),
        Vector(.rgb, .yCbCr440, 1, 1, quality: 75, restart: 0, seed: 16, bytes: 4, hash: 0xea5b_c671_fd7d_76f4),
        Vector(.rgb, .yCbCr440, 17, 33, quality: 90, restart: 0, seed: 17, bytes: 694, hash: 0x8dc8_6bc9_72e1_120b),
        Vector(.rgb, .yCbCr440, 40, 9, quality: 30, restart: 0, seed: 18, bytes: 143, hash: 0x43cc_9825_fb1b_da14),
        Vector(.rgb, .yCbCr440, 70, 61, quality: 100, restart: 3, seed: 19, bytes: 11238, hash: 0x4a41_58c9_51ec_22f3),
        Vector(.rgb, .yCbCr440, 257, 50, quality: 50, restart: 7, seed: 20, bytes: 6531, hash: 0x10ab_1f9f_a3b2_39b2),
        Vector(.rgb, .yCbCr411, 1, 1, quality: 75, restart: 0, seed: 21, bytes: 6, hash: 0x7c34_1e02_016c_b0a1),
        Vector(.rgb, .yCbCr411, 17, 33, quality: 90, restart: 0, seed: 22, bytes: 660, hash: 0x1e43_a354_ec91_82bf),
        Vector(.rgb, .yCbCr411, 40, 9, quality: 30, restart: 0, seed: 23, bytes: 134, hash: 0x8825_79d6_8c0c_85cf),
        Vector(.rgb, .yCbCr411, 70, 61, quality: 100, restart: 3, seed: 24, bytes: 9203, hash: 0x08ed_aafb_b3ea_10a3),
        Vector(.rgb, .yCbCr411, 257, 50, quality: 50, restart: 7, seed: 25, bytes: 5120, hash: 0x0ef9_f952_9a60_c7ab),
        Vector(.gray, .yCbCr444, 1, 1, quality: 75, restart: 0, seed: 26, bytes: 3, hash: 0x0832_c61b_ebfc_4153),
        Vector(.gray, .yCbCr444, 65, 35, quality: 85, restart: 2, seed: 27, bytes: 1536, hash: 0x8cba_d4f1_54aa_4469),
    ]

    /// Calls `body` with each row of the pixels.
    private func forEachRow(
        _ pixels: [UInt8], bytesPerRow: Int, _ body: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try pixels.withRawSpan { (bytes) throws(ImageError) in
            for start in stride(from: 0, to: bytes.byteCount, by: bytesPerRow) {
                try body(bytes.extracting(start..<start + bytesPerRow))
            }
        }
    }

    private func encode(_ vector: Vector, as format: PixelFormat) throws -> [UInt8] {
        var encoder = try BaselineScanEncoder(
            try vector.frame(), format: format, restartInterval: vector.restart, meter: nil)
        var bytes: [UInt8] = []
        var pixels = vector.pixels
        if format != vector.format {
            pixels = (0..<vector.width * vector.height).flatMap { pixel in
                let color = pixels[3 * pixel..<3 * pixel + 3]
                return (format.layout == .bgra ? Array(color.reversed()) : Array(color)) + [UInt8(pixel & 255)]
            }
        }
        try forEachRow(pixels, bytesPerRow: vector.width * format.bytesPerPixel) { (row) throws(ImageError) in
            try encoder.write(row) { bytes.append($0) }
        }
        try encoder.finish { bytes.append($0) }
        return bytes
    }

    @Test(arguments: vectors)
    func bytesAreThoseOfLibjpegTurbo(_ vector: Vector) throws {
        let formats: [PixelFormat] = vector.format == .gray ? [.gray] : [.rgb, .bgrx, .rgba]
        for format in formats {
            let bytes = try encode(vector, as: format)
            #expect(bytes.count == vector.byteCount)
            let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            #expect(hash == vector.hash)
        }
    }

    /// What is kept of a picture, coded block by block in the order of the scan, is what one pass codes.
    @Test(arguments: vectors)
    func keptCoefficientsAreThoseThatAreCoded(_ vector: Vector) throws {
        let frame = try vector.frame()
        var collector = try CoefficientCollector(frame, format: vector.format, meter: nil)
        try forEachRow(vector.pixels, bytesPerRow: vector.width * vector.format.bytesPerPixel) { collector.write($0) }
        #expect(collector.isComplete)
        var natural: [Int16] = []
        var scan: [CodedBlock] = []
        for row in 0..<frame.geometry.mcuRows {
            for column in 0..<frame.geometry.mcusPerRow {
                for (index, component) in frame.geometry.components.enumerated() {
                    for v in 0..<component.verticalSampling {
                        for h in 0..<component.horizontalSampling {
                            let kept = collector.coefficients[index]
                            natural += block(
                                kept, column: column * component.horizontalSampling + h,
                                row: row * component.verticalSampling + v)
                            scan.append(
                                CodedBlock(predictor: index, codes: frame.huffmanSlot(index) * BlockCodes.count))
                        }
                    }
                }
            }
        }
        guard vector.restart == 0 else { return }
        #expect(try encode(vector, as: vector.format) == coded(natural, scan))
    }

    /// 64 coefficients in natural order.
    private func block(_ kept: QuantizedCoefficients, column: Int, row: Int) -> [Int16] {
        var block = [Int16](repeating: 0, count: 64)
        let offset = kept.byteOffset(column: column, row: row)
        kept.values.withBytes { bytes in
            for position in 0..<64 {
                block[Int(ZigZagOrder.natural[position])] = Int16(
                    bitPattern: bytes.nativeUInt16(at: offset + 2 * position))
            }
        }
        return block
    }

    /// The scan that the plain twins write.
    private func coded(_ coefficients: [Int16], _ scan: [CodedBlock]) -> [UInt8] {
        let masks = [UInt64](repeating: .max, count: scan.count)
        let ends = scan.indices.map { index in
            ZigZagOrder.natural.lastIndex { coefficients[64 * index + Int($0)] != 0 } ?? 0
        }
        let exact = zip(masks, ends).map { $0 >> UInt64(63 - $1) }
        let tables = zip(StandardTables.dc, StandardTables.ac).flatMap {
            BlockCodes(dc: HuffmanEncodingTable($0), ac: HuffmanEncodingTable($1)).entries
        }
        var state = BlockCodingState()
        var bytes = [UInt8](repeating: 0, count: 256 * scan.count)
        let written = bytes.withMutableBytes {
            BlockCodingKernelsReference.encode(
                scan.count, blocks: scan, tables: tables, state: &state, coefficients: coefficients.span,
                masks: exact.span, into: &$0)
        }
        var rest: [UInt8] = []
        state.writer.alignWithOnes(into: &rest)
        return (bytes[..<written] + rest).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }

    @Test func memoryIsWithinTheEstimate() throws {
        let meter = MemoryMeter()
        let frame = try #require(
            EncoderFrame(
                size: PixelSize(width: 1001, height: 9), colorModel: .yCbCr, subsampling: .yCbCr420,
                quantizationTables: StandardQuantization.tables(quality: 75, count: 2)))
        let encoder = try BaselineScanEncoder(frame, format: .rgb, meter: meter)
        #expect(meter.peak <= BaselineScanEncoder.byteCount(encoder.frame.geometry))
        let collector = try CoefficientCollector(frame, format: .rgb, meter: MemoryMeter())
        let second = MemoryMeter()
        _ = try CoefficientCollector(collector.frame, format: .rgb, meter: second)
        #expect(second.peak <= CoefficientCollector.byteCount(frame.geometry))
    }
}
