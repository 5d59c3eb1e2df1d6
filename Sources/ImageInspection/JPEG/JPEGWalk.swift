// The scans of a JPEG file block by block: what each block costs in each scan.
//
// A second way through the entropy-coded data beside that of modules JPEGBaselineCodec and JPEGCodec, written for reading. It keeps which
// coefficients are there, the DC coefficients, and of one block that is asked for all of them; of a lossless frame bits alone.

import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// Walks through scans.
struct JPEGWalk {
    let header: JPEGFrameHeader
    let geometry: FrameGeometry
    private(set) var planes: [Plane] = []
    private(set) var scans: [Scan] = []
    /// Bits of MCUs of all scans, of the first component and of the others, and of each of the first scans.
    private(set) var bits: LayerValues
    private(set) var lumaBits: LayerValues
    private(set) var chromaBits: LayerValues
    private(set) var scanBits: [LayerValues] = []
    /// The number of the restart interval that each MCU is in, of the first scan that has any.
    private(set) var intervals: LayerValues?
    /// 1 for each MCU of which any scan cannot be decoded; `nil` if there is none.
    private(set) var damage: LayerValues?
    /// The block that is kept whole.
    private(set) var watch: BlockWatch?
    /// Tables that were replaced or are in use, with their class and slot.
    private(set) var retiredCodes: [(isDC: Bool, slot: Int, code: CountedHuffmanCode)] = []
    private(set) var dcCodes = [CountedHuffmanCode?](repeating: nil, count: 4)
    private(set) var acCodes = [CountedHuffmanCode?](repeating: nil, count: 4)
    /// MCUs between restart markers; 0 if there are none.
    var restartInterval = 0
    /// What arithmetic-coded scans that follow depend on.
    var conditioning: ArithmeticConditioning {
        get { arithmetic.conditioning }
        set { arithmetic.conditioning = newValue }
    }

    /// Scans that have a layer of their own.
    static let maxScanLayerCount = 12
    /// Tables that are kept for a list.
    private static let maxRetiredCount = 64
    private let build: MapBuild
    private let grid: MapGrid

    // Where the scan stands.
    private var reader = HighBitReader(at: 0)
    private var arithmetic = ArithmeticReader()
    private var predictors = [Int](repeating: 0, count: 4)
    private var endOfBandRun = 0
    /// Whether the block that is read is the one that is kept.
    private var isWatching = false
    /// Whether it was read in this scan, whose rest does not matter then.
    private var hasWatched = false
    private var marksIntervals = false

    /// - Parameter watch: the block to keep whole, as nothing is known of it yet. Each scan then ends with that block.
    init(
        _ header: JPEGFrameHeader, _ geometry: FrameGeometry, watch: BlockWatch? = nil, _ build: MapBuild
    ) throws(ImageError) {
        (self.header, self.geometry, self.build) = (header, geometry, build)
        self.watch = watch
        let side = header.isLossless ? 1 : 8
        let item = PixelSize(
            width: side * geometry.maximumHorizontalSampling, height: side * geometry.maximumVerticalSampling)
        grid = MapGrid(geometry.size, itemSize: item, maxCellCount: build.maxCellCount)
        bits = try LayerValues(grid, meter: build.meter)
        lumaBits = try LayerValues(grid, meter: build.meter)
        chromaBits = try LayerValues(grid, meter: build.meter)
        for component in geometry.components where !header.isLossless {
            // Released with the map's meter: what a walk holds is gone when the map is made.
            try build.meter.reserve(component.paddedBlockCount * 16)
            planes.append(
                Plane(
                    blocksPerRow: component.paddedWidthInBlocks,
                    dc: [Int32](repeating: 0, count: component.paddedBlockCount),
                    masks: [UInt64](repeating: 0, count: component.paddedBlockCount),
                    bitCounts: [Int32](repeating: 0, count: component.paddedBlockCount)))
        }
    }

    /// Replaces tables as a DHT segment says.
    mutating func define(_ body: Span<UInt8>) {
        var dc = [HuffmanSpecification?](repeating: nil, count: 4)
        var ac = dc
        guard (try? HuffmanSpecification.read(body, dc: &dc, ac: &ac, offset: 0)) != nil else { return }
        for slot in 0..<4 {
            if let table = dc[slot] {
                retire(dcCodes[slot], isDC: true, slot)
                dcCodes[slot] = CountedHuffmanCode(table)
            }
            if let table = ac[slot] {
                retire(acCodes[slot], isDC: false, slot)
                acCodes[slot] = CountedHuffmanCode(table)
            }
        }
    }

