// The texts of PNG, plain and compressed, sound and damaged.

import CodecTestSupport
import ImageCodecsCore
import PNGCodec

/// - Source: PNG 3rd ed. §11.3.3 "Textual information".
enum TextCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        var (chunks, expected): ([(String, [UInt8])], [TextEntry]) = ([], [])
        for _ in 0...source.below(4) {
            let (chunk, entry) = text(&source)
            chunks.append(chunk)
            expected.append(entry)
        }
        // Some stand after the image data.
        let late = source.below(chunks.count + 1)
        let file = PNGBuilder.onePixel(chunks: Array(chunks.dropLast(late)), late: Array(chunks.suffix(late)))
        guard source.oneIn(2) else {
            let texts = (try? PNGCoder().decode(ImageData(file), options: .default))?.metadata.texts
            return texts == expected ? [] : ["\(texts as Any), not \(expected)"]
        }
        var damaged = file
        for _ in 0...source.below(4) { damaged[33 + source.below(file.count - 33)] = source.byte() }
        return DecoderLaws(PNGCoder()).hostileViolations(PNGBuilder.repaired(damaged), source)
    }

    /// A chunk, and what it says.
    private static func text(_ source: inout DecisionSource) -> ((String, [UInt8]), TextEntry) {
        let keyword = String(decoding: (0...source.below(20)).map { _ in 65 + UInt8(source.below(26)) }, as: UTF8.self)
        let codes = (0..<source.below(source.oneIn(5) ? 3000 : 60)).map { _ in
            source.oneIn(3) ? UInt8(0xA1 + source.below(95)) : UInt8(32 + source.below(95))
        }
        let text = String(String.UnicodeScalarView(codes.map { Unicode.Scalar($0) }))
        let head = Array(keyword.utf8) + [0]
        switch source.below(4) {
        case 0: return (("tEXt", head + codes), TextEntry(keyword: keyword, text: text))
        case 1: return (("zTXt", head + [0] + packed(codes, &source)), TextEntry(keyword: keyword, text: text))
        default:
            let isPacked = source.oneIn(2)
            let utf8 = Array(text.utf8)
            let (language, translated) = source.oneIn(2) ? ("", "") : ("de", "Schlüssel")
            let body =
                head + [isPacked ? 1 : 0, 0] + Array(language.utf8) + [0] + Array(translated.utf8) + [0]
                + (isPacked ? packed(utf8, &source) : utf8)
            return (
                ("iTXt", body),
                TextEntry(keyword: keyword, text: text, language: language, translatedKeyword: translated)
            )
        }
    }

    private static func packed(_ bytes: [UInt8], _ source: inout DecisionSource) -> [UInt8] {
        #if SystemZlib
        if source.oneIn(2) { return PNGBuilder.deflated(bytes, level: Int32(source.below(10))) }
        #endif
        return PNGBuilder.stored(bytes, blockSize: 1 + source.below(200))
    }
}
