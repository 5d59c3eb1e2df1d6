// APNG files of every colour type with one or more hostile parts.
//
// In: decisions. Out: a file. Chunks stay apart as units until the end, so that damage can remove, double and swap
// them whole.

package import CodecTestSupport

/// Makes one APNG file.
package struct HostileAPNG {
    var source: DecisionSource
    var units: [[UInt8]] = []
    let colorType: Int
    let depth: Int
    let isInterlaced: Bool
    /// As IHDR states them.
    let (width, height): (Int, Int)
    /// Once in so many chunks the checksum is wrong.
    private let faultRate: Int
    /// What the next fcTL or fdAT is numbered.
    private var sequenceNumber = 0
    /// Dispose and blend operations of this file; anyhow if there are none.
    private let operations: (dispose: Int, blend: Int)?

    private init(_ source: DecisionSource) {
        var source = source
        // An animation has many chunks, each of which may be the first that is wrong.
        source.isCalm = !source.oneIn(3)
        (colorType, depth) = source.pick([
            (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (3, 8), (4, 8),
            (4, 16), (6, 8), (6, 8), (6, 8), (6, 16),
        ])
        isInterlaced = source.oneIn(4)
        faultRate = source.oneIn(10) ? 25 : 4000
        var sides = (1 + source.below(source.oneIn(5) ? 120 : 30), 1 + source.below(source.oneIn(5) ? 120 : 30))
        if source.isFault(oneIn: 30) {
            let extremes = [1, 100, 16_384, 0x7FFF_FFFF, 0xFFFF_FFFF, 0]
            sides = (source.pick(extremes), source.pick(extremes))
        }
        (width, height) = sides
        operations = source.oneIn(2) ? (source.below(3), source.below(2)) : nil
        self.source = source
    }

    /// The file that these decisions lead to.
    package static func file(_ source: DecisionSource) -> [UInt8] {
        var maker = HostileAPNG(source)
        maker.writeFile()
        var damage = FileDamage(source: maker.source)
        return damage.applied(to: maker.units, repair: PNGBuilder.repaired)
    }

    private var channels: Int { [1, 0, 3, 1, 2, 0, 4][colorType] }

    private mutating func add(_ type: String, _ body: [UInt8] = []) {
        var builder = PNGBuilder()
        let flipped: UInt32 = source.isFault(oneIn: faultRate) ? 1 << UInt32(source.below(32)) : 0
        builder.add(type, body, flippedChecksumBits: flipped)
        units.append(Array(builder.bytes.dropFirst(8)))
    }

    private func number(_ value: Int) -> [UInt8] { PNGBuilder.bigEndian(UInt32(truncatingIfNeeded: value)) }
    private func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    private mutating func writeFile() {
        units.append(PNGBuilder().bytes)
        add("IHDR", number(width) + number(height) + [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0])
        let isMany = source.oneIn(30)
        let frameCount = isMany ? 20 + source.below(120) : 1 + source.below(6)
        let isOutside = source.oneIn(3)
        if !source.isFault(oneIn: 40) { writeAnimationControl(frameCount) }
        writeTables()
        writeAncillary()
        if !isOutside { writeFrameControl(isFirst: true, isTiny: false) }
        writeImageData()
        for _ in (isOutside ? 0 : 1)..<frameCount {
            writeAncillary()
            let size = writeFrameControl(isFirst: false, isTiny: isMany)
            writeFrameData(size)
        }
        writeAncillary()
        if !source.isFault(oneIn: 12) { add("IEND") }
        if source.oneIn(12) { units.append(source.bytes(source.below(40))) }
    }

    private mutating func writeAnimationControl(_ frameCount: Int) {
        var count = frameCount
        if source.isFault(oneIn: 15) {
            count = source.pick([0, 1, frameCount + 1, max(0, frameCount - 1), 0x7FFF_FFFF])
        }
        var body = number(count) + number(source.pick([0, 0, 1, 3, 0x7FFF_FFFF]))
        if source.isFault(oneIn: 60) { body = Array(body.dropLast(source.below(9))) }
        add("acTL", body)
        if source.isFault(oneIn: 60) { add("acTL", body) }
    }

    private mutating func writeTables() {
        if colorType == 3 ? !source.isFault(oneIn: 60) : source.oneIn(12) {
            let full = colorType == 3 ? 1 << depth : 256
            add("PLTE", source.bytes(3 * (source.isFault(oneIn: 6) ? 1 + source.below(full) : full)))
        }
        guard colorType < 4, source.oneIn(2) else { return }
        switch colorType {
        case 3: add("tRNS", source.bytes(1 + source.below(1 << depth)))
        case 0: add("tRNS", short(source.below(1 << depth)))
        default: add("tRNS", (0..<3).flatMap { _ in short(source.below(1 << depth)) })
        }
    }

    private mutating func writeAncillary() {
        guard source.oneIn(5) else { return }
        switch source.below(6) {
        case 0, 1: add("eXIf", ExifRecipe.any(&source))
        case 2: add("tEXt", Array("Title\0".utf8) + source.bytes(source.below(30)))
        case 3: add("gAMA", [0, 0, 177, 143])
        case 4: add(source.pick(["abCd", "teSt"]), source.bytes(source.below(50)))
        default:
            if source.isFault(oneIn: 8) {
                add(source.pick(["IDAT", "fdAT", "fcTL", "acTL"]), source.bytes(source.below(40)))
            }
        }
    }

    // MARK: Frames

    /// A number in sequence, or now and then another.
    private mutating func nextNumber() -> [UInt8] {
        defer { sequenceNumber += 1 }
        if source.isFault(oneIn: 150) { sequenceNumber += source.pick([-1, 1, 2, 1000]) }
        return number(sequenceNumber)
    }

    /// Where the frame lies: all of the canvas, within it, or now and then beyond it.
    private mutating func rect(isFirst: Bool, isTiny: Bool) -> (x: Int, y: Int, width: Int, height: Int) {
        if isFirst || source.oneIn(4) { return (0, 0, width, height) }
        let (x, y) = (source.below(max(1, min(width, 1 << 20))), source.below(max(1, min(height, 1 << 20))))
        if isTiny { return (x, y, 1, 1) }
        let room = (max(1, min(200, width - x)), max(1, min(200, height - y)))
        return (x, y, 1 + source.below(room.0), 1 + source.below(room.1))
    }

    @discardableResult
    private mutating func writeFrameControl(isFirst: Bool, isTiny: Bool) -> (width: Int, height: Int) {
        var rect = rect(isFirst: isFirst, isTiny: isTiny)
        if source.isFault(oneIn: 60) { rect.x += source.pick([1, width, 0x7FFF_FFFF]) }
        if source.isFault(oneIn: 60) { rect.height = source.pick([0, height + 1, 0xFFFF_FFFF]) }
        var (dispose, blend) = operations ?? (source.below(3), source.below(2))
        if source.isFault(oneIn: 60) { (dispose, blend) = (source.below(5), source.below(4)) }
        let delay = short(source.pick([0, 1, 10, 65_535])) + short(source.pick([0, 1, 3, 100, 1000]))
        var body =
            nextNumber() + number(rect.width) + number(rect.height) + number(rect.x) + number(rect.y) + delay
            + [UInt8(dispose), UInt8(blend)]
        if source.isFault(oneIn: 100) { body = Array(body.prefix(source.below(27))) }
        if !source.isFault(oneIn: 80) { add("fcTL", body) }
        return (rect.width, rect.height)
    }

    private mutating func writeImageData() {
        for piece in pieces(compressed(width, height)) { add("IDAT", piece) }
    }

    private mutating func writeFrameData(_ size: (width: Int, height: Int)) {
        for piece in pieces(compressed(size.width, size.height)) {
            if source.isFault(oneIn: 300) { writeAncillary() }
            let body = nextNumber() + piece
            add("fdAT", source.isFault(oneIn: 300) ? Array(body.prefix(source.below(4))) : body)
        }
    }

    /// A stream in pieces, empty ones too.
    private mutating func pieces(_ stream: [UInt8]) -> [[UInt8]] {
        let largest = source.pick([1, 20, 8192, 8192, 8192])
        var (pieces, start) = ([[UInt8]](), 0)
        while start < stream.count, pieces.count < 400 {
            let rest = stream.count - start
            let count = source.oneIn(15) ? 0 : pieces.count == 399 ? rest : min(rest, largest)
            pieces.append(Array(stream[start..<start + count]))
            start += count
        }
        return source.isFault(oneIn: 60) ? [] : pieces
    }

    /// Scanlines and their zlib stream, mostly sound; of huge pictures only the beginning.
    private mutating func compressed(_ width: Int, _ height: Int) -> [UInt8] {
        var lines: [UInt8] = []
        let style = source.below(4)
        if width > 400 || height > 400 {
            lines = [UInt8](repeating: 0, count: source.below(3000))
        } else {
            for (columns, rows) in grids(width, height) where columns > 0 {
                let byteCount = (columns * depth * channels + 7) / 8
                for _ in 0..<rows {
                    lines.append(UInt8(source.below(5)))
                    lines += style == 0 ? [UInt8](repeating: source.byte(), count: byteCount) : source.bytes(byteCount)
                }
            }
        }
        if source.isFault(oneIn: 30) { lines = Array(lines.prefix(source.below(lines.count + 1))) }
        if source.oneIn(20) { lines += source.bytes(source.below(60)) }
        var stream =
            source.oneIn(4)
            ? PNGBuilder.stored(lines) : PNGBuilder.deflated(lines, level: Int32(source.pick([1, 6, 9])))
        switch source.isFault(oneIn: 8) ? source.below(5) : 5 {
        case 0: stream[stream.count - 1] ^= 1
        case 1: stream = Array(stream.prefix(source.below(stream.count + 1)))
        case 2: stream += source.bytes(1 + source.below(60))
        case 3: stream[source.below(stream.count)] = source.byte()
        case 4: stream[source.below(2)] = source.byte()
        default: break
        }
        return stream
    }

    /// Columns and rows of each pass (PNG 3rd ed. §8.1 "Interlacing and pass extraction").
    private func grids(_ width: Int, _ height: Int) -> [(columns: Int, rows: Int)] {
        guard isInterlaced else { return [(width, height)] }
        return [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)].map {
            (max(0, (width - $0.0 + $0.2 - 1) / $0.2), max(0, (height - $0.1 + $0.3 - 1) / $0.3))
        }
    }
}
