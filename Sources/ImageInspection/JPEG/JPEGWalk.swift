// The scans of a JPEG file block by block: what each block costs in each scan.
//
// A second way through the entropy-coded data beside that of modules JPEGBaselineCodec and JPEGCodec, written for reading. It keeps which
// coefficients are there and the DC coefficients, no others.

import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// Walks through scans.
struct JPEGWalk {
    /// The blocks of a component: of its padded grid, row after row.
    struct Plane: Sendable {
        let blocksPerRow: Int
        /// DC coefficients, not yet multiplied.
        var dc: [Int32]
        /// A bit for each coefficient that is not zero, in zig-zag order; bit 0 is not used.
        var masks: [UInt64]
    }

    /// One scan.
    struct Scan: Sendable {
        let header: ScanHeader
        let kind: ScanKind?
        let byteCount: Int
        var dcBitCount = 0
        var acBitCount = 0
        /// Bits that fill bytes.
        var paddingBitCount = 0
        var stuffedByteCount = 0
        var restartCount = 0
        /// Bytes from one restart to the next, the smallest and the largest.
        var intervalByteCounts: ClosedRange<Int>?
        /// The MCU that cannot be decoded.
        var damagedMCU: Int?

        /// Bits of coefficients.
        var bitCount: Int { dcBitCount + acBitCount }
    }

    let geometry: FrameGeometry
    let isProgressive: Bool
    private(set) var planes: [Plane] = []
    private(set) var scans: [Scan] = []
    /// Bits of MCUs of all scans, of the first component and of the others, and of each of the first scans.
    private(set) var bits: LayerValues
    private(set) var lumaBits: LayerValues
    private(set) var chromaBits: LayerValues
    private(set) var scanBits: [LayerValues] = []
    /// Tables that were replaced or are in use, with their class and slot.
    private(set) var retiredCodes: [(isDC: Bool, slot: Int, code: CountedHuffmanCode)] = []
    private(set) var dcCodes = [CountedHuffmanCode?](repeating: nil, count: 4)
    private(set) var acCodes = [CountedHuffmanCode?](repeating: nil, count: 4)
    /// MCUs between restart markers; 0 if there are none.
    var restartInterval = 0

    /// Scans that have a layer of their own.
    static let maxScanLayerCount = 12
    /// Tables that are kept for a list.
    private static let maxRetiredCount = 64
    private let build: MapBuild
    private let grid: MapGrid

    // Where the scan stands.
    private var reader = HighBitReader(at: 0)
    private var predictors = [Int](repeating: 0, count: 4)
    private var endOfBandRun = 0