    /// Keeps all tables for a list.
    mutating func retireAll() {
        for slot in 0..<4 {
            retire(dcCodes[slot], isDC: true, slot)
            retire(acCodes[slot], isDC: false, slot)
        }
    }

    private mutating func retire(_ code: CountedHuffmanCode?, isDC: Bool, _ slot: Int) {
        guard let code, retiredCodes.count < Self.maxRetiredCount else { return }
        retiredCodes.append((isDC, slot, code))
    }

    /// Walks through a scan; after damage it goes on at the next restart marker.
    ///
    /// - Parameters:
    ///   - header: of the scan.
    ///   - data: its entropy-coded segments.
    mutating func run(
        _ header: ScanHeader, _ data: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) {
        let kind =
            self.header.isProgressive
            ? ScanKind(spectralStart: header.spectralStart, approximationHigh: header.approximationHigh) : nil
        var scan = Scan(header: header, kind: kind, byteCount: data.count)
        var own: LayerValues?
        if self.header.isProgressive, scans.count < Self.maxScanLayerCount {
            own = try LayerValues(grid, meter: build.meter)
        }
        marksIntervals = restartInterval > 0 && intervals == nil
        if marksIntervals { intervals = try LayerValues(grid, filledWith: -1, meter: build.meter) }
        defer {
            scans.append(scan)
            if let own { scanBits.append(own) }
        }
        let mcus = ScanGeometry(components: header.components.map(\.index), in: geometry)
        let count = mcus.mcusPerRow * mcus.mcuRows
        guard hasTables(header, kind), header.spectralEnd < 64,
            header.approximationLow < 14 || self.header.isLossless
        else { return try lose(0..<count, mcus, &scan, &work) }
        if let watch, !header.components.contains(where: { $0.index == watch.component }) { return }
        (reader, hasWatched) = (HighBitReader(at: 0), false)
        restart(&scan, data)
        var (mcu, intervalStart, isAtStart) = (0, 0, true)
        while mcu < count {
            try work.spend(self.header.isArithmetic ? 512 : 16)
            let isDue = restartInterval > 0 && mcu % restartInterval == 0 && !isAtStart
            if isDue { try passOver(&scan, data, &work) }
            let padding = isDue ? reader.restart(data) : 0
            if let padding, isDue {
                scan.paddingBitCount += padding
                scan.restartCount += 1
                let byteCount = reader.position - 2 - intervalStart
                let known = scan.intervalByteCounts ?? byteCount...byteCount
                scan.intervalByteCounts = min(known.lowerBound, byteCount)...max(known.upperBound, byteCount)
                intervalStart = reader.position
                restart(&scan, data)
            }
            isAtStart = false
            if padding != nil, readMCU(mcu, mcus, &scan, &own, data) {
                mcu += 1
                if hasWatched { break }
                continue
            }
            let next = try resume(at: mcu, isBetween: padding == nil, data, &work)
            try lose(mcu..<min(next ?? count, count), mcus, &scan, &work)
            guard let next else { break }
            (mcu, intervalStart, isAtStart) = (next, reader.position, true)
            scan.restartCount += 1
            scan.goesOn = true
            restart(&scan, data)
        }
        if mcu == count { try passOver(&scan, data, &work) }
        scan.paddingBitCount += reader.bufferCount
        scan.stuffedByteCount = reader.stuffedByteCount
    }

    /// Looks for the restart marker after damage.
    ///
    /// - Parameters:
    ///   - mcu: the one that cannot be decoded.
    ///   - isBetween: whether it is the marker before it that is missing.
    /// - Returns: the MCU after the marker; `nil` if there is none.
    private mutating func resume(
        at mcu: Int, isBetween: Bool, _ data: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        guard restartInterval > 0, let number = try reader.seekRestart(data, &work) else { return nil }
        let next = mcu / restartInterval + (isBetween ? 0 : 1)
        // Numbers go from 0 to 7. One of the next two says that data are missing; any other is taken for a damaged number.
        let missing = (number - (next - 1)) & 7
        return (next + (missing <= 2 ? missing : 0)).multipliedSaturated(by: restartInterval)
    }

    /// Counts and marks MCUs that cannot be decoded.
    private mutating func lose(
        _ lost: Range<Int>, _ mcus: ScanGeometry, _ scan: inout Scan, _ work: inout WorkGuard
    ) throws(ImageError) {
        scan.damagedMCU = scan.damagedMCU ?? lost.lowerBound
        scan.lostMCUCount += lost.count
        if damage == nil { damage = try LayerValues(grid, meter: build.meter) }
        let component = mcus.isInterleaved ? nil : scan.header.components.first.map { geometry.components[$0.index] }
        let (across, down) = (component?.horizontalSampling ?? 1, component?.verticalSampling ?? 1)
        for mcu in lost {
            try work.spend(1)
            damage?.mark(1, column: mcu % mcus.mcusPerRow / across, row: mcu / mcus.mcusPerRow / down)
        }
    }

