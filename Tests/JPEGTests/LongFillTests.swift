// Files whose data are long for their pixels: each data byte 0xFF has as many fill bytes before it as are read.

import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import JPEGBaselineCodec
import Testing

/// Rows of more than a mebibyte go through the windows of entropy decoding.
@Suite struct LongFillTests {
    /// Bits, the first in the highest place; the last byte is filled up with ones.
    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private var last: UInt32 = 1

        mutating func append(_ bits: UInt32, count: Int) {
            for place in (0..<count).reversed() {
                last = last << 1 | (bits >> UInt32(place) & 1)
                if last > 255 {
                    bytes.append(UInt8(truncatingIfNeeded: last))
                    last = 1
                }
            }
        }

        mutating func finish() { while last > 1 { append(1, count: 1) } }
    }

    /// DC: "0" is a difference of one bit, "1" none. AC: "0" ends the block, "1" is a coefficient of one bit.
    private static let tables: [UInt8] =
        [0xFF, 0xC4, 0, 21, 0x00, 2] + Array(repeating: 0, count: 15) + [1, 0]
        + [0xFF, 0xC4, 0, 21, 0x10, 2] + Array(repeating: 0, count: 15) + [0, 1]

    private static let columns = 700
    private static let rows = 2

    /// A file of `columns` x `rows` gray blocks, almost all of whose bits are ones.
    ///
    /// - Parameter fill: 0xFF before each stuffed zero.
    private static func file(isProgressive: Bool, fill: Int) -> [UInt8] {
        var random = SeededRandom(seed: 4)
        var (dc, ac, both) = (Bits(), Bits(), Bits())
        for block in 0..<columns * rows {
            // Now and then another mean, a sign, a block that ends early: lost bits would show.
            let differs = block % 5 == 2
            let sign = UInt32.random(in: 0...1, using: &random)
            dc.append(differs ? sign : 1, count: differs ? 2 : 1)
            both.append(differs ? sign : 1, count: differs ? 2 : 1)
            let coefficientCount = block % 7 == 3 ? Int.random(in: 0..<63, using: &random) : 63
            for index in 0..<coefficientCount {
                let coefficient: UInt32 = index == 20 && sign == 0 ? 0b10 : 0b11
                ac.append(coefficient, count: 2)
                both.append(coefficient, count: 2)
            }
            if coefficientCount < 63 {
                ac.append(0, count: 1)
                both.append(0, count: 1)
            }
        }
        dc.finish()
        ac.finish()
        both.finish()
        func filled(_ bits: Bits) -> [UInt8] {
            let prefix = [UInt8](repeating: 0xFF, count: fill) + [0]
            return bits.bytes.flatMap { $0 == 0xFF ? prefix : [$0] }
        }
        let (width, height) = (8 * columns, 8 * rows)
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 4, count: 64)
        file += [0xFF, isProgressive ? 0xC2 : 0xC0, 0, 11, 8, 0, UInt8(height), UInt8(width >> 8), UInt8(width & 255)]
        file += [1, 1, 0x11, 0] + tables
        if isProgressive {
            file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0] + filled(dc)
            file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0] + filled(ac)
        } else {
            file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + filled(both)
        }
        return file + [0xFF, 0xD9]
    }

    @Test(arguments: [false, true])
    func fillBytesChangeNothing(_ isProgressive: Bool) throws {
        let plain = Self.file(isProgressive: isProgressive, fill: 1)
        let long = Self.file(isProgressive: isProgressive, fill: EntropyBitReader.maximumFill)
        #expect(plain.count < 1 << 16 && long.count > 4 << 20)
        let expected = try JPEGCoder().decode(ImageData(plain), options: .default).bitmap
        // Not one gray.
        #expect(expected.withRow(5) { row in Set((0..<row.count / 4).map { row[4 * $0] }).count > 20 })
        for threads in [1, 2] {
            var options = DecodingOptions()
            options.maxThreadCount = threads
            #expect(try JPEGCoder().decode(ImageData(long), options: options).bitmap == expected)
            // Pieces that end before, in and after a window.
            for pieceSize in [300_007, (1 << 20) + 1, 3 << 20] {
                #expect(try JPEGCoder().decode(long, inPiecesOf: pieceSize, options: options)?.bitmap == expected)
            }
        }
    }

    @Test(arguments: [false, true])
    func fillBytesArePromised(_ isProgressive: Bool) throws {
        let long = Self.file(isProgressive: isProgressive, fill: EntropyBitReader.maximumFill)
        let info = try JPEGCoder().inspect(ImageData(long), options: .default)
        for pieceSize in [4096, 300_007, Int.max] {
            let meter = MemoryMeter()
            var options = DecodingOptions()
            options.memoryMeter = meter
            if pieceSize < long.count {
                _ = try JPEGCoder().decode(long, inPiecesOf: pieceSize, options: options)
            } else {
                _ = try JPEGCoder().decode(ImageData(long), options: options)
            }
            #expect(meter.peak <= info.estimatedPeakByteCount, "pieces of \(pieceSize)")
        }
    }

    /// One 0xFF more than are read ends the data like a marker.
    @Test(arguments: [false, true])
    func longerFillIsDamage(_ isProgressive: Bool) {
        let file = Self.file(isProgressive: isProgressive, fill: EntropyBitReader.maximumFill + 1)
        for pieceSize in [300_007, Int.max] {
            #expect(throws: ImageError.self) {
                _ =
                    pieceSize < file.count
                    ? try JPEGCoder().decode(file, inPiecesOf: pieceSize, options: .default)
                    : try JPEGCoder().decode(ImageData(file), options: .default)
            }
        }
    }
}
