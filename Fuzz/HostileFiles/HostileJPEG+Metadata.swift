// Application segments and comments: sound, damaged, in pieces, and in floods.

import CodecTestSupport

extension HostileJPEG {
    /// Some segments, or none.
    mutating func writeMetadata() {
        if source.oneIn(3) {
            add(0xE0, Array("JFIF\0".utf8) + [1, 1, UInt8(source.below(4)), 0, 72, 0, source.byte(), 0, 0])
        }
        if source.oneIn(3) {
            let transform = source.oneIn(8) ? source.byte() : UInt8(source.below(3))
            add(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
        }
        if source.oneIn(3) { add(0xE1, Array("Exif\0\0".utf8) + ExifRecipe.any(&source)) }
        if source.oneIn(20) { add(0xE1, Array("Exif\0\0".utf8) + ExifRecipe.any(&source)) }
        if source.oneIn(8) { writeProfile() }
        if source.oneIn(8) { writeXMP() }
        if source.oneIn(8) { writePhotoshop() }
        if source.oneIn(6) {
            for _ in 0..<source.below(4) { add(0xFE, source.bytes(source.below(20))) }
        }
        if source.oneIn(25) { writeFlood() }
        if source.oneIn(30) {
            // Large once: metadata that memory has to be promised for.
            add(
                source.pick([0xFE, 0xE1, 0xE2, 0xED]),
                prefix() + source.bytes(20) + [UInt8](repeating: 0xC3, count: 60_000))
        }
    }

    private mutating func prefix() -> [UInt8] {
        let names = [
            "Exif\0\0", "ICC_PROFILE\0\u{1}\u{1}", "Photoshop 3.0\0", "http://ns.adobe.com/xap/1.0/\0", "MPF\0", "",
        ]
        return Array(source.pick(names).utf8)
    }

    /// An ICC profile whose pieces are numbered rightly, or with one wrong, doubled or missing.
    private mutating func writeProfile() {
        let count = 1 + source.below(source.oneIn(5) ? 255 : 3)
        let fault = source.oneIn(3) ? 1 + source.below(count) : 0
        let isReversed = source.oneIn(4)
        for index in 1...count {
            var number = isReversed ? count + 1 - index : index
            if index == fault {
                switch source.below(3) {
                case 0: continue
                case 1: number = Int(source.byte())
                default: number = max(1, number - 1)
                }
            }
            let name = Array("ICC_PROFILE\0".utf8)
            add(0xE2, name + [UInt8(number), UInt8(count)] + source.bytes(source.below(20)))
        }
    }

    /// XMP, often with an extension in parts.
    private mutating func writeXMP() {
        let guid = (0..<32).map { _ in source.pick(Array("0123456789ABCDEF".utf8)) }
        let isNamed = !source.oneIn(3)
        add(
            0xE1,
            Array("http://ns.adobe.com/xap/1.0/\0<x ".utf8) + (isNamed ? guid : []) + source.bytes(source.below(60)))
        guard source.oneIn(2) else { return }
        var offset: UInt32 = 0
        for _ in 0...source.below(source.oneIn(6) ? 60 : 3) {
            let part = source.bytes(source.below(30))
            let stated = source.oneIn(12) ? UInt32(source.byte()) << 24 : offset
            add(
                0xE1,
                Array("http://ns.adobe.com/xmp/extension/\0".utf8) + guid + PNGBuilder.bigEndian(1000)
                    + PNGBuilder.bigEndian(stated) + part)
            offset += UInt32(part.count)
        }
    }

    private mutating func writePhotoshop() {
        for _ in 0...source.below(source.oneIn(5) ? 50 : 2) {
            add(0xED, Array("Photoshop 3.0\0".utf8) + source.bytes(source.below(12)))
        }
    }

    /// The same tiny segment many times: any work that grows with what is already there shows.
    private mutating func writeFlood() {
        let quantizer: [UInt8] = [0] + [UInt8](repeating: 1, count: 64)
        let profile: [UInt8] = Array("ICC_PROFILE\0".utf8) + [1, 1]
        let kinds: [(UInt8, [UInt8])] = [
            (0xFE, []), (0xFE, [0xFF]), (0xED, Array("Photoshop 3.0\0".utf8)), (0xE5, []), (0xE2, profile),
            (0xE1, Array("Exif\0\0".utf8)), (0xDB, quantizer), (0xDD, [0, 0]),
        ]
        let (marker, body) = source.pick(kinds)
        let segment = [0xFF, marker, 0, UInt8(body.count + 2)] + body
        units.append(Array([[UInt8]](repeating: segment, count: 100 + source.below(2000)).joined()))
    }
}
