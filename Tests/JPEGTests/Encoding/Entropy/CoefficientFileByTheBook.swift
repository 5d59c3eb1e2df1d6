import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// The coefficients in a JPEG file, read one bit at a time as the standard describes it, for files without damage.
struct CoefficientFileByTheBook {
    struct Failure: Error { let what: String }

    /// Of each component its blocks over the padded grid, 64 coefficients each in natural order.
    private(set) var blocks: [[[Int16]]] = []
    private(set) var geometry: FrameGeometry?
    /// Spectral selection and successive approximation of the scans: `Ss`, `Se`, `Ah`, `Al`.
    private(set) var scans: [[Int]] = []
    private(set) var frameMarker: Marker?
    private(set) var restartMarkerCount = 0

    private var dc = [HuffmanSpecification?](repeating: nil, count: 4)
    private var ac = [HuffmanSpecification?](repeating: nil, count: 4)
    private var restartInterval = 0

    init(_ file: [UInt8]) throws {
        var at = 2
        while at + 4 <= file.count {
            guard file[at] == 0xFF else { throw Failure(what: "no marker at \(at)") }
            let marker = Marker(rawValue: file[at + 1])
            let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
            let body = Array(file[at + 4..<at + 2 + length])
            at += 2 + length
            switch marker {
            case .sof0, .sof1, .sof2: try readFrame(body, marker)
            case .dht: try HuffmanSpecification.read(body.span, dc: &dc, ac: &ac, offset: at)
            case .dri: restartInterval = Int(body[0]) << 8 | Int(body[1])
            case .sos:
                let end = Self.endOfData(file, from: at)
                try readScan(body, intervals: intervals(Array(file[at..<end])))
                at = end
            default: break
            }
        }
        guard Array(file.suffix(2)) == [0xFF, 0xD9] else { throw Failure(what: "no EOI") }
    }

    private mutating func readFrame(_ body: [UInt8], _ marker: Marker) throws {
        frameMarker = marker
        let components = (0..<Int(body[5])).map { index in
            FrameGeometry.ComponentSpecification(
                identifier: body[6 + 3 * index], horizontalSampling: Int(body[7 + 3 * index] >> 4),
                verticalSampling: Int(body[7 + 3 * index] & 15), quantizationTable: Int(body[8 + 3 * index]))
        }
        let size = PixelSize(width: Int(body[3]) << 8 | Int(body[4]), height: Int(body[1]) << 8 | Int(body[2]))
        guard let geometry = FrameGeometry(size: size, components: components) else { throw Failure(what: "frame") }
        self.geometry = geometry
        blocks = geometry.components.map {
            Array(repeating: Array(repeating: 0, count: 64), count: $0.paddedBlockCount)
        }
    }

    /// Where the next marker is that is none of restart.
    private static func endOfData(_ file: [UInt8], from start: Int) -> Int {
        var at = start
        while !(file[at] == 0xFF && file[at + 1] != 0 && file[at + 1] & 0xF8 != 0xD0) { at += 1 }
        return at
    }

    /// The data between restart markers, without stuffing.
    private mutating func intervals(_ data: [UInt8]) throws -> [[UInt8]] {
        var result: [[UInt8]] = [[]]
        var at = 0
        while at < data.count {
            if data[at] == 0xFF, data[at + 1] & 0xF8 == 0xD0 {
                guard Int(data[at + 1] & 7) == (result.count - 1) & 7 else { throw Failure(what: "restart number") }
                result.append([])
                restartMarkerCount += 1
                at += 2
            } else {
                result[result.count - 1].append(data[at])
                at += data[at] == 0xFF ? 2 : 1
            }
        }
        return result
    }

    private mutating func readScan(_ body: [UInt8], intervals: [[UInt8]]) throws {
        guard let frame = geometry else { throw Failure(what: "scan before frame") }
        let count = Int(body[0])
        let components = (0..<count).map { place in
            frame.components.firstIndex { $0.identifier == body[1 + 2 * place] } ?? 0
        }
        let slots: [(dc: Int, ac: Int)] = (0..<count).map { place in
            let byte = Int(body[2 + 2 * place])
            return (dc: byte >> 4, ac: byte & 15)
        }
        let rest = body[(1 + 2 * count)...].map(Int.init)
        let parameters = [rest[0], rest[1], rest[2] >> 4, rest[2] & 15]
        scans.append(parameters)
        let scan = ScanGeometry(components: components, in: frame)
        let mcuCount = scan.mcusPerRow * scan.mcuRows
        let mcusOfInterval = restartInterval == 0 ? mcuCount : restartInterval
        guard intervals.count == (mcuCount + mcusOfInterval - 1) / mcusOfInterval else {
            throw Failure(what: "\(intervals.count) intervals")
        }
        for (number, interval) in intervals.enumerated() {
            var bits = BitsByTheBook(interval)
            var predictors = [0, 0, 0, 0]
            var run = 0
            for mcu in number * mcusOfInterval..<min(mcuCount, (number + 1) * mcusOfInterval) {
                let (row, column) = mcu.quotientAndRemainder(dividingBy: scan.mcusPerRow)
                for (place, index) in components.enumerated() {
                    let component = frame.components[index]
                    let h = scan.isInterleaved ? component.horizontalSampling : 1
                    let v = scan.isInterleaved ? component.verticalSampling : 1
                    for y in 0..<v {
                        for x in 0..<h {
                            let block = (row * v + y) * component.paddedWidthInBlocks + column * h + x
                            try readBlock(
                                &blocks[index][block], parameters, slots[place], &bits, &predictors[place], &run)
                        }
                    }
                }
            }
            guard !bits.hasOverrun, interval.count * 8 - bits.position < 8, run == 0 else {
                throw Failure(what: "data of the wrong length")
            }
            while bits.position < interval.count * 8 {
                guard bits.nextBit() == 1 else { throw Failure(what: "filled with zeros") }
            }
        }
    }

    private func readBlock(
        _ block: inout [Int16], _ scan: [Int], _ slots: (dc: Int, ac: Int), _ bits: inout BitsByTheBook,
        _ predictor: inout Int, _ run: inout Int
    ) throws {
        func table(_ specification: HuffmanSpecification?) throws -> HuffmanSpecification {
            guard let specification else { throw Failure(what: "no table") }
            return specification
        }
        let (start, end, high, low) = (scan[0], scan[1], scan[2], scan[3])
        if start == 0, end == 63 {
            let decoded = SequentialBlockByTheBook.decodeBlock(
                &bits, dc: try table(dc[slots.dc]), ac: try table(ac[slots.ac]), predictor: &predictor)
            guard !decoded.isDamaged else { throw Failure(what: "damaged block") }
            block = decoded.coefficients
        } else if start == 0, high == 0 {
            let value = DCBlockByTheBook.decodeFirst(
                table: try table(dc[slots.dc]), low: low, bits: &bits, predictor: &predictor)
            guard let value else { throw Failure(what: "damaged difference") }
            block[0] = value
        } else if start == 0 {
            block[0] = DCBlockByTheBook.refine(block[0], low: low, bits: &bits)
        } else {
            let band = Band(start: start, end: end, low: low)
            let decode = high == 0 ? ACBlockByTheBook.decodeFirst : ACBlockByTheBook.refine
            // A scan of corrections alone has no symbols but those of runs.
            guard decode(&block, band, try table(ac[slots.ac]), &bits, &run) else {
                throw Failure(what: "damaged band")
            }
        }
    }
}
