// WebP files with one or more hostile parts.
//
// In: decisions. Out: a file. Chunks stay apart as units until the end, so that damage can remove, double and swap
// them whole.

package import CodecTestSupport

/// Makes one WebP file.
package struct HostileWebP {
    private var source: DecisionSource
    private var units: [[UInt8]] = []
    private let (width, height): (Int, Int)
    /// Blending and disposal of this file; anyhow if there is none.
    private let flags: UInt8?

    private init(_ source: DecisionSource) {
        var source = source
        // An animation has many chunks, each of which may be the first that is wrong.
        source.isCalm = !source.oneIn(3)
        var sides = (1 + source.below(source.oneIn(5) ? 120 : 30), 1 + source.below(source.oneIn(5) ? 120 : 30))
        if source.oneIn(40) {
            let extremes = [1, 100, 4096, 16_383, 16_384]
            sides = (source.pick(extremes), source.pick(extremes))
        }
        (width, height) = sides
        flags = source.oneIn(2) ? UInt8(source.below(4)) : nil
        self.source = source
    }

    /// The file that these decisions lead to.
    package static func file(_ source: DecisionSource) -> [UInt8] {
        var maker = HostileWebP(source)
        maker.writeChunks()
        var damage = FileDamage(source: maker.source)
        return damage.applied(to: maker.withHead(), repair: WebPBuilder.repaired)
    }

    /// The head of the file, which tells its length or, now and then, another; and the chunks.
    private mutating func withHead() -> [[UInt8]] {
        var size = 4 + units.reduce(0) { $0 + $1.count }
        if source.isFault(oneIn: 12) { size += source.pick([-1, 1, 2, -8, 8, 100, -20]) }
        if source.isFault(oneIn: 80) { size = source.pick([0, 4, 11, 12, 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFF6]) }
        let trailing = source.oneIn(12) ? [source.bytes(source.below(40))] : []
        return [Array("RIFF".utf8) + WebPBuilder.number(max(0, size), 4) + Array("WEBP".utf8)] + units + trailing
    }

    private mutating func add(_ type: String, _ body: [UInt8]) { units.append(chunk(type, body)) }

    /// A chunk whose size is mostly that of its payload.
    private mutating func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var chunk = WebPBuilder.chunk(type, body)
        if source.isFault(oneIn: 60) {
            let size = source.pick([0, 1, max(0, body.count - 1), body.count + 1, 2 * body.count, 0xFFFF_FFFF])
            chunk.replaceSubrange(4..<8, with: WebPBuilder.number(size, 4))
        }
        return chunk
    }

    private mutating func writeChunks() {
        switch source.below(8) {
        case 0, 1: writeSimple()
        case 2, 3, 4: writeStill()
        default: writeAnimation()
        }
        if source.oneIn(30) { units.append(source.bytes(source.below(9))) }
    }

    // MARK: Stills

    private mutating func writeSimple() {
        if source.isFault(oneIn: 20) { writeMetadata() }
        units.append(picture(width: width, height: height).joined)
        if source.oneIn(8) { writeMetadata() }
    }

    private mutating func writeStill() {
        var pictures = picture(width: width, height: height, mayHaveAlpha: source.oneIn(2))
        if source.isFault(oneIn: 20) { pictures.image = picture(width: width, height: height).image }
        writeExtendedHeader(isAnimation: source.isFault(oneIn: 25))
        writeMetadata()
        if let alpha = pictures.alpha { units.append(alpha) }
        if source.oneIn(12) { writeMetadata() }
        if !source.isFault(oneIn: 30) { units.append(pictures.image) }
        if source.isFault(oneIn: 25) { units.append(picture(width: width, height: height).joined) }
        writeMetadata()
    }

    private mutating func writeExtendedHeader(isAnimation: Bool) {
        var bits = UInt8(source.below(256)) & ~0x02 | (isAnimation ? 0x02 : 0)
        if source.isFault(oneIn: 40) { bits ^= 0x02 }
        var sides = (width, height)
        if source.isFault(oneIn: 30) {
            let extremes = [1, width, 16_384, 65_536, 1 << 24]
            sides = (source.pick(extremes), source.pick(extremes))
        }
        var unit = WebPBuilder.extendedHeader(flags: bits, width: sides.0, height: sides.1)
        if source.isFault(oneIn: 60) {
            unit = chunk("VP8X", Array(unit.dropFirst(8)).prefix(source.below(11)) + source.bytes(source.below(6)))
        }
        units.append(unit)
        if source.isFault(oneIn: 60) { units.append(unit) }
    }

    private mutating func writeMetadata() {
        while source.oneIn(3) {
            switch source.below(6) {
            case 0, 1: add("EXIF", (source.oneIn(6) ? Array("Exif\0\0".utf8) : []) + ExifRecipe.any(&source))
            case 2: add("XMP ", Array("<x:xmpmeta/>".utf8) + source.bytes(source.below(30)))
            case 3: add("ICCP", ProfileRecipe.any(&source))
            default: add(source.pick(["abcd", "XYZ ", "\u{7}\u{1}\u{2}\u{3}"]), source.bytes(source.below(60)))
            }
        }
    }

    // MARK: Pictures

    /// The chunks of one picture.
    private struct Picture {
        var alpha: [UInt8]?
        var image: [UInt8]
        var joined: [UInt8] { (alpha ?? []) + image }
    }

    /// - Parameter mayHaveAlpha: a lossy picture, mostly with a plane of alpha; else one of either kind without.
    private mutating func picture(width: Int, height: Int, mayHaveAlpha: Bool = false) -> Picture {
        guard mayHaveAlpha || source.oneIn(3) else {
            return Picture(image: chunk("VP8L", LosslessRecipe.bytes(width: width, height: height, &source)))
        }
        let alpha = mayHaveAlpha && !source.oneIn(5) ? chunk("ALPH", alpha(width: width, height: height)) : nil
        return Picture(alpha: alpha, image: chunk("VP8 ", LossyRecipe.bytes(width: width, height: height, &source)))
    }

    private mutating func alpha(width: Int, height: Int) -> [UInt8] {
        var header = UInt8(source.below(2) | source.below(4) << 2 | source.below(2) << 4)
        if source.isFault(oneIn: 20) { header = source.byte() }
        var count = width * height
        if source.isFault(oneIn: 15) { count = source.below(count + 1) }
        let body =
            header & 3 == 0
            ? source.bytes(count) : LosslessRecipe.bytes(width: width, height: height, isAlpha: true, &source)
        return source.isFault(oneIn: 40) ? [] : [header] + body
    }

    // MARK: Animations

    private mutating func writeAnimation() {
        // Of huge canvases only parts are drawn on.
        writeExtendedHeader(isAnimation: true)
        if source.oneIn(4) { writeMetadata() }
        if !source.isFault(oneIn: 30) {
            var header = WebPBuilder.animationHeader(
                loopCount: source.pick([0, 0, 1, 3, 65_535]), background: source.bytes(4))
            if source.isFault(oneIn: 50) { header = chunk("ANIM", source.bytes(source.below(9))) }
            units.append(header)
            if source.isFault(oneIn: 40) { units.append(header) }
        }
        let isMany = source.oneIn(30)
        for index in 0..<(isMany ? 20 + source.below(120) : 1 + source.below(6)) {
            if source.oneIn(12) { writeMetadata() }
            units.append(frame(isFirst: index == 0, isTiny: isMany))
        }
        if source.isFault(oneIn: 40) { units.append(picture(width: width, height: height).joined) }
        writeMetadata()
    }

    private mutating func frame(isFirst: Bool, isTiny: Bool) -> [UInt8] {
        var rect = (x: 0, y: 0, width: min(width, 200), height: min(height, 200))
        if isTiny || !(isFirst || source.oneIn(4)) {
            rect.x = source.below(width) & ~1
            rect.y = source.below(height) & ~1
            rect.width = isTiny ? 1 : 1 + source.below(max(1, min(200, width - rect.x)))
            rect.height = isTiny ? 1 : 1 + source.below(max(1, min(200, height - rect.y)))
        }
        if source.isFault(oneIn: 60) { rect.x += source.pick([2, width & ~1, 0xFF_FFFF * 2]) }
        var picture = picture(width: rect.width, height: rect.height, mayHaveAlpha: source.oneIn(4))
        if source.isFault(oneIn: 30) { picture.image = [] }
        var chunks = picture.joined
        if source.oneIn(20) { chunks += chunk("abcd", source.bytes(source.below(20))) }
        if source.isFault(oneIn: 30) { chunks += picture.joined }
        if source.isFault(oneIn: 40) { rect.width = 1 + source.below(width) }
        var unit = WebPBuilder.frame(
            x: rect.x, y: rect.y, width: rect.width, height: rect.height,
            milliseconds: source.pick([0, 10, 100, 0xFF_FFFF]), flags: flags ?? UInt8(source.below(4)), chunks)
        if source.isFault(oneIn: 50) { unit.replaceSubrange(4..<8, with: WebPBuilder.number(source.below(60), 4)) }
        return unit
    }
}
