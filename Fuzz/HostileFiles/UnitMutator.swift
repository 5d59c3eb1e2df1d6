// Changes to a file that keep it readable: units move, their bodies change, oddities that formats allow come in.

package import CodecTestSupport

/// Changes a file unit by unit, so that sizes and checksums stay right and what changes reaches the code after them.
package enum UnitMutator {
    /// A changed file, of `largest` bytes at most; `nil` for bytes that are no file of a known format.
    ///
    /// - Parameters:
    ///   - other: a file whose units may be put in.
    ///   - mutateBody: changes bytes without regard to what they mean, to at most so many.
    package static func mutated(
        _ file: [UInt8], other: [UInt8] = [], largest: Int, _ source: inout DecisionSource,
        mutateBody: ([UInt8], Int) -> [UInt8]
    ) -> [UInt8]? {
        guard var units = FileUnits(file) else { return nil }
        let reusable = FileUnits(other)
        for _ in 0...source.below(3) { change(&units, reusable, &source, mutateBody, room: largest - file.count) }
        let changed = units.file
        return changed.count <= largest ? changed : Array(changed.prefix(largest))
    }

    private static func change(
        _ file: inout FileUnits, _ reusable: FileUnits?, _ source: inout DecisionSource,
        _ mutateBody: ([UInt8], Int) -> [UInt8], room: Int
    ) {
        // The first unit is what makes the file one of its format.
        let count = file.units.count
        let place = count > 1 ? 1 + source.below(count - 1) : 0
        switch source.below(10) {
        case 0...3:
            let unit = file.units[place]
            let isData = unit.body.isEmpty
            let bytes = isData ? unit.head : unit.body
            let changed = mutateBody(bytes, min(bytes.count + max(0, room), 65_000))
            if isData, place > 0 { file.units[place].head = changed } else { file.units[place].body = changed }
        case 4 where count > 2: file.units.remove(at: place)
        case 5 where count > 1: file.units.insert(file.units[place], at: 1 + source.below(count))
        case 6 where count > 2: file.units.swapAt(place, 1 + source.below(count - 1))
        case 7:
            if let reusable, reusable.format == file.format, reusable.units.count > 1 {
                let stranger = reusable.units[1 + source.below(reusable.units.count - 1)]
                file.units.insert(stranger, at: min(count, 1 + source.below(count)))
            }
        case 8: file.units.insert(contentsOf: oddity(of: file.format, &source), at: min(count, 1 + source.below(count)))
        default: split(&file, place, &source)
        }
    }

    /// What a format allows and few files have.
    private static func oddity(of format: FileUnits.Format, _ source: inout DecisionSource) -> [FileUnits.Unit] {
        typealias Unit = FileUnits.Unit
        switch format {
        case .png:
            let types = [
                "IDAT", "tEXt", "zTXt", "iTXt", "eXIf", "gAMA", "tRNS", "PLTE", "acTL", "fcTL", "fdAT", "prIv", "iCCP",
            ]
            let type = Array(source.pick(types).utf8)
            return [Unit(head: type, body: source.bytes(source.pick([0, 0, 1, 4, 26, 60])), kind: .chunk)]
        case .jpeg:
            switch source.below(4) {
            case 0: return [Unit(head: [UInt8](repeating: 0xFF, count: 1 + source.below(300)))]
            case 1: return [Unit(head: [0xFF, 0xD0 + UInt8(source.below(8))])]
            case 2: return [Unit(head: [0xFF, 0xDD], body: [0, UInt8(source.below(9))], kind: .segment)]
            default:
                let marker = source.pick([0xFE, 0xE0, 0xE1, 0xE2, 0xED, 0xEE, 0xC4, 0xDB, 0xDA] as [UInt8])
                return [Unit(head: [0xFF, marker], body: source.bytes(source.below(70)), kind: .segment)]
            }
        case .gif:
            let label = source.pick([0xFE, 0xF9, 0xFF, 0x01, 0x77] as [UInt8])
            return [Unit(head: [0x21, label], body: source.bytes(source.pick([0, 4, 11, 15, 300])), kind: .subBlocks)]
        case .webp:
            let type = Array(
                source.pick(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "EXIF", "XMP ", "ICCP", "abcd"]).utf8)
            return [Unit(head: type, body: source.bytes(source.pick([0, 1, 6, 10, 16, 50])), kind: .riffChunk)]
        }
    }

    /// Makes two units of one: image data that go on in the next chunk, entropy-coded data with a marker between.
    private static func split(_ file: inout FileUnits, _ place: Int, _ source: inout DecisionSource) {
        let unit = file.units[place]
        guard unit.body.count > 1, place > 0 else { return }
        let cut = 1 + source.below(unit.body.count - 1)
        file.units[place].body = Array(unit.body[..<cut])
        file.units.insert(
            FileUnits.Unit(head: unit.head, body: Array(unit.body[cut...]), kind: unit.kind), at: place + 1)
    }
}
