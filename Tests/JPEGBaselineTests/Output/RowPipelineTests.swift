// Two threads give the same picture as one.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct RowPipelineTests {
    /// Entropy-coded bits, most significant first, with a zero byte stuffed after each 0xFF.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var pending: UInt32 = 0
        private var count = 0

        mutating func append(_ bits: UInt32, _ bitCount: Int) {
            for position in (0..<bitCount).reversed() {
                pending = pending << 1 | (bits >> position & 1)
                count += 1
                guard count == 8 else { continue }
                bytes.append(UInt8(truncatingIfNeeded: pending))
                if bytes.last == 0xFF { bytes.append(0) }
                (pending, count) = (0, 0)
            }
        }

        mutating func pad() { while count != 0 { append(1, 1) } }
    }

    /// A baseline file, 4:2:0, of random DC coefficients: flat blocks of all shades.
    private func flatBlocks(_ size: PixelSize, seed: UInt64) -> [UInt8] {
        func bytes(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 16, count: 64)
        file += [0xFF, 0xC0, 0, 17, 8] + bytes(size.height) + bytes(size.width)
        file += [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
        // DC: "0" is a difference of 0 bits, "10" one of 4 bits. AC: "0" ends the block.
        file += [0xFF, 0xC4, 0, 21, 0x00, 1, 1] + Array(repeating: 0, count: 14) + [0, 4]
        file += [0xFF, 0xC4, 0, 20, 0x10, 1] + Array(repeating: 0, count: 15) + [0]
        file += [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
        var random = SeededRandom(seed: seed)
        var bits = BitWriter()
        for _ in 0..<(size.width + 15) / 16 * ((size.height + 15) / 16) * 6 {
            if Bool.random(using: &random) {
                bits.append(0b10, 2)
                bits.append(UInt32.random(in: 0...15, using: &random), 4)
            } else {
                bits.append(0, 1)
            }
            bits.append(0, 1)
        }
        bits.pad()
        return file + bits.bytes + [0xFF, 0xD9]
    }

    private func decode(_ file: [UInt8], threads: Int, strictness: DecodingOptions.Strictness) throws -> [[UInt8]] {
        var options = DecodingOptions.default
        options.maxThreadCount = threads
        options.strictness = strictness
        options.pixelFormat = .bgrx
        var decoder = JPEGBaselineDecoder(options: options)
        _ = try decoder.append(file.span)
        _ = try decoder.finish()
        let bitmap = try #require(try decoder.image()).bitmap
        return (0..<bitmap.height).map { y in bitmap.withRowBytes(y) { $0.copiedBytes() } }
    }

    private let size = PixelSize(width: 1500, height: 1000)

    @Test func twoThreadsGiveTheSamePictureAsOne() throws {
        let file = flatBlocks(size, seed: 31)
        #expect(file.count > 1 << 14)
        let one = try decode(file, threads: 1, strictness: .strict)
        #expect(one.count == size.height)
        #expect(Set(one).count > size.height / 20)
        for _ in 0..<3 {
            #expect(try decode(file, threads: 2, strictness: .strict) == one)
        }
    }

    @Test func aTruncatedFileEndsTheSameWay() throws {
        let file = flatBlocks(size, seed: 32)
        let part = Array(file.prefix(file.count * 9 / 10))
        #expect(part.count > 1 << 14)
        #expect(
            try decode(part, threads: 2, strictness: .tolerant) == decode(part, threads: 1, strictness: .tolerant))
        #expect(throws: ImageError.self) { try decode(part, threads: 2, strictness: .strict) }
    }

    @Test func furtherRowsAreCounted() throws {
        let file = flatBlocks(size, seed: 33)
        let peaks = try [1, 2].map { threads in
            var options = DecodingOptions.default
            options.maxThreadCount = threads
            var decoder = JPEGBaselineDecoder(options: options)
            _ = try decoder.append(file.span)
            return try #require(decoder.info).estimatedPeakByteCount
        }
        #expect(peaks[1] > peaks[0])
    }
}
