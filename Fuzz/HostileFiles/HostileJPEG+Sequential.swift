// Sequential scans whose symbols are drawn from the tables, so that most of them decode.

import CodecTestSupport

extension HostileJPEG {
    /// One interleaved scan, or several; sometimes a scan too many, too few or cut short.
    mutating func writeSequentialScans() {
        let all = Array(frame.components.indices)
        guard !all.isEmpty else { return }
        var scans = [all]
        if all.count > 1, source.oneIn(3) {
            scans = source.oneIn(2) ? all.map { [$0] } : [[0], Array(all.dropFirst())]
            if source.isFault(oneIn: 10) { scans.removeLast() }
        }
        if source.isFault(oneIn: 12) { scans.append([0]) }
        for (index, members) in scans.enumerated() {
            let slots = members.map { _ in source.isFault(oneIn: 100) ? 3 : source.below(2) }
            // Decoders take the band of a sequential scan for 0...63, whatever it says.
            addScanHeader(
                members, slots: slots, band: source.isFault(oneIn: 60) ? 1...source.pick([1, 5, 64]) : 0...63)
            units.append(sequentialData(members, slots))
            writeBetweenScans(isFirst: index == 0)
        }
    }

    private mutating func sequentialData(_ members: [Int], _ slots: [Int]) -> [UInt8] {
        let isSingle = members.count == 1
        let grid = isSingle ? frame.blocks(of: members[0]) : frame.interleavedUnits
        let total = grid.across * grid.down
        // Of huge pictures there is little, whatever their headers say.
        let most = frame.isHuge ? source.below(200) : source.isFault(oneIn: 6) ? source.below(total + 1) : total
        var writer = EntropyBitWriter(fillCount: fillCount)
        var restartNumber = 0
        for unit in 0..<min(total, most) {
            if restartInterval > 0, unit > 0, unit % restartInterval == 0 {
                writer.append(marker: restartMarker(&restartNumber))
            }
            for (member, slot) in zip(members, slots) {
                let component = frame.components[member]
                for _ in 0..<(isSingle ? 1 : component.horizontal * component.vertical) {
                    writeBlock(slot, &writer)
                }
            }
            if source.isFault(oneIn: 800) { writer.append(marker: [0xFF, 0xD0 + UInt8(source.below(8))]) }
        }
        writer.flush()
        if restartInterval > 0, source.isFault(oneIn: 12) { writer.append(marker: restartMarker(&restartNumber)) }
        return writer.bytes
    }

    /// The restart marker that is due, or a wrong one, two of them, none, or one after fill or stray bytes.
    mutating func restartMarker(_ number: inout Int) -> [UInt8] {
        let marker: [UInt8] = [0xFF, 0xD0 + UInt8(number)]
        number = (number + 1) & 7
        guard source.isFault(oneIn: restartFaultRate) else { return marker }
        switch source.below(5) {
        case 0: return []
        case 1: return marker + marker
        case 2: return [0xFF, 0xD0 + UInt8(source.below(8))]
        case 3: return [UInt8](repeating: 0xFF, count: 1 + source.below(300)) + marker
        default: return source.bytes(1 + source.below(5)) + marker
        }
    }

    /// A block of symbols the tables have.
    private mutating func writeBlock(_ slot: Int, _ writer: inout EntropyBitWriter) {
        guard slot < dcTables.count, !dcTables[slot].symbols.isEmpty, !acTables[slot].symbols.isEmpty else { return }
        let (dc, ac) = (dcTables[slot], acTables[slot])
        if isDense {
            writer.put(0, dc)
            return putDenseCoefficients(1...63, &writer)
        }
        let size = source.pick(dc.symbols)
        writer.put(size, dc)
        writer.put(source.below(1 << Int(size & 15)), Int(size & 15))
        let isLong = source.oneIn(6)
        var index = 1
        while index < 64 {
            var symbol = source.pick(ac.symbols)
            let goesTooFar = index + Int(symbol >> 4) > 63
            if goesTooFar && !source.isFault(oneIn: 50) || !isLong && source.oneIn(3) {
                if ac.code(of: 0) != nil { symbol = 0 }
            }
            writer.put(symbol, ac)
            let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
            if size == 0 && run != 15 { return }
            // Ones make bytes of 0xFF, which are stuffed.
            writer.put(fillCount > 0 && source.oneIn(2) ? 1 << size - 1 : source.below(1 << size), size)
            index += run + 1
        }
    }
}
