// From the bytes of a file to the coefficients of its picture; no pixel is made.
//
//   bytes ──▶ FrameDriver (markers, tables) ──▶ FrameCollection (scans) ──▶ BlockOrdering ──▶ CoefficientPicture

import ImageCodecsCore
import JPEGBaselineCodec

/// A picture as its file has it, before it is changed and coded anew.
struct StoredPicture: Sendable {
    var picture: CoefficientPicture
    let isProgressive: Bool
    let metadata: ImageMetadata
    /// Where the picture ends in the file: after EOI, or where the bytes end.
    let end: Int
    /// The first damage that was tolerated.
    let damage: ImageError?
}

/// Reads all scans of a file that is there as a whole.
struct CoefficientReader: Sendable {
    private let request: DecodingRequest
    private var driver: FrameDriver
    private var position = 0

    /// - Parameters:
    ///   - options: strictness, limits and meter count.
    init(_ options: DecodingOptions) {
        request = DecodingRequest(options: options, purpose: .oneShot)
        driver = FrameDriver(request)
    }

    /// Reads the file.
    ///
    /// Under `.tolerant` what damage has taken away is zero: middle gray, or without its details.
    ///
    /// - Throws: what decoding the file throws; `corrupt` for coefficients beyond those of samples of eight bits, which no
    ///   file may have, and for scans that leave out bits.
    mutating func read(_ file: Span<UInt8>, work: inout WorkGuard) throws(ImageError) -> StoredPicture {
        try request.options.limits.check(inputByteCount: file.count)
        while true {
            guard case .scan(let scan) = try driver.next(file, offset: 0, &position, work: &work),
                let header = driver.header
            else { throw .truncated(.jpeg, offset: file.count) }
            if let stored = try collect(header, from: scan, file, &work) { return stored }
        }
    }

    /// Reads from the first scan on; `nil` if the height turned out to be another one, so that the file is to be read again.
    private mutating func collect(
        _ header: JPEGFrameHeader, from first: ScanHeader, _ file: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> StoredPicture? {
        guard !header.isLossless else {
            throw .unsupported(.jpeg, feature: "surgery on the lossless process (SOF3), which has no coefficients")
        }
        guard header.precision == 8 else {
            throw .unsupported(.jpeg, feature: "surgery on \(header.precision)-bit samples")
        }
        let geometry = try header.geometry(scale: .full)
        try request.admit(Self.byteCount(geometry))
        let process: any StoredScan.Type =
            if header.isArithmetic {
                MultiScanFrame.arithmeticScans(isProgressive: header.isProgressive)
            } else if header.isProgressive {
                ProgressiveScan.self
            } else {
                BufferedSequentialScan.self
            }
        // As decoders have it: what follows says nothing about these samples.
        let model = JPEGColorModel(header, segments: driver.segments)
        var frame = try FrameCollection(geometry, of: process, request)
        do throws(ImageError) {
            var step = FrameDriver.Step.scan(first)
            reading: while true {
                switch step {
                case .scan(let scan):
                    if !frame.isComplete {
                        try frame.begin(scan, driver.tables, &work)
                        driver.beginCodedData()
                    }
                case .codedData:
                    let rest = file.extracting(droppingFirst: position)
                    position += try frame.decode(rest, offset: position, &work)
                    driver.endCodedData()
                case .height(let height, _):
                    driver = FrameDriver(request, height: height)
                    position = 0
                    return nil
                case .end:
                    if !frame.isComplete { try acceptGaps(of: &frame) }
                    break reading
                case .needsMoreInput:
                    position = file.count
                    guard frame.isComplete else { throw .truncated(.jpeg, offset: file.count) }
                    break reading
                }
                step = try driver.next(file, offset: 0, &position, work: &work)
            }
        } catch {
            guard error.isDamage, request.options.strictness == .tolerant, frame.hasRows else { throw error }
            frame.record(error)
            position = file.count
        }
        try driver.segments.assemble(work: &work)
        return StoredPicture(
            picture: try frame.finish(model, &work), isProgressive: header.isProgressive,
            metadata: driver.segments.metadata, end: position, damage: frame.damage)
    }

    /// Bits that no scan delivers are estimated by decoders; a new file would say that they are zero.
    private func acceptGaps(of frame: inout FrameCollection) throws(ImageError) {
        let error = ImageError.corruptJPEG(
            .jpegScanMissing, position, "scans leave out bits of coefficients, which decoders estimate")
        guard request.options.strictness == .tolerant else { throw error }
        frame.record(error)
    }

    /// Bytes that reading a picture takes: its coefficients, and a row of MCUs on their way there. Saturates.
    static func byteCount(_ geometry: FrameGeometry) -> Int {
        CoefficientStore.byteCount(geometry).addingSaturated(geometry.blocksPerMCURow.multipliedSaturated(by: 129))
    }
}

/// Collects the coefficients of one frame.
private struct FrameCollection: Sendable {
    private let geometry: FrameGeometry
    private let request: DecodingRequest
    private let process: any StoredScan.Type
    private var script: any StoredScanScript
    private var store: CoefficientStore
    private var scan: (any StoredScan)?
    /// Of each component, from its first scan on: tables may be redefined later.
    private var tables: [QuantizationTable?]
    /// Whether any row was decoded.
    private(set) var hasRows = false
    private(set) var damage: ImageError?

