// Extensions: loops, texts, profiles, and what nobody knows.

import CodecTestSupport

extension HostileGIF {
    /// How often the animation is played, under one of its names.
    mutating func writeLoop() {
        var body: [UInt8] = [1] + word(source.pick([0, 0, 1, 3, 65_535, source.below(65_536)]))
        if source.isFault(oneIn: 12) { body = source.bytes(source.below(6)) }
        writeApplication(source.oneIn(4) ? "ANIMEXTS1.0" : "NETSCAPE2.0", subBlocks(body))
    }

    /// One extension of any kind, sometimes many of it.
    mutating func writeExtension() {
        switch source.below(11) {
        case 0: writeLoop()
        case 1, 2: units.append([0x21, 0xFE] + subBlocks(text()))
        case 3: writeXMP()
        case 4: writeApplication("ICCRGBG1012", subBlocks(source.bytes(source.below(400))))
        case 5: writePlainText()
        case 6: writeApplication(source.pick(["EXIF DATA..", "MAGICK--000", "ImageReader"]), subBlocks(text()))
        case 7: writeControl()
        case 8: units.append([0x21, source.byte()] + subBlocks(source.bytes(source.below(60))))
        case 9: writeApplication(String(decoding: text().prefix(source.below(20)), as: UTF8.self), [0])
        default: if source.oneIn(8) { writeFlood() }
        }
    }

    private mutating func writeApplication(_ name: String, _ body: [UInt8]) {
        let identifier = Array(name.utf8).prefix(255)
        units.append([0x21, 0xFF, UInt8(identifier.count)] + identifier + body)
    }

    private mutating func text() -> [UInt8] {
        switch source.below(4) {
        case 0: source.bytes(source.below(100))
        case 1: [UInt8](repeating: 0xFF, count: source.below(source.oneIn(4) ? 20_000 : 600))
        case 2: Array("Grüße ".utf8)
        default: []
        }
    }

    /// A packet that stands in the file as it is, with or without the trailer that ends it for readers of sub-blocks.
    private mutating func writeXMP() {
        let packet =
            source.oneIn(3) ? source.bytes(source.below(300)) : Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let trailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]
        var body = packet + trailer
        switch source.below(8) {
        case 0: body = subBlocks(packet)
        case 1: body = packet + trailer.prefix(source.below(trailer.count))
        case 2: body[source.below(body.count)] = source.byte()
        default: break
        }
        writeApplication("XMP DataXMP", body)
    }

    private mutating func writePlainText() {
        let grid = word(0) + word(0) + word(20) + word(10) + [8, 8, 1, 0]
        units.append([0x21, 0x01, 12] + grid + subBlocks(text()))
    }

    /// The same tiny block many times: any work or memory that a block costs by itself shows.
    private mutating func writeFlood() {
        let kinds: [[UInt8]] = [
            [0x21, 0xFE, 0], [0x21, 0xFE, 1, 0x61, 0], [0x21, 0xF9, 4, 0, 0, 0, 0, 0], [0x21, 0x42, 0], [0],
            [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0],
            [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [0], [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + [0],
        ]
        units.append(Array([[UInt8]](repeating: source.pick(kinds), count: 100 + source.below(1500)).joined()))
    }
}