    init(_ geometry: FrameGeometry, isProgressive: Bool, _ build: MapBuild) throws(ImageError) {
        (self.geometry, self.isProgressive, self.build) = (geometry, isProgressive, build)
        let item = PixelSize(
            width: 8 * geometry.maximumHorizontalSampling, height: 8 * geometry.maximumVerticalSampling)
        grid = MapGrid(geometry.size, itemSize: item, maxCellCount: build.maxCellCount)
        bits = try LayerValues(grid, meter: build.meter)
        lumaBits = try LayerValues(grid, meter: build.meter)
        chromaBits = try LayerValues(grid, meter: build.meter)
        for component in geometry.components {
            // Released with the map's meter: what a walk holds is gone when the map is made.
            try build.meter.reserve(component.paddedBlockCount * 12)
            planes.append(
                Plane(
                    blocksPerRow: component.paddedWidthInBlocks,
                    dc: [Int32](repeating: 0, count: component.paddedBlockCount),
                    masks: [UInt64](repeating: 0, count: component.paddedBlockCount)))
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

    /// Walks through a scan, up to its end or to damage.
    ///
    /// - Parameters:
    ///   - header: of the scan.
    ///   - data: its entropy-coded segments.
    mutating func run(
        _ header: ScanHeader, _ data: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) {
        let kind =
            isProgressive
            ? ScanKind(spectralStart: header.spectralStart, approximationHigh: header.approximationHigh) : nil
        var scan = Scan(header: header, kind: kind, byteCount: data.count)
        var own: LayerValues?
        if isProgressive, scans.count < Self.maxScanLayerCount { own = try LayerValues(grid, meter: build.meter) }
        defer {
            scans.append(scan)
            if let own { scanBits.append(own) }
        }
        guard hasTables(header, kind), header.spectralEnd < 64, header.approximationLow < 14 else {
            scan.damagedMCU = 0
            return
        }
        let mcus = ScanGeometry(components: header.components.map(\.index), in: geometry)
        reader = HighBitReader(at: 0)
        restart()
        var intervalStart = 0
        for mcu in 0..<mcus.mcusPerRow * mcus.mcuRows {
            try work.spend(16)
            if restartInterval > 0, mcu > 0, mcu % restartInterval == 0 {
                guard let padding = reader.restart(data) else {
                    scan.damagedMCU = mcu
                    break
                }
                scan.paddingBitCount += padding
                scan.restartCount += 1
                let count = reader.position - 2 - intervalStart
                let known = scan.intervalByteCounts ?? count...count
                scan.intervalByteCounts = min(known.lowerBound, count)...max(known.upperBound, count)
                intervalStart = reader.position
                restart()
            }
            guard readMCU(mcu, mcus, &scan, &own, data) else {
                scan.damagedMCU = mcu
                break
            }
        }
        scan.paddingBitCount += reader.bufferCount
        scan.stuffedByteCount = reader.stuffedByteCount
    }

    private mutating func restart() {
        predictors = [0, 0, 0, 0]
        endOfBandRun = 0
    }

    private func hasTables(_ header: ScanHeader, _ kind: ScanKind?) -> Bool {
        header.components.allSatisfy { component in
            guard component.dcTable < 4, component.acTable < 4 else { return false }
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
                let place = y * planes[member.index].blocksPerRow + x
                let before = reader.usedBitCount
                guard readBlock(member, place, &scan, data) else { return false }
                let amount = (reader.usedBitCount - before) * MapLayer.Kind.bitParts
                let cell = (column: x / across, row: y / down)
                bits.add(amount, column: cell.column, row: cell.row)
                own?.add(amount, column: cell.column, row: cell.row)
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
                isWhole = readBand(member, place, 1...63, data)
                scan.acBitCount += reader.usedBitCount - middle
            }
        case .dcRefinement:
            guard let bit = reader.read(1, data) else { return false }
            planes[member.index].dc[place] |= Int32(bit << header.approximationLow)
            scan.dcBitCount += 1
            isWhole = true
        case .acFirst, .acRefinement:
            guard header.spectralStart <= header.spectralEnd else { return false }
            let band = header.spectralStart...header.spectralEnd
            isWhole =
                scan.kind == .acFirst ? readBand(member, place, band, data) : refineBand(member, place, band, data)
            scan.acBitCount += reader.usedBitCount - start
        }
        return isWhole
    }

    /// - Source: T.81 §F.2.2.1 "Huffman decoding of DC coefficients".
    private mutating func readDC(
        _ member: ScanHeader.Component, _ place: Int, low: Int, _ data: Span<UInt8>
    ) -> Bool {
        guard let size = dcCodes[member.dcTable]?.read(&reader, data), size <= 16 else { return false }
        if size > 0 {
            guard let number = reader.read(size, data) else { return false }
            predictors[member.index] &+= number < 1 << (size - 1) ? number - (1 << size) + 1 : number
        }
        planes[member.index].dc[place] = Int32(truncatingIfNeeded: predictors[member.index] << low)
        return true
    }

    /// A band of a sequential or a first progressive scan.
    ///
    /// - Source: T.81 §F.2.2.2 "Decoding procedure for AC coefficients", §G.1.2.2 "Huffman coding of AC coefficients".
    private mutating func readBand(
        _ member: ScanHeader.Component, _ place: Int, _ band: ClosedRange<Int>, _ data: Span<UInt8>
    ) -> Bool {
        if endOfBandRun > 0 {
            endOfBandRun -= 1
            return true
        }
        var position = band.lowerBound
        while position <= band.upperBound {
            guard let symbol = acCodes[member.acTable]?.read(&reader, data) else { return false }
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0, run < 15 {
                guard let rest = endOfBand(run, data) else { return false }
                endOfBandRun = rest
                return true
            }
            position += run
            if size > 0 {
                guard reader.read(size, data) != nil else { return false }
                if position <= 63 { planes[member.index].masks[place] |= 1 << UInt64(position) }
            }
            position += 1
        }
        return true
    }

    /// Blocks after this one that have nothing more in the band; in a sequential scan there are none.
    private mutating func endOfBand(_ run: Int, _ data: Span<UInt8>) -> Int? {
        guard isProgressive, run > 0 else { return 0 }
        return reader.read(run, data).map { (1 << run) + $0 - 1 }
    }

    /// One more bit of the coefficients of a band, and those that are new.
    ///
    /// - Source: T.81 §G.1.2.3 "Coding model for subsequent scans of successive approximation".
    private mutating func refineBand(
        _ member: ScanHeader.Component, _ place: Int, _ band: ClosedRange<Int>, _ data: Span<UInt8>
    ) -> Bool {
        var mask = planes[member.index].masks[place]
        defer { planes[member.index].masks[place] = mask }
        var position = band.lowerBound
        if endOfBandRun == 0 {
            while position <= band.upperBound {
                guard let symbol = acCodes[member.acTable]?.read(&reader, data) else { return false }
                var run = symbol >> 4
                let isNew = symbol & 15 != 0
                if !isNew, run < 15 {
                    guard let rest = endOfBand(run, data) else { return false }
                    endOfBandRun = rest + 1
                    break
                }
                if isNew, reader.read(1, data) == nil { return false }
                // Zeros are counted, what is there already has a bit of correction.
                while position <= band.upperBound {
                    if mask & (1 << UInt64(position)) != 0 {
                        guard reader.read(1, data) != nil else { return false }
                    } else {
                        if run == 0 { break }
                        run -= 1
                    }
                    position += 1
                }
                if isNew, position <= band.upperBound { mask |= 1 << UInt64(position) }
                position += 1
            }
        }
        guard endOfBandRun > 0 else { return true }
        while position <= band.upperBound {
            if mask & (1 << UInt64(position)) != 0, reader.read(1, data) == nil { return false }
            position += 1
        }
        endOfBandRun -= 1
        return true
    }
}
