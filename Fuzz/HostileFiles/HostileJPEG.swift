// JPEG files with a sound skeleton and one or more hostile parts.
//
// In: decisions. Out: a file. Segments and stretches of entropy-coded data stay apart as units until the end, so that
// damage can remove, double and swap them whole.

package import CodecTestSupport

/// Makes one JPEG file.
package struct HostileJPEG {
    var source: DecisionSource
    var units: [[UInt8]] = [[0xFF, 0xD8]]
    var frame: FrameRecipe
    /// By slot.
    var dcTables: [HuffmanRecipe] = []
    /// By slot.
    var acTables: [HuffmanRecipe] = []
    /// MCUs between restart markers, 0 for none.
    var restartInterval = 0
    /// How often something is wrong with restart markers: once in so many.
    var restartFaultRate = 60
    /// Fill bytes before every stuffed zero.
    var fillCount = 0
    /// Whether blocks are as long as blocks can be; see `useDenseTables`.
    var isDense = false

    private init(_ source: DecisionSource) {
        self.source = source
        self.source.isCalm = self.source.oneIn(2)
        frame = FrameRecipe.any(&self.source)
    }

    /// The file that these decisions lead to.
    package static func file(_ source: DecisionSource) -> [UInt8] {
        var maker = HostileJPEG(source)
        maker.writeHeaders()
        if maker.frame.isProgressive { maker.writeProgressiveScans() } else { maker.writeSequentialScans() }
        maker.writeEnd()
        maker.becomeArithmetic()
        maker.becomeLossless()
        return maker.finished()
    }

    /// Appends a segment, now and then with fill bytes before its marker or stray bytes.
    mutating func add(_ marker: UInt8, _ body: [UInt8]) {
        if source.isFault(oneIn: 100) { units.append(source.oneIn(2) ? [0] : source.bytes(1 + source.below(20))) }
        let fill = source.oneIn(40) ? [UInt8](repeating: 0xFF, count: 1 + source.below(300)) : []
        var segment = [UInt8((body.count + 2) >> 8 & 255), UInt8((body.count + 2) & 255)] + body
        // The length, or one of the numbers that most segments begin with.
        if source.isFault(oneIn: 40) {
            segment[source.below(min(segment.count, 14))] = source.below(8) < 4 ? 0 : source.byte()
        }
        units.append(fill + [0xFF, marker] + segment)
    }

    private mutating func writeHeaders() {
        fillCount = source.oneIn(8) ? source.pick([1, 2, 3, 20, 250, 255, 256, 300]) : 0
        if fillCount > 0, !frame.isHuge, source.oneIn(3) { makeDense() }
        writeMetadata()
        for slot in 0..<(source.oneIn(4) ? 4 : 2) { writeQuantizer(slot) }
        let tablesFirst = source.oneIn(3)
        if tablesFirst { writeTables() }
        add(frame.marker, frame.body)
        if !tablesFirst { writeTables() }
        if source.oneIn(3) { writeRestartInterval() }
        if source.isFault(oneIn: 60) {
            // A second frame.
            let other = FrameRecipe.any(&source)
            add(other.marker, other.body)
        }
    }

    private mutating func writeQuantizer(_ slot: Int) {
        let isWide = source.oneIn(5)
        let isWild = source.isFault(oneIn: 6)
        let values = (0..<64).map { _ in isWild ? source.byte() : UInt8(1 + source.below(20)) }
        let coded = isWide ? values.flatMap { [isWild ? $0 &* 3 : 0, $0] } : values
        add(0xDB, [UInt8(isWide ? 0x10 | slot : slot)] + coded)
    }

    /// Redefines Huffman tables: of two slots, or of all four.
    mutating func writeTables() {
        if isDense { return writeDenseTables() }
        let count = max(dcTables.count, source.oneIn(4) ? 4 : 2)
        let isProper = frame.isProgressive && source.oneIn(2)
        dcTables = (0..<count).map { _ in HuffmanRecipe.dc(&source) }
        acTables = (0..<count).map { _ in
            isProper
                ? HuffmanRecipe.everyProgressiveSymbol(&source)
                : HuffmanRecipe.ac(isProgressive: frame.isProgressive, &source)
        }
        var together: [UInt8] = []
        let isOneSegment = source.oneIn(3)
        for slot in 0..<count {
            for part in [
                dcTables[slot].segmentPart(isAC: false, slot: slot),
                acTables[slot].segmentPart(isAC: true, slot: slot),
            ] {
                if isOneSegment { together += part } else { add(0xC4, part) }
            }
        }
        if isOneSegment { add(0xC4, together) }
    }

    private mutating func writeRestartInterval() {
        restartInterval = source.isFault(oneIn: 10) ? source.pick([0, 255, 65_535]) : 1 + source.below(6)
        restartFaultRate = source.oneIn(3) ? 8 : 60
        add(0xDD, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)])
    }

    /// SOS for components of the frame.
    mutating func addScanHeader(
        _ members: [Int], slots: [Int], band: ClosedRange<Int> = 0...63, high: Int = 0, low: Int = 0
    ) {
        var body = [UInt8(members.count)]
        for (member, slot) in zip(members, slots) {
            body += [frame.components[member].identifier, UInt8(slot << 4 | slot)]
        }
        add(0xDA, body + [UInt8(band.lowerBound), UInt8(band.upperBound), UInt8(high << 4 | low)])
    }

    /// What may stand between two scans.
    mutating func writeBetweenScans(isFirst: Bool) {
        if frame.hasDeferredHeight, isFirst, !source.isFault(oneIn: 6) { add(0xDC, frame.linesBody) }
        // What looks like a marker, and what looks like its length.
        if source.isFault(oneIn: 20) { units.append([0xFF, source.byte(), source.byte(), source.byte()]) }
        if source.isFault(oneIn: 80) { units.append([0xFF, 0xD8]) }
        if source.oneIn(10) { writeTables() }
        if source.oneIn(20) { writeQuantizer(source.below(2)) }
        if source.oneIn(30) { writeRestartInterval() }
        if source.oneIn(40) { writeMetadata() }
    }

    /// Bytes as entropy-coded data, stuffed.
    mutating func noise(_ count: Int) -> [UInt8] {
        var writer = EntropyBitWriter(fillCount: fillCount)
        let style = source.below(4)
        for _ in 0..<count {
            let byte = style == 0 ? 0 : style == 1 ? source.byte() & source.byte() : source.byte()
            writer.put(Int(byte), 8)
        }
        return writer.bytes
    }

    private mutating func writeEnd() {
        if !source.isFault(oneIn: 8) { units.append([0xFF, 0xD9]) }
        guard source.oneIn(10) else { return }
        units.append(source.oneIn(2) ? noise(source.below(40)) : source.bytes(source.below(60)))
    }

    /// Now and then makes the same file one with arithmetic coding, whose decoder finds decisions in any bytes.
    private mutating func becomeArithmetic() {
        // Of its own: the decisions of files that stay as they are do not move.
        var choices = source
        guard choices.oneIn(8) else { return }
        for index in units.indices {
            // After any fill.
            guard let code = units[index].firstIndex(where: { $0 != 0xFF }), code > 0,
                units[index][code] == frame.marker
            else { continue }
            units[index][code] = frame.isProgressive ? 0xCA : 0xC9
        }
        var body: [UInt8] = []
        for slot in 0..<choices.below(4) {
            let lower = choices.below(16)
            let dc = choices.oneIn(20) ? choices.byte() : UInt8((lower + choices.below(16 - lower)) << 4 | lower)
            let ac = choices.oneIn(20) ? choices.byte() : UInt8(1 + choices.below(63))
            body += [UInt8(slot), dc, UInt8(0x10 | slot), ac]
        }
        if choices.oneIn(20) { body.append(choices.byte()) }
        units.insert([0xFF, 0xCC, 0, UInt8(body.count + 2)] + body, at: 1)
    }

    /// Now and then makes the same file a lossless one, with more noise after each scan header: it has a difference for each sample.
    private mutating func becomeLossless() {
        var choices = source
        guard !choices.oneIn(8), choices.oneIn(8) else { return }
        let precision = choices.oneIn(20) ? choices.byte() : UInt8(2 + choices.below(15))
        for index in units.indices.reversed() {
            guard let code = units[index].firstIndex(where: { $0 != 0xFF }), code > 0 else { continue }
            let (marker, count) = (units[index][code], units[index].count)
            if marker == frame.marker, count > code + 3 {
                units[index][code] = 0xC3
                units[index][code + 3] = precision
            } else if marker == 0xDA, count >= code + 6 {
                let predictor = choices.oneIn(20) ? choices.byte() : UInt8(1 + choices.below(7))
                let pointTransform = choices.oneIn(3) ? UInt8(choices.below(16)) : 0
                units[index].replaceSubrange(count - 3..<count, with: [predictor, 0, pointTransform])
                units.insert(noise(choices.below(min(4000, frame.width * frame.height))), at: index + 1)
            } else if marker == 0xDD, count == code + 5 {
                // Whole rows of MCUs, if all components have the same factors.
                let interval = frame.width * (1 + choices.below(4))
                units[index].replaceSubrange(
                    count - 2..<count, with: [UInt8(interval >> 8 & 255), UInt8(interval & 255)])
            }
        }
    }

    private mutating func finished() -> [UInt8] {
        var damage = FileDamage(source: source)
        return damage.applied(to: units)
    }
}
