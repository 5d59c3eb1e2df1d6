// The stream that the article on compression makes by hand.

import DeflateCodec
import HostileFiles
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct DeflateArticleTests {
    private static let first: [UInt8] = [1, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0]
    private static let second: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let last: [UInt8] = [1, 0, 1, 0, 0, 2, 0, 1, 0, 1, 0, 0, 0]
    private static let scanlines = first + second + first + second + last

    private static let stream: [UInt8] = [
        0x18, 0x95, 0x8D, 0xC9, 0xA1, 0x01, 0x00, 0x00, 0x08, 0xC0, 0x20, 0xE6, 0xFF, 0x47,
        0x5B, 0x8D, 0x52, 0x49, 0x8C, 0x90, 0x71, 0x3C, 0x26, 0x2C, 0x03, 0x43, 0x00, 0x17,
    ]

    /// Symbols of literals, lengths and the end of the block that occur, and how often.
    private static let counts = [0: 12, 1: 5, 2: 2, 256: 1, 265: 1, 273: 1]
    private static let lengths = [0: 1, 1: 2, 2: 4, 256: 4, 265: 4, 273: 4]
    /// Extra bits of lengths 11 and 35 and of distance 26.
    private static let extraBitCount = 1 + 3 + 3
    /// Runs of lengths: a length, how often it stands there; the distances begin with the last three.
    private static let runs = [
        (1, 1), (2, 1), (4, 1), (0, 138), (0, 115), (4, 1), (0, 8), (4, 1), (0, 7), (4, 1), (1, 1), (0, 8), (1, 1),
    ]
    private static let lengthCodeLengths = [1: 2, 2: 3, 4: 2, 17: 2, 18: 3]

    private static func compressed(_ effort: CompressionEffort) throws -> [UInt8] {
        var work = WorkGuard.unlimited
        return try Deflater.compress(scanlines.span, effort: effort, meter: nil, work: &work)
    }

    @Test func theScanlinesOfTheArticleBecomeItsStream() throws {
        #expect(Self.scanlines.count == 65)
        #expect(try Self.compressed(.default) == Self.stream)
    }

    @Test func threeBytesCostLessThanTheirCopyAtTheFirstPrices() {
        // No literal is cheaper than 3 bits: log2(81 / n) exceeds that only if n is below an eighth of 81.
        let (zeros, ones) = (Self.scanlines.count { $0 == 0 }, Self.scanlines.count { $0 == 1 })
        #expect(zeros == 48)
        #expect(ones == 12)
        let total = Self.scanlines.count + Self.scanlines.count / 4
        #expect(total == 81)
        #expect(8 * ones > total)
        #expect(Self.scanlines[2..<5] == [1, 0, 0] && Array(Self.scanlines[7..<10]) == [1, 0, 0])
        let (literals, copy): (Int, Int) = (3 * 3, 7 + 5 + 1)
        #expect(literals < copy)
        #expect(Self.scanlines[14..<26].allSatisfy { $0 == 0 })
        #expect(Self.scanlines[26..<61].elementsEqual(Self.scanlines[0..<35]))
        #expect(Array(Self.scanlines[61...]) == [1, 0, 0, 0])
    }

    @Test func theCountsOfTheArticleAreThoseOfItsLiterals() {
        let literals = Self.scanlines[0..<15] + Self.scanlines[61...]
        #expect(literals.count == 19)
        for value in 0...2 { #expect(literals.count { $0 == value } == Self.counts[value]) }
    }

    @Test func theRarestTwoJoinedAgainAndAgainGiveTheLengthsOfTheArticle() {
        var nodes = Self.counts.values.sorted()
        var sums: [Int] = []
        while nodes.count > 1 {
            sums.append(nodes[0] + nodes[1])
            nodes = (nodes.dropFirst(2) + [nodes[0] + nodes[1]]).sorted()
        }
        #expect(sums == [2, 3, 5, 10, 22])
        // Each joining makes the codes of all below it one bit longer.
        #expect(sums.reduce(0, +) == 42)
        #expect(Self.counts.reduce(0) { $0 + $1.value * (Self.lengths[$1.key] ?? 0) } == 42)
        // The lengths make a complete code.
        #expect(Self.lengths.values.reduce(0) { $0 + 16 >> $1 } == 16)
        #expect(Self.lengthCodeLengths.values.reduce(0) { $0 + 8 >> $1 } == 8)
    }

    @Test func theBlockWithItsOwnCodesIsTheShortest() {
        let runBits = Self.runs.reduce(0) { $0 + (Self.lengthCodeLengths[Self.symbol(of: $1)] ?? 0) }
        let runExtraBits = Self.runs.reduce(0) { $0 + Self.extraBits(of: $1) }
        #expect(runBits == 29)
        #expect(runExtraBits == 23)
        let header: Int = 3 + 14 + 18 * 3 + runBits + runExtraBits
        #expect(header == 123)
        let block: Int = header + 42 + 2 + Self.extraBitCount
        #expect(block == 174)
        let fixed: Int = 3 + 19 * 8 + 3 * 7 + 2 * 5 + Self.extraBitCount
        #expect(fixed == 193)
        let stored: Int = 3 + 5 + 32 + 65 * 8
        #expect(stored == 560)
        let byteCount: Int = 2 + (174 + 7) / 8 + 4
        #expect(byteCount == Self.stream.count)
    }

    @Test func theBitsOfTheArticleAreThoseOfTheStream() {
        var writer = DeflateBitWriter()
        writer.put([0x18, 0x95])
        writer.put(1, 1)
        writer.put(2, 2)
        Self.putHeader(&writer)
        let literals = DeflateCode(lengths: (0..<274).map { Self.lengths[$0] ?? 0 })
        let distances = DeflateCode(lengths: (0..<10).map { $0 == 0 || $0 == 9 ? 1 : 0 })
        for byte in Self.scanlines[0..<15] { literals.write(Int(byte), &writer) }
        // 11 bytes from 1 byte back: lengths 11 and 12 are symbol 265.
        literals.write(265, &writer)
        writer.put(11 - 11, 1)
        distances.write(0, &writer)
        // 35 bytes from 26 bytes back: lengths 35...42 are symbol 273, distances 25...32 are symbol 9.
        literals.write(273, &writer)
        writer.put(35 - 35, 3)
        distances.write(9, &writer)
        writer.put(26 - 25, 3)
        for byte in Self.scanlines[61...] { literals.write(Int(byte), &writer) }
        literals.write(256, &writer)
        writer.alignToByte()
        #expect(writer.bytes + [0x03, 0x43, 0x00, 0x17] == Self.stream)
    }

    @Test func bestNeedsFewerBytesWithFixedCodes() throws {
        // Eight literals, five copies with 11 extra bits, the end.
        let fixed: Int = 3 + 8 * 8 + 5 * (7 + 5) + 11 + 7
        #expect(fixed == 145)
        let stream = try Self.compressed(.best)
        #expect(stream.count == 25)
        let byteCount: Int = 2 + (fixed + 7) / 8 + 4
        #expect(byteCount == 25)
        // The last block, with fixed codes.
        #expect(stream[2] & 7 == 0b011)
    }

    // MARK: - The header

    /// The symbol that stands for a run of lengths, and its extra bits.
    private static func symbol(of run: (length: Int, count: Int)) -> Int {
        run.length > 0 ? run.length : run.count > 10 ? 18 : 17
    }

    private static func extraBits(of run: (length: Int, count: Int)) -> Int {
        run.length > 0 ? 0 : run.count > 10 ? 7 : 3
    }

    private static func putHeader(_ writer: inout DeflateBitWriter) {
        writer.put(274 - 257, 5)
        writer.put(10 - 1, 5)
        writer.put(18 - 4, 4)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
        for symbol in order { writer.put(lengthCodeLengths[symbol] ?? 0, 3) }
        let code = DeflateCode(lengths: (0..<19).map { lengthCodeLengths[$0] ?? 0 })
        for run in runs {
            code.write(symbol(of: run), &writer)
            writer.put(run.1 - (run.1 > 10 ? 11 : 3), extraBits(of: run))
        }
    }
}