    private mutating func restart(_ scan: inout Scan, _ data: Span<UInt8>) {
        predictors = [0, 0, 0, 0]
        endOfBandRun = 0
        guard header.isArithmetic else { return }
        let start = reader.usedBitCount
        arithmetic.restart(&reader, data)
        scan.paddingBitCount += reader.usedBitCount - start
    }

    /// An arithmetic decoder need not ask for the last bits of an interval.
    private mutating func passOver(
        _ scan: inout Scan, _ data: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard header.isArithmetic else { return }
        let start = reader.usedBitCount
        while reader.need(1, data) {
            try work.spend(1)
            _ = reader.drop(reader.bufferCount)
        }
        scan.paddingBitCount += reader.usedBitCount - start
    }

    private func hasTables(_ header: ScanHeader, _ kind: ScanKind?) -> Bool {
        header.components.allSatisfy { component in
            guard component.dcTable < 4, component.acTable < 4 else { return false }
            if self.header.isArithmetic {
                return kind == nil || header.spectralStart == 0 || header.components.count == 1
            }
            if self.header.isLossless { return dcCodes[component.dcTable] != nil }
            let (dc, ac) = (dcCodes[component.dcTable] != nil, acCodes[component.acTable] != nil)
            return switch kind {
            case nil: dc && ac
            case .dcFirst: dc
            case .dcRefinement: true
            case .acFirst, .acRefinement: ac && header.components.count == 1
            }
        }
    }

    private mutating func readMCU(
        _ mcu: Int, _ mcus: ScanGeometry, _ scan: inout Scan, _ own: inout LayerValues?, _ data: Span<UInt8>
    ) -> Bool {
        let (column, row) = (mcu % mcus.mcusPerRow, mcu / mcus.mcusPerRow)
        for member in scan.header.components {
            let component = geometry.components[member.index]
            let (across, down) = (component.horizontalSampling, component.verticalSampling)
            let count = mcus.isInterleaved ? across * down : 1
            for block in 0..<count {
                let (x, y) =
                    mcus.isInterleaved
                    ? (column * across + block % across, row * down + block / across) : (column, row)
                let before = reader.usedBitCount
                if header.isLossless {
                    guard readDifference(member, &scan, data) else { return false }
                } else {
                    let place = y * planes[member.index].blocksPerRow + x
                    isWatching = watch?.component == member.index && watch?.place == place
                    let isWhole =
                        header.isArithmetic
                        ? readArithmeticBlock(member, place, &scan, data) : readBlock(member, place, &scan, data)
                    guard isWhole else { return false }
                    if isWatching { hasWatched = true }
                    planes[member.index].bitCounts[place] = Int32(
                        clamping: Int(planes[member.index].bitCounts[place]) + reader.usedBitCount - before)
                }
                let amount = (reader.usedBitCount - before) * MapLayer.Kind.bitParts
                let cell = (column: x / across, row: y / down)
                bits.add(amount, column: cell.column, row: cell.row)
                own?.add(amount, column: cell.column, row: cell.row)
                if marksIntervals { intervals?.set(mcu / restartInterval, column: cell.column, row: cell.row) }
                if member.index == 0 {
                    lumaBits.add(amount, column: cell.column, row: cell.row)
                } else {
                    chromaBits.add(amount, column: cell.column, row: cell.row)
                }
            }
        }
        return true
    }

    /// One block of a scan, by the procedure of the scan's kind.
    private mutating func readBlock(
        _ member: ScanHeader.Component, _ place: Int, _ scan: inout Scan, _ data: Span<UInt8>
    ) -> Bool {
        let start = reader.usedBitCount
        let header = scan.header
        var isWhole: Bool
        switch scan.kind {
        case nil, .dcFirst:
            isWhole = readDC(member, place, low: scan.kind == nil ? 0 : header.approximationLow, data)
            scan.dcBitCount += reader.usedBitCount - start
            if scan.kind == nil, isWhole {
                let middle = reader.usedBitCount
                isWhole = readBand(member, place, 1...63, low: 0, data)
                scan.acBitCount += reader.usedBitCount - middle
            }
        case .dcRefinement:
            guard let bit = reader.read(1, data) else { return false }
            planes[member.index].dc[place] |= Int32(bit << header.approximationLow)
            scan.dcBitCount += 1
            if isWatching {
                watch?.set(0, to: Int(planes[member.index].dc[place]))
                note(bitsOfCode: 0, since: start, "mean: bit \(header.approximationLow) is \(bit)")
            }
            isWhole = true
        case .acFirst, .acRefinement:
            guard header.spectralStart <= header.spectralEnd else { return false }
            let band = header.spectralStart...header.spectralEnd
            let low = header.approximationLow
            isWhole =
                scan.kind == .acFirst
                ? readBand(member, place, band, low: low, data) : refineBand(member, place, band, low: low, data)
            scan.acBitCount += reader.usedBitCount - start
        }
        return isWhole
    }

