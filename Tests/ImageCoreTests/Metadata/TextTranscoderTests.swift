import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct TextTranscoderTests {
    /// The text of the pieces, counted in one pass and written in another.
    private func transcoded(_ pieces: [[UInt8]], _ encoding: TextTranscoder.Encoding) -> [UInt8] {
        var counter = TextTranscoder(encoding)
        for piece in pieces { counter.count(piece.span) }
        counter.finishCount()
        var writer = TextTranscoder(encoding)
        var output = [UInt8](repeating: 0xAA, count: counter.byteCount)
        output.withMutableRawSpan { output in
            for piece in pieces { writer.write(piece.span, into: &output) }
            writer.finishWrite(into: &output)
        }
        #expect(writer.byteCount == counter.byteCount)
        return output
    }

    private func repaired(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

    /// Every cut of a short text into two pieces, and into single bytes.
    private func cuts(_ bytes: [UInt8]) -> [[[UInt8]]] {
        (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
    }

    @Test func everyByteOfLatin1IsTheCodePointOfItsNumber() throws {
        let bytes = (0...255).map { UInt8($0) }
        let expected = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        #expect(transcoded([bytes], .latin1) == Array(expected.utf8))
        #expect(transcoded(bytes.map { [$0] }, .latin1) == Array(expected.utf8))
        #expect(TextTranscoder.byteCount(of: bytes.span, .latin1) == 128 + 2 * 128)
        #expect(try TextTranscoder.string(bytes.span, .latin1, meter: nil) == expected)
    }

    @Test func everyScalarPassesUnchanged() {
        // The first and last of each length, and those around the surrogates.
        let scalars: [UInt32] = [
            0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000,
            0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
        ]
        let text = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
        let bytes = Array(text.utf8)
        for pieces in cuts(bytes) { #expect(transcoded(pieces, .utf8) == bytes) }
    }

    private static let illFormed: [[UInt8]] = [
        // Lone continuations, lone and cut off beginnings.
        [0x80], [0xBF, 0xBF], [0xC2], [0xE0], [0xE0, 0xA0], [0xF0, 0x90], [0xF0, 0x90, 0x80], [0xF4, 0x8F, 0xBF],
        // Overlong forms, surrogates, beyond the last code point, bytes that never occur.
        [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xE0, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80],
        [0xFE, 0xFF],
        // A sequence broken by a letter, by another beginning, by a stray byte.
        [0xE2, 0x82, 0x41], [0xE2, 0xC2, 0xA9], [0xF1, 0x80, 0xE1, 0x80, 0xC2, 0x41], [0x61, 0xF1, 0x80, 0x80, 0xE1],
        [0x80, 0xC3, 0xA9, 0xC3],
        // Table 3-8 of the standard.
        [0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41],
        // Table 3-11.
        [0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41],
    ]

    @Test(arguments: illFormed)
    func maximalSubpartsAreReplacedWhereverTheyAreCut(_ bytes: [UInt8]) {
        for pieces in cuts(bytes) { #expect(transcoded(pieces, .utf8) == repaired(bytes)) }
        for pieces in cuts(bytes + Array("z".utf8)) {
            #expect(transcoded(pieces, .utf8) == repaired(bytes + Array("z".utf8)))
        }
    }

    @Test func randomBytesAreRepairedAsSwiftRepairsThem() throws {
        var random = SeededRandom(seed: 15)
        // Bytes that matter to the table are more frequent than chance would have them.
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for round in 0..<6000 {
            let count = Int.random(in: 0...12, using: &random)
            var bytes = random.bytes(count)
            if round % 3 > 0 { bytes = bytes.map { edges[Int($0) % edges.count] } }
            let expected = repaired(bytes)
            for pieces in cuts(bytes) where transcoded(pieces, .utf8) != expected {
                Issue.record("\(bytes) cut into \(pieces.map(\.count))")
            }
            #expect(try Array(TextTranscoder.string(bytes.span, .utf8, meter: nil).utf8) == expected)
            #expect(TextTranscoder.byteCount(of: bytes.span, .utf8) == expected.count)
        }
    }
}
