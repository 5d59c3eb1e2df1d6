// PNG files of every colour type with one or more hostile parts.
//
// In: decisions. Out: a file. Chunks stay apart as units until the end, so that damage can remove, double and swap
// them whole.

package import CodecTestSupport

/// Makes one PNG file.
package struct HostilePNG {
    var source: DecisionSource
    var units: [[UInt8]] = []
    let colorType: Int
    let depth: Int
    let isInterlaced: Bool
    /// Whether it is a file of Apple's variant, with a deflate stream alone.
    let isApple: Bool
    /// As IHDR states them.
    private(set) var (width, height): (Int, Int)
    /// Once in so many chunks the checksum is wrong.
    private let faultRate: Int

    private init(_ source: DecisionSource) {
        self.source = source
        (colorType, depth) = self.source.pick([
            (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (3, 8),
            (4, 8), (4, 16), (6, 8), (6, 8), (6, 16),
        ])
        isInterlaced = self.source.oneIn(2)
        isApple = self.source.oneIn(12)
        faultRate = self.source.oneIn(8) ? 20 : 3000
        width = 1 + self.source.below(self.source.oneIn(5) ? 200 : 40)
        height = 1 + self.source.below(self.source.oneIn(5) ? 200 : 40)
        if self.source.oneIn(40) {
            let sides = [1, 100, 16_384, 1 << 20, 0x2000_0001, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0]
            (width, height) = (self.source.pick(sides), self.source.pick(sides))
        }
    }

    /// The file that these decisions lead to.
    package static func file(_ source: DecisionSource) -> [UInt8] {
        var maker = HostilePNG(source)
        maker.writeFile()
        var damage = FileDamage(source: maker.source)
        return damage.applied(to: maker.units, repair: PNGBuilder.repaired)
    }

    /// Whether there is far less data than the sides ask for.
    var isHuge: Bool { width > 4096 || height > 4096 }
    var channels: Int { [1, 0, 3, 1, 2, 0, 4][colorType] }

    /// Appends a chunk, now and then with a wrong checksum or length.
    mutating func add(_ type: String, _ body: [UInt8] = []) {
        var builder = PNGBuilder()
        let isWrong = source.oneIn(faultRate)
        let claimed =
            source.oneIn(4 * faultRate) ? UInt32(source.pick([0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])) : nil
        builder.add(
            type, body, claimedLength: claimed, flippedChecksumBits: isWrong ? 1 << UInt32(source.below(32)) : 0)
        units.append(Array(builder.bytes.dropFirst(8)))
    }

    private mutating func writeFile() {
        units.append(Array(PNGBuilder().bytes))
        if isApple { add("CgBI", [0x50, 0, 0x20, 2]) }
        writeHeader()
        for _ in 0..<source.below(4) { writeAncillary() }
        if colorType == 3 ? !source.oneIn(40) : source.oneIn(10) { writePalette() }
        if source.oneIn(3) { writeTransparency() }
        for _ in 0..<source.below(3) { writeAncillary() }
        if source.oneIn(30) { writeFlood() }
        if source.oneIn(100) { add(source.pick(["ABCD", "IDAX", "PLTF", "a\u{1}cd"]), source.bytes(4)) }
        writeImageData()
        // The first eXIf that is not empty counts, wherever it stands.
        if source.oneIn(5) { add("eXIf", ExifRecipe.any(&source)) }
        for _ in 0..<source.below(3) { writeAncillary() }
        if source.oneIn(60) { writeFlood() }
        if !source.oneIn(10) { add("IEND", source.oneIn(40) ? [1] : []) }
        if source.oneIn(10) { units.append(source.bytes(source.below(40))) }
    }

    private mutating func writeHeader() {
        var body =
            PNGBuilder.bigEndian(UInt32(truncatingIfNeeded: width))
            + PNGBuilder.bigEndian(UInt32(truncatingIfNeeded: height))
            + [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
        if source.oneIn(100) { body[8 + source.below(5)] = source.byte() }
        if source.oneIn(300) { body = source.oneIn(2) ? body + [0] : Array(body.dropLast()) }
        add("IHDR", body)
    }

    /// A palette of the right length, or short, long, empty or broken.
    private mutating func writePalette() {
        let full = colorType == 3 ? 1 << depth : 256
        var count = source.oneIn(3) ? 1 + source.below(full) : full
        if source.oneIn(20) { count = source.pick([0, 257, full + 1]) }
        add("PLTE", source.bytes(3 * count + (source.oneIn(60) ? 1 : 0)))
    }

    private mutating func writeTransparency() {
        let right = colorType == 3 ? 1 + source.below(1 << depth) : colorType == 0 ? 2 : 6
        let isKey = colorType == 0 && depth < 16
        let body =
            isKey ? [0, UInt8(source.below(1 << depth))] : source.bytes(source.oneIn(12) ? source.below(300) : right)
        add("tRNS", body)
        if source.oneIn(20) { add("tRNS", source.bytes(right)) }
    }
}
