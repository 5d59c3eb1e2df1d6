import CodecTestSupport
import ImageCodecsCore
import Testing

/// Paths of any bytes have a text that leads back to them.
@Suite struct SystemPathTests {
    @Test(arguments: [
        ([0x61, 0xFF, 0x2F], "a\u{EFFF}/"),
        ([0xC3, 0xA4], "ä"),
        ([0xC3], "\u{EFC3}"),
        ([0xE2, 0x82, 0x2F], "\u{EFE2}\u{EF82}/"),
        ([0xED, 0xA0, 0x80], "\u{EFED}\u{EFA0}\u{EF80}"),  // a surrogate
        ([0xF4, 0x90, 0x80, 0x80], "\u{EFF4}\u{EF90}\u{EF80}\u{EF80}"),  // above U+10FFFF
        ([0xC0, 0xAF], "\u{EFC0}\u{EFAF}"),  // a slash in two bytes, which is no UTF-8
        ([0xEE, 0xBE, 0x80], "\u{EFEE}\u{EFBE}\u{EF80}"),  // U+EF80
        ([0xEE, 0xBD, 0xBF], "\u{EF7F}"),
    ])
    func bytesThatAreNoUTF8StandForThemselves(bytes: [UInt8], text: String) {
        #expect(SystemPath.text(bytes) == text)
        #expect(SystemPath.bytes(text) == bytes)
    }

    @Test func randomNamesComeBack() {
        var source = DecisionSource(seed: 1)
        for _ in 0..<5000 {
            let bytes = (0..<source.below(12)).map { _ in
                source.below(2) == 0 ? UInt8(source.below(256)) : [0xEE, 0xBE, 0xC3, 0xF0, 0x80][source.below(5)]
            }
            #expect(SystemPath.bytes(SystemPath.text(bytes)) == bytes)
        }
    }
}
