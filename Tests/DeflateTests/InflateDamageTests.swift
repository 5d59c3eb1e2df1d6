// What is wrong with a stream, kind by kind, in zlib's words; and what looks wrong but is not.

#if SystemZlib
import CodecTestSupport
import DeflateCodec
import HostileFiles
import PNGCodec
import Testing

@Suite struct InflateDamageTests {
    /// Writes a stream after the usual header.
    private static func stream(_ write: (inout DeflateBitWriter) -> Void) -> [UInt8] {
        var writer = DeflateBitWriter()
        writer.put([0x78, 0x9C])
        write(&writer)
        writer.alignToByte()
        return writer.bytes + [UInt8](repeating: 0, count: 80)
    }

    /// The head of a dynamic block: counts, then the lengths of the code of code lengths in the standard's order.
    private static func dynamic(
        _ literals: Int = 257, _ distances: Int = 1, codeLengths: [Int] = [],
        _ write: (inout DeflateBitWriter) -> Void = { _ in }
    ) -> [UInt8] {
        stream { writer in
            writer.put(0b101, 3)
            writer.put(literals - 257, 5)
            writer.put(distances - 1, 5)
            writer.put(max(0, codeLengths.count - 4), 4)
            for length in codeLengths { writer.put(length, 3) }
            write(&writer)
        }
    }

    /// Code lengths 0 and 1 have codes of two bits, 00 and 01; 17 and 18 too, 10 and 11.
    private static let flat = [0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]

    /// Lengths of 257 literals, of which `ones` are 1, and of one distance, by the code above.
    private static func lengths(_ ones: Set<Int>, _ count: Int, _ writer: inout DeflateBitWriter) {
        let code = DeflateCode(lengths: [2, 2] + [Int](repeating: 0, count: 15) + [2, 2])
        for symbol in 0..<count { code.write(ones.contains(symbol) ? 1 : 0, &writer) }
    }

    static let cases: [(message: String, stream: [UInt8])] = [
        ("incorrect header check", [0x78, 0x9D]),
        ("unknown compression method", [0x77, 0x85]),
        ("invalid window size", [0x88, 0x1C]),
        ("needs a preset dictionary", [0x78, 0x20, 0, 0, 0, 0]),
        ("invalid block type", stream { $0.put(0b111, 3) }),
        ("invalid stored block lengths", stream { $0.put([1, 5, 0, 5, 0]) }),
        ("too many length or distance symbols", dynamic(287)),
        ("too many length or distance symbols", dynamic(257, 31)),
        ("invalid code lengths set", dynamic(codeLengths: [1, 1, 1, 0])),
        ("invalid code lengths set", dynamic(codeLengths: [1, 0, 0, 0])),
        // A repetition before which there is nothing: symbol 16 has the code 0.
        ("invalid bit length repeat", dynamic(codeLengths: [1, 1, 0, 0])),
        // Two runs of 138 and one of 10 for 258 lengths.
        ("invalid bit length repeat", dynamic(codeLengths: [0, 1, 1, 0]) { $0.put(0b1111_1111_1111_1111, 16) }),
        ("invalid code -- missing end-of-block", dynamic(codeLengths: [0, 1, 1, 0])),
        // No code of code lengths at all.
        ("invalid code -- missing end-of-block", dynamic(codeLengths: [0, 0, 0, 0])),
        ("invalid literal/lengths set", dynamic(codeLengths: flat) { lengths([0, 1, 256], 258, &$0) }),
        ("invalid distances set", dynamic(257, 3, codeLengths: flat) { lengths([0, 256, 257, 258, 259], 260, &$0) }),
        // The end of the block has the code 0; 1 is none.
        (
            "invalid literal/length code",
            dynamic(codeLengths: flat) {
                lengths([256], 258, &$0)
                $0.put(1, 1)
            }
        ),
        // Symbol 286 of the fixed code.
        (
            "invalid literal/length code",
            stream {
                $0.put(0b011, 3)
                $0.putCode(0b1100_0110, 8)
            }
        ),
        // A length of 3, and symbol 30 of the fixed code of distances.
        (
            "invalid distance code",
            stream {
                $0.put(0b011, 3)
                $0.putCode(1, 7)
                $0.putCode(30, 5)
            }
        ),
        // One literal, then a distance of 2.
        (
            "invalid distance too far back",
            stream {
                $0.put(0b011, 3)
                $0.putCode(0x30, 8)
                $0.putCode(1, 7)
                $0.putCode(1, 5)
            }
        ),
        ("incorrect data check", Array(zlibDeflate([1, 2, 3], level: 6).dropLast()) + [0xFF]),
    ]

