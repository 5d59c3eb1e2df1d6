// GIF files with one or more hostile parts.
//
// In: decisions. Out: a file. Blocks stay apart as units until the end, so that damage can remove, double and swap
// them whole.

package import CodecTestSupport

/// Makes one GIF file.
package struct HostileGIF {
    var source: DecisionSource
    var units: [[UInt8]] = []
    /// As the logical screen has them.
    private(set) var (width, height): (Int, Int)
    /// How frames of this file are disposed of; anyhow if there is none.
    private let disposal: Int?

    private init(_ source: DecisionSource) {
        self.source = source
        width = 1 + self.source.below(self.source.oneIn(5) ? 160 : 30)
        height = 1 + self.source.below(self.source.oneIn(5) ? 160 : 30)
        if self.source.oneIn(30) {
            let sides = [0, 0, 1, 100, 4096, 16_384, 65_535]
            (width, height) = (self.source.pick(sides), self.source.pick(sides))
        }
        disposal = self.source.oneIn(2) ? self.source.below(8) : nil
    }

    /// The file that these decisions lead to.
    package static func file(_ source: DecisionSource) -> [UInt8] {
        var maker = HostileGIF(source)
        maker.writeFile()
        var damage = FileDamage(source: maker.source)
        return damage.applied(to: maker.units)
    }

    private mutating func writeFile() {
        writeScreen()
        if source.oneIn(2) { writeLoop() }
        for _ in 0..<source.below(3) { writeExtension() }
        if source.oneIn(40) {
            writeManyTinyImages()
        } else {
            for _ in 0..<frameCount() {
                for _ in 0..<(source.oneIn(4) ? source.below(4) : 0) { writeExtension() }
                if !source.oneIn(8) { writeControl() }
                writeImage()
            }
        }
        for _ in 0..<(source.oneIn(4) ? source.below(3) : 0) { writeExtension() }
        if !source.oneIn(8) { units.append([0x3B]) }
        if source.oneIn(12) { units.append(source.bytes(source.below(40))) }
    }

    private mutating func frameCount() -> Int {
        switch source.below(8) {
        case 0: source.isFault(oneIn: 8) ? 0 : 1
        case 1, 2: 1
        case 3: 2 + source.below(14)
        default: 2 + source.below(5)
        }
    }

    /// Signature, logical screen and global table.
    private mutating func writeScreen() {
        let hasTable = !source.oneIn(8)
        let tableSize = source.below(8)
        var unit = Array((source.oneIn(4) ? "GIF87a" : "GIF89a").utf8)
        if source.isFault(oneIn: 200) { unit[source.below(6)] = source.byte() }
        unit += word(width) + word(height)
        unit.append(UInt8((hasTable ? 0x80 : 0) | source.below(16) << 3 | tableSize))
        unit += [source.byte(), source.oneIn(4) ? source.byte() : 0]
        if hasTable { unit += source.bytes(3 * (2 << tableSize)) }
        units.append(unit)
    }

    func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    /// A graphic control extension, every bit of it anyhow at times.
    mutating func writeControl() {
        let method = source.oneIn(12) ? source.below(8) : disposal ?? source.below(4)
        var flags = method << 2 | (source.oneIn(2) ? 1 : 0)
        if source.oneIn(15) { flags = Int(source.byte()) }
        let delay = word(source.pick([0, 1, 10, 10, source.below(65_536)]))
        let body = [UInt8(flags)] + delay + [source.oneIn(3) ? source.byte() : UInt8(source.below(4))]
        var unit: [UInt8] = [0x21, 0xF9, 4] + body + [0]
        if source.isFault(oneIn: 30) { unit = [0x21, 0xF9] + subBlocks(source.bytes(source.below(9))) }
        units.append(unit)
    }

    // MARK: Images

    private mutating func writeImage() {
        var rect = (x: 0, y: 0, width: width, height: height)
        switch source.below(8) {
        case 0, 1: break
        case 2:
            // Partly or wholly outside.
            rect.x = source.below(width + 20)
            rect.y = source.below(height + 20)
            rect.width = 1 + source.below(40)
            rect.height = 1 + source.below(40)
        case 3 where source.oneIn(6): rect = (source.below(65_536), source.below(65_536), 1, 1 + source.below(5))
        default:
            rect.x = source.below(max(1, width))
            rect.y = source.below(max(1, height))
            rect.width = 1 + source.below(max(1, width - rect.x))
            rect.height = 1 + source.below(max(1, height - rect.y))
        }
        if source.isFault(oneIn: 40) { (rect.width, rect.height) = (source.below(2), source.below(2)) }
        if source.isFault(oneIn: 150) { rect.width = source.pick([4096, 65_535]) }
        if source.isFault(oneIn: 150) { rect.height = source.pick([4096, 65_535]) }
        writeImage(rect)
    }

    private mutating func writeImage(_ rect: (x: Int, y: Int, width: Int, height: Int)) {
        let hasTable = source.oneIn(4)
        let tableSize = source.below(8)
        var unit: [UInt8] = [0x2C] + word(rect.x) + word(rect.y) + word(rect.width) + word(rect.height)
        let isInterlaced = source.oneIn(3)
        unit.append(UInt8((hasTable ? 0x80 : 0) | (isInterlaced ? 0x40 : 0) | source.below(8) << 3 | tableSize))
        if hasTable { unit += source.bytes(3 * (2 << tableSize)) }
        var codeSize = source.oneIn(3) ? 1 + source.below(8) : 2 + source.below(7)
        if source.isFault(oneIn: 40) { codeSize = source.below(13) }
        unit.append(UInt8(codeSize))
        // Of huge images there is only the beginning, but for long strings, which are quickly written.
        var indexCount = rect.width * rect.height
        if indexCount > 60_000 { indexCount = source.below(source.oneIn(10) ? 400_000 : 3000) }
        if source.isFault(oneIn: 25) { indexCount = source.below(indexCount + 1) }
        if source.oneIn(15) { indexCount += source.below(300) }
        unit += subBlocks(LZWRecipe.codes(minimumCodeSize: codeSize, indexCount: indexCount, &source))
        units.append(unit)
    }

    /// Work or memory that a frame costs by itself shows.
    private mutating func writeManyTinyImages() {
        let isChain = source.oneIn(2)
        for _ in 0..<50 + source.below(250) {
            if isChain {
                units.append([0x21, 0xF9, 4, UInt8(source.pick([1, 2, 3, 3]) << 2), 0, 0, 0, 0])
            } else if source.oneIn(3) {
                writeControl()
            }
            // A literal and the end.
            let place = word(source.below(max(1, width))) + word(source.below(max(1, height)))
            units.append([0x2C] + place + [1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0])
        }
    }

    /// The bytes in sub-blocks, and a terminator.
    mutating func subBlocks(_ bytes: [UInt8]) -> [UInt8] {
        let largest = source.oneIn(3) ? 1 + source.below(255) : 255
        var blocks: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let count = min(bytes.count - start, source.oneIn(20) ? 1 + source.below(largest) : largest)
            blocks.append(UInt8(count))
            blocks += bytes[start..<start + count]
            start += count
            if source.isFault(oneIn: 800) { blocks.append(0) }
        }
        return source.isFault(oneIn: 60) ? blocks : blocks + [0]
    }
}