    /// The difference of a sample of a lossless scan to what is predicted.
    ///
    /// - Source: T.81 §H.1.2.2, table H.2: a difference of 16 bits is 32768 and has none of them.
    private mutating func readDifference(
        _ member: ScanHeader.Component, _ scan: inout Scan, _ data: Span<UInt8>
    ) -> Bool {
        let start = reader.usedBitCount
        guard let size = dcCodes[member.dcTable]?.read(&reader, data), size <= 16 else { return false }
        let isWhole = size == 16 || reader.read(size, data) != nil
        scan.dcBitCount += reader.usedBitCount - start
        return isWhole
    }

    /// One block of an arithmetic-coded scan.
    ///
    /// - Source: T.81 §F.2.4 "Arithmetic decoding", §G.1.3 "Coding model for arithmetic coding".
    private mutating func readArithmeticBlock(
        _ member: ScanHeader.Component, _ place: Int, _ scan: inout Scan, _ data: Span<UInt8>
    ) -> Bool {
        let (start, header) = (reader.usedBitCount, scan.header)
        let low = scan.kind == nil ? 0 : header.approximationLow
        let isDC = scan.kind != .acFirst && scan.kind != .acRefinement
        if isDC {
            if scan.kind == .dcRefinement {
                planes[member.index].dc[place] |= arithmetic.bit(&reader, data) ? 1 << Int32(low) : 0
            } else {
                guard let difference = arithmetic.difference(member, &reader, data) else { return false }
                predictors[member.index] &+= difference
                planes[member.index].dc[place] = Int32(truncatingIfNeeded: predictors[member.index] << low)
            }
            scan.dcBitCount += reader.usedBitCount - start
            guard scan.kind == nil else { return true }
        }
        let middle = reader.usedBitCount
        defer { scan.acBitCount += reader.usedBitCount - middle }
        let (first, last) = isDC ? (1, 63) : (header.spectralStart, header.spectralEnd)
        guard first <= last else { return false }
        let mask = planes[member.index].masks[place]
        let result =
            scan.kind == .acRefinement
            ? arithmetic.refinement(of: mask, first...last, member, &reader, data)
            : arithmetic.band(first...last, member, &reader, data).map { $0 | mask }
        if let result { planes[member.index].masks[place] = result }
        return result != nil
    }

    /// - Source: T.81 §F.2.2.1 "Huffman decoding of DC coefficients".
    private mutating func readDC(
        _ member: ScanHeader.Component, _ place: Int, low: Int, _ data: Span<UInt8>
    ) -> Bool {
        let start = reader.usedBitCount
        guard let size = dcCodes[member.dcTable]?.read(&reader, data), size <= 16 else { return false }
        let codeBitCount = reader.usedBitCount - start
        var difference = 0
        if size > 0 {
            guard let number = reader.read(size, data) else { return false }
            difference = Self.signed(number, size)
            predictors[member.index] &+= difference
        }
        planes[member.index].dc[place] = Int32(truncatingIfNeeded: predictors[member.index] << low)
        if isWatching {
            watch?.set(0, to: Int(planes[member.index].dc[place]))
            note(bitsOfCode: codeBitCount, since: start, BlockWatch.dc(difference, low: low))
        }
        return true
    }

    /// - Source: T.81 §F.2.2.1, figure F.12 "Extending the sign bit of a decoded value in V".
    private static func signed(_ number: Int, _ size: Int) -> Int {
        number < 1 << (size - 1) ? number - (1 << size) + 1 : number
    }

    /// Keeps what was just read of the block.
    private mutating func note(bitsOfCode: Int, since start: Int, _ text: @autoclosure () -> String) {
        guard isWatching else { return }
        watch?.add(scan: scans.count, codeBitCount: bitsOfCode, bitCount: reader.usedBitCount - start, text())
    }