    @Test(arguments: cases.indices)
    func damageIsToldInZlibsWords(index: Int) throws {
        let (message, stream) = Self.cases[index]
        let expected = zlibInflate(stream, limit: 1000)
        #expect(expected.ending == .damaged(message))
        for piece in [Int.max, 1, 3] {
            var run = try InflateComparison.Run(stream, InflateComparison.Feeding(pieces: [piece]))
            #expect(try run.finish() == expected)
        }
    }

    private func expectSound(_ stream: [UInt8], _ output: [UInt8]) throws {
        let whole = InflateOutcome(output: output, ending: .finished, consumed: stream.count)
        #expect(zlibInflate(stream, limit: 1 << 17) == whole)
        for piece in [Int.max, 1] {
            let feeding = InflateComparison.Feeding(pieces: [piece], most: .max)
            var run = try InflateComparison.Run(stream, feeding)
            #expect(try run.finish() == whole)
        }
    }

    private func trailer(_ output: [UInt8]) -> [UInt8] {
        let checksum = plainAdler32(output)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) }
    }

    @Test func aBlockOfNothingButItsEndIsSound() throws {
        var writer = DeflateBitWriter()
        writer.put([0x78, 0x9C])
        writer.put(0b101, 3)
        writer.put(0, 10)
        writer.put(Self.flat.count - 4, 4)
        for length in Self.flat { writer.put(length, 3) }
        Self.lengths([256], 258, &writer)
        writer.put(0, 1)
        writer.alignToByte()
        try expectSound(writer.bytes + trailer([]), [])
    }

    @Test func distancesMayReachBehindTheWindowThatTheHeaderNames() throws {
        // Two equal parts of 2000 bytes, and a header that says 256.
        let part = SwiftInflaterTests.sample(2000, seed: 9)
        var stream = zlibDeflate(part + part, level: 9)
        (stream[0], stream[1]) = (0x08, 0x1D)
        try expectSound(stream, part + part)
    }

    @Test func lengthsOf258HaveTwoCodes() throws {
        var writer = DeflateBitWriter()
        writer.put([0x78, 0x9C])
        writer.put(0b011, 3)
        writer.putCode(0x30 + 7, 8)
        // Symbol 284 with all its extra bits, then symbol 285; a distance of 1 each.
        for (code, extra, count) in [(0b1100_0100, 31, 5), (0b1100_0101, 0, 0)] {
            writer.putCode(code, 8)
            writer.put(extra, count)
            writer.putCode(0, 5)
        }
        writer.putCode(0, 7)
        writer.alignToByte()
        let output = [UInt8](repeating: 7, count: 517)
        try expectSound(writer.bytes + trailer(output), output)
    }

    @Test func theLongestDistanceIsTheWholeWindow() throws {
        var random = SeededRandom(seed: 2)
        let noise = random.bytes(32_768)
        var writer = DeflateBitWriter()
        writer.put([0x78, 0x9C])
        writer.put(0, 3)
        writer.alignToByte()
        writer.put([0x00, 0x80, 0xFF, 0x7F] + noise)
        writer.put(0b011, 3)
        // A length of 10 from 32768 bytes back: symbol 29 and 13 ones.
        writer.putCode(8, 7)
        writer.putCode(29, 5)
        writer.put(0x1FFF, 13)
        writer.putCode(0, 7)
        writer.alignToByte()
        let output = noise + noise[..<10]
        try expectSound(writer.bytes + trailer(output), output)
    }
}
#endif
