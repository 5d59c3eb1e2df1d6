// Ancillary chunks: well-formed, of the wrong length, doubled, and in floods.

import CodecTestSupport

extension HostilePNG {
    /// One chunk of any kind, sometimes twice, sometimes too long or too short.
    mutating func writeAncillary() {
        var (type, body) = ancillary()
        if source.oneIn(12) {
            body = source.oneIn(2) ? body + source.bytes(1 + source.below(9)) : Array(body.dropLast())
        }
        add(type, body)
        if source.oneIn(12) { add(type, body) }
    }

    private mutating func ancillary() -> (String, [UInt8]) {
        switch source.below(22) {
        case 0: ("tEXt", keyword() + source.bytes(source.below(40)))
        case 1: ("zTXt", keyword() + [source.oneIn(20) ? 1 : 0] + compressedText())
        case 2, 3: ("iTXt", internationalText())
        case 4: ("iCCP", keyword() + [0] + compressedText())
        case 5: ("gAMA", source.oneIn(6) ? [0, 0, 0, 0] : [0, 0, 177, 143])
        case 6: ("pHYs", source.bytes(8) + [UInt8(source.below(3))])
        case 7, 8, 9: ("eXIf", ExifRecipe.any(&source))
        case 10: ("sPLT", suggestedPalette())
        case 11:
            ("tIME", [7, 208, UInt8(source.below(14)), 1 + UInt8(source.below(32)), 23, 59, UInt8(source.below(63))])
        case 12: ("bKGD", source.bytes(source.pick([1, 2, 6])))
        case 13: ("hIST", source.bytes(2 * source.below(257)))
        case 14: ("sBIT", (0..<source.number(in: 1...4)).map { _ in UInt8(source.below(depth + 2)) })
        case 15: ("cHRM", source.bytes(32))
        case 16: ("cICP", [1, 13, 0, UInt8(source.below(3))])
        case 17: ("sRGB", [UInt8(source.below(5))])
        case 18: ("acTL", PNGBuilder.bigEndian(UInt32(source.below(4))) + PNGBuilder.bigEndian(0))
        case 19: ("fcTL", frameControl())
        case 20: ("fdAT", PNGBuilder.bigEndian(1) + PNGBuilder.deflated(source.bytes(source.below(30))))
        default: (source.pick(["abCd", "teSt", "prVt"]), source.bytes(source.below(60)))
        }
    }

    /// A keyword and its zero byte: short, of XMP, too long, empty or without its end.
    private mutating func keyword() -> [UInt8] {
        switch source.below(12) {
        case 0: Array("XML:com.adobe.xmp".utf8) + [0]
        case 1: (0..<source.number(in: 78...81)).map { _ in 0x61 } + [0]
        case 2: [0]
        case 3: [0x61]
        default: [0x61, UInt8(source.number(in: 0x20...0xFF)), 0]
        }
    }

    /// A zlib stream that becomes ten to a thousand times as long, or one that is damaged.
    private mutating func compressedText() -> [UInt8] {
        let text: [UInt8]
        switch source.below(5) {
        case 0: text = source.bytes(source.below(100))
        // Bytes that are no UTF-8 take three when they are repaired, and two when they are Latin-1.
        case 1: text = [UInt8](repeating: 0xFF, count: source.below(source.oneIn(4) ? 20_000 : 3000))
        case 2: text = [UInt8](repeating: 0x20, count: source.below(source.oneIn(4) ? 200_000 : 5000))
        case 3: text = Array("Grüße ".utf8)
        default: text = Array([[UInt8]](repeating: source.bytes(7), count: source.below(800)).joined())
        }
        var stream =
            source.oneIn(6) ? PNGBuilder.stored(text) : PNGBuilder.deflated(text, level: source.oneIn(2) ? 9 : 1)
        switch source.below(10) {
        case 0: stream[source.below(stream.count)] = source.byte()
        case 1: stream = Array(stream.prefix(source.below(stream.count + 1)))
        case 2: stream += source.bytes(source.below(20))
        default: break
        }
        return stream
    }

    private mutating func internationalText() -> [UInt8] {
        let isCompressed = source.oneIn(2)
        let language = source.oneIn(3) ? source.bytes(source.below(8)).map { max(1, $0) } : Array("de".utf8)
        let translated = source.oneIn(3) ? source.bytes(source.below(20)).map { max(1, $0) } : []
        let text = isCompressed ? compressedText() : source.bytes(source.below(60))
        let flag = source.oneIn(20) ? source.byte() : isCompressed ? 1 : 0
        return keyword() + [flag, 0] + language + [0] + translated + [0] + text
    }

    private mutating func suggestedPalette() -> [UInt8] {
        let depth = source.oneIn(10) ? source.byte() : source.oneIn(2) ? 8 : 16
        let count = source.below(source.oneIn(6) ? 2000 : 6)
        return keyword() + [depth] + source.bytes(count * (depth == 8 ? 6 : 10))
    }

    private mutating func frameControl() -> [UInt8] {
        let number = PNGBuilder.bigEndian
        return number(UInt32(source.below(3))) + number(UInt32(truncatingIfNeeded: width))
            + number(UInt32(truncatingIfNeeded: height)) + number(0) + number(0) + [0, 1, 0, 10]
            + [UInt8(source.below(4)), UInt8(source.below(3))]
    }

    /// The same tiny chunk many times: any work or memory that a chunk costs by itself shows.
    mutating func writeFlood() {
        let nothing: [UInt8] = [0x61, 0, 0] + PNGBuilder.deflated([])
        let kinds: [(String, [UInt8])] = [
            ("tEXt", []), ("tEXt", [0x61, 0]), ("iTXt", [0x61, 0, 0, 0, 0, 0]), ("abCd", []), ("eXIf", []),
            ("zTXt", nothing), ("zTXt", [0x61, 0, 0, 0x78, 0x9C, 0xFF]),
            ("sPLT", [0x61, 0, 8]), ("gAMA", [0, 0, 0, 0]),
        ]
        let (type, body) = source.pick(kinds)
        var builder = PNGBuilder()
        builder.add(type, body)
        let one = Array(builder.bytes.dropFirst(8))
        units.append(Array([[UInt8]](repeating: one, count: 100 + source.below(1500)).joined()))
    }
}