    /// A band of a sequential or a first progressive scan.
    ///
    /// - Source: T.81 §F.2.2.2 "Decoding procedure for AC coefficients", §G.1.2.2 "Huffman coding of AC coefficients".
    private mutating func readBand(
        _ member: ScanHeader.Component, _ place: Int, _ band: ClosedRange<Int>, low: Int, _ data: Span<UInt8>
    ) -> Bool {
        if endOfBandRun > 0 {
            endOfBandRun -= 1
            return true
        }
        var position = band.lowerBound
        while position <= band.upperBound {
            let start = reader.usedBitCount
            guard let symbol = acCodes[member.acTable]?.read(&reader, data) else { return false }
            let codeBitCount = reader.usedBitCount - start
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 {
                guard let rest = endOfBand(run, data) else { return false }
                endOfBandRun = rest
                note(bitsOfCode: codeBitCount, since: start, BlockWatch.end(rest))
                return true
            }
            position += run
            if size > 0 {
                guard let number = reader.read(size, data) else { return false }
                if position <= 63 { planes[member.index].masks[place] |= 1 << UInt64(position) }
                if isWatching { watch?.set(position, to: Self.signed(number, size) << low) }
                note(
                    bitsOfCode: codeBitCount, since: start,
                    BlockWatch.zeros(run, then: Self.signed(number, size), low: low))
            } else {
                note(bitsOfCode: codeBitCount, since: start, BlockWatch.zeros(16))
            }
            position += 1
        }
        return true
    }

    /// Blocks after this one that have nothing more in the band; in a sequential scan there are none.
    private mutating func endOfBand(_ run: Int, _ data: Span<UInt8>) -> Int? {
        guard header.isProgressive, run > 0 else { return 0 }
        return reader.read(run, data).map { (1 << run) + $0 - 1 }
    }

    /// One more bit of the coefficients of a band, and those that are new.
    ///
    /// - Source: T.81 §G.1.2.3 "Coding model for subsequent scans of successive approximation".
    private mutating func refineBand(
        _ member: ScanHeader.Component, _ place: Int, _ band: ClosedRange<Int>, low: Int, _ data: Span<UInt8>
    ) -> Bool {
        var mask = planes[member.index].masks[place]
        defer { planes[member.index].masks[place] = mask }
        var position = band.lowerBound
        if endOfBandRun == 0 {
            while position <= band.upperBound {
                let start = reader.usedBitCount
                guard let symbol = acCodes[member.acTable]?.read(&reader, data) else { return false }
                let codeBitCount = reader.usedBitCount - start
                var run = symbol >> 4
                let isNew = symbol & 15 != 0
                if !isNew, run < 15 {
                    guard let rest = endOfBand(run, data) else { return false }
                    endOfBandRun = rest + 1
                    note(bitsOfCode: codeBitCount, since: start, BlockWatch.end(rest))
                    break
                }
                var value = 0
                if isNew {
                    guard let isPositive = reader.read(1, data) else { return false }
                    value = isPositive == 1 ? 1 : -1
                }
                // Zeros are counted, what is there already has a bit of correction.
                var corrections = 0
                while position <= band.upperBound {
                    if mask & (1 << UInt64(position)) != 0 {
                        guard correct(position, low: low, data) else { return false }
                        corrections += 1
                    } else {
                        if run == 0 { break }
                        run -= 1
                    }
                    position += 1
                }
                if isNew, position <= band.upperBound {
                    mask |= 1 << UInt64(position)
                    if isWatching { watch?.set(position, to: value << low) }
                }
                note(
                    bitsOfCode: codeBitCount, since: start,
                    (isNew ? BlockWatch.zeros(symbol >> 4, then: value, low: low) : BlockWatch.zeros(16))
                        + BlockWatch.corrections(corrections))
                position += 1
            }
        }
        guard endOfBandRun > 0 else { return true }
        let start = reader.usedBitCount
        while position <= band.upperBound {
            if mask & (1 << UInt64(position)) != 0, !correct(position, low: low, data) { return false }
            position += 1
        }
        if reader.usedBitCount > start { note(bitsOfCode: 0, since: start, "a bit more of each that is there") }
        endOfBandRun -= 1
        return true
    }

    /// One more bit of a coefficient that is there; `false` if there is none.
    private mutating func correct(_ position: Int, low: Int, _ data: Span<UInt8>) -> Bool {
        guard let bit = reader.read(1, data) else { return false }
        if isWatching, bit == 1 { watch?.enlarge(position, by: 1 << low) }
        return true
    }
}
