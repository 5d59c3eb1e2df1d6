import CodecTestSupport
import ImageCodecsCore
import ImageInspection
import JPEGCodec
import JPEGBaselineCodec
import Testing

/// Rows that a tolerant decode calls decoded are those of the sound file.
@Suite struct TolerantRowsTests {
    private static let samples = MatrixFile.sample(every: 11)

    private func scans(_ bytes: [UInt8]) throws -> [JPEGMarkerListing.Segment] {
        try JPEGMarkerListing(ImageData(bytes)).segments.filter { $0.name == "SOS" }
    }

    /// Decodes a damaged file, and compares the rows it calls decoded with those of the sound one.
    private func expectTrueRows(_ damaged: [UInt8], of sample: MatrixFile) throws {
        try expectTrueRows(damaged, of: sample.bytes, sample.name)
    }

    private func expectTrueRows(_ damaged: [UInt8], of sound: [UInt8], _ name: String) throws {
        let whole = try JPEGCoder().decode(ImageData(sound), options: .default).bitmap
        let image = try JPEGCoder().decode(ImageData(damaged), options: .tolerant)
        let partial = try #require(image.partial)
        #expect(partial.cause != nil)
        for y in partial.rows.joined() {
            let isSame = image.bitmap.withRowBytes(y) { mine in whole.withRowBytes(y) { mine.hasSameBytes(as: $0) } }
            #expect(isSame, "row \(y) of \(name)")
        }
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func aScanWithoutItsTableDeliversNothing(_ sample: MatrixFile) throws {
        let last = try #require(try scans(sample.bytes).last)
        var damaged = sample.bytes
        // Both tables of the scan's first component are those of the last slot, which no file of the matrix fills.
        damaged[last.offset + 6] = 0x33
        try expectTrueRows(damaged, of: sample)
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func aScanThatComesTwiceMakesNoRowReal(_ sample: MatrixFile) throws {
        let scans = try scans(sample.bytes)
        let first = try #require(scans.first)
        let end = first.offset + 4 + (first.byteCount ?? 0) + first.codedByteCount
        let again = sample.bytes[..<end] + sample.bytes[first.offset..<end] + sample.bytes[end...]
        let image = try JPEGCoder().decode(ImageData(Array(again)), options: .tolerant)
        #expect(image.partial?.rows == [])
        #expect(image.partial?.cause != nil)
    }

    @Test(arguments: samples.filter { $0.name.contains("restart") })
    func rowsBehindARestartMarkerWithAnotherNumberAreNotReal(_ sample: MatrixFile) throws {
        let scan = try #require(try scans(sample.bytes).first)
        let start = scan.offset + 4 + (scan.byteCount ?? 0)
        let data = start..<start + scan.codedByteCount - 1
        guard let marker = data.first(where: { sample.bytes[$0] == 0xFF && sample.bytes[$0 + 1] == 0xD0 }) else {
            return
        }
        var damaged = sample.bytes
        damaged[marker + 1] = 0xD4
        try expectTrueRows(damaged, of: sample)
    }

    /// A progressive 4:2:0 picture of 256x256 pixels whose only scan brings the DC coefficients, a restart interval for each of
    /// its 16 rows of MCUs, of which one may be cut off after its third byte: AC coefficients are estimated.
    private func pictureOfMeans(cutRow: Int? = nil) -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 2, count: 64)
        file += [0xFF, 0xC2, 0, 17, 8, 1, 0, 1, 0, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
        // "00" is a difference of no bits, "01" one of 5 bits, "10" one of 6.
        file += [0xFF, 0xC4, 0, 22, 0x00, 0, 3] + Array(repeating: 0, count: 14) + [0, 5, 6]
        file += [0xFF, 0xDD, 0, 4, 0, 16, 0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]
        var random = SeededRandom(seed: 7)
        for row in 0..<16 {
            var bits: [Int] = []
            var predictors = [0, 0, 0]
            for _ in 0..<16 {
                for component in [0, 0, 0, 0, 1, 2] {
                    let size = [0, 5, 6].randomElement(using: &random) ?? 0
                    bits += size == 0 ? [0, 0] : [size - 5, 6 - size]
                    guard size > 0 else { continue }
                    let magnitude = Int.random(in: 1 << (size - 1)..<1 << size, using: &random)
                    let isNegative = predictors[component] > 0
                    predictors[component] += isNegative ? -magnitude : magnitude
                    bits += (0..<size).reversed().map { (magnitude >> $0 & 1) ^ (isNegative ? 1 : 0) }
                }
            }
            bits += Array(repeating: 1, count: -bits.count & 7)
            let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
                UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
            }
            file += (row == cutRow ? bytes.prefix(3) : bytes[...]).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
            if row < 15 { file += [0xFF, 0xD0 + UInt8(row & 7)] }
        }
        return file + [0xFF, 0xD9]
    }

    @Test func rowsInterpolatedWithEstimatesOfDamageAreNotReal() throws {
        let damaged = pictureOfMeans(cutRow: 8)
        try expectTrueRows(damaged, of: pictureOfMeans(), "a picture of means")
        // Estimates reach from MCU row 8 to rows 6 and 10, interpolation one row of pixels beyond.
        let image = try JPEGCoder().decode(ImageData(damaged), options: .tolerant)
        #expect(image.partial?.rows == [0..<95, 177..<256])
    }
}