    init(
        _ geometry: FrameGeometry, of process: any StoredScan.Type, _ request: DecodingRequest
    ) throws(ImageError) {
        self.geometry = geometry
        self.process = process
        self.request = request
        script = process.script(componentCount: geometry.components.count)
        store = try CoefficientStore(geometry, meter: request.meter)
        tables = Array(repeating: nil, count: geometry.components.count)
    }

    /// Whether every bit of every coefficient was delivered.
    var isComplete: Bool { script.isComplete }

    mutating func record(_ error: ImageError) { damage = damage ?? error }

    mutating func begin(
        _ header: ScanHeader, _ tables: DecodingTables, _ work: inout WorkGuard
    ) throws(ImageError) {
        try work.check()
        let strictness = request.options.strictness
        let irregularity = try script.irregularity(of: header)
        script.record(header)
        if let irregularity {
            guard strictness == .tolerant else { throw irregularity }
            record(irregularity)
        }
        for member in header.components where self.tables[member.index] == nil {
            let slot = geometry.components[member.index].quantizationTable
            let steps = try DequantizationTable(tables, slot: slot, offset: header.offset).steps
            self.tables[member.index] = QuantizationTable(values: steps.map { UInt16(bitPattern: $0) })
        }
        scan = try process.init(
            header: header, frame: geometry, tables: tables, strictness: strictness, meter: request.meter, work: &work)
    }

    /// Decodes the scan that has begun; the number of its bytes.
    mutating func decode(
        _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        // Out of its place for the call, so that its buffers are not shared.
        guard var scan = scan.take() else { return 0 }
        while !scan.control.isComplete {
            try work.check()
            let isRow = try scan.decodeRow(into: &store, input: bytes, offset: offset, isFinal: true, work: &work)
            guard isRow else { throw .truncated(.jpeg, offset: offset + bytes.count) }
            hasRows = true
        }
        if let damage = scan.control.damage { record(damage) }
        return scan.consumedCount(of: bytes)
    }

    /// The picture; nothing more is read.
    mutating func finish(
        _ colorModel: JPEGColorModel, _ work: inout WorkGuard
    ) throws(ImageError) -> CoefficientPicture {
        let isTolerant = request.options.strictness == .tolerant
        guard isTolerant || tables.allSatisfy({ $0 != nil }) else {
            throw .corruptJPEG(.jpegScanMissing, 0, "the scans leave out part of the picture")
        }
        var range = CoefficientRange()
        for index in geometry.components.indices {
            try BlockOrdering.finish(&store, component: index, of: geometry, &range, isTolerant: isTolerant, &work)
        }
        if range.isExceeded { record(CoefficientRange.error) }
        let ones = QuantizationTable(values: Array(repeating: 1, count: 64))
        return try CoefficientPicture(geometry, colorModel, tables: tables.map { $0 ?? ones }, store: store)
    }
}

extension CoefficientPicture {
    /// A picture of coefficients that lie in one buffer, with each quantisation table once.
    ///
    /// - Parameter tables: of each component.
    fileprivate init(
        _ geometry: FrameGeometry, _ colorModel: JPEGColorModel, tables: [QuantizationTable], store: CoefficientStore
    ) throws(ImageError) {
        var coefficients: [QuantizedCoefficients] = []
        for plane in store.planes {
            coefficients.append(
                try QuantizedCoefficients(
                    sharing: store.coefficients, from: plane.start, widthInBlocks: plane.blocksPerRow,
                    heightInBlocks: plane.blockRows))
        }
        var slots: [QuantizationTable] = []
        for table in tables where !slots.contains(table) { slots.append(table) }
        // Of two components with one identifier, a scan of the second alone would be taken for one of the first.
        let areDistinct = Set(geometry.components.map(\.identifier)).count == geometry.components.count
        let components = zip(geometry.components, tables).enumerated().map { index, member in
            FrameGeometry.ComponentSpecification(
                member.0, identifier: areDistinct ? nil : UInt8(index + 1),
                quantizationTable: slots.firstIndex(of: member.1) ?? 0)
        }
        self.init(
            geometry: FrameGeometry(size: geometry.size, components: components) ?? geometry, colorModel: colorModel,
            coefficients: coefficients, quantizationTables: slots)
    }
}

extension FrameGeometry.ComponentSpecification {
    /// What the header of another frame says of a component.
    init(_ component: FrameGeometry.Component, identifier: UInt8? = nil, quantizationTable: Int) {
        self.init(
            identifier: identifier ?? component.identifier, horizontalSampling: component.horizontalSampling,
            verticalSampling: component.verticalSampling, quantizationTable: quantizationTable)
    }
}
