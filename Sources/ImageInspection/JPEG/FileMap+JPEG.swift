// The map of a JPEG file: bits of MCUs, coefficients, the picture of DC coefficients alone, scans and tables.

import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

extension FileMap {
    /// All scans of the frame.
    mutating func addJPEG(_ build: MapBuild, _ work: inout WorkGuard) throws(ImageError) {
        accountJPEGSegments(build.data.count)
        let markers = try JPEGMarkerListing(build.data, maxSegmentCount: 10_000, limits: build.limits)
        guard var header = markers.frame else {
            addProblem("there is no frame of a process that can be decoded")
            return
        }
        if header.size.height == 0 { header.size = PixelSize(width: header.size.width, height: lines(build.data)) }
        guard header.size.height > 0, let geometry = try? header.geometry(scale: .full) else { return }
        try build.limits.check(size: header.size)
        size = header.size
        var walk = try JPEGWalk(header, geometry, build)
        let (steps, scanEnds) = try follow(&walk, header, build, &work)
        walk.retireAll()
        accountJPEGScans(walk)
        describeJPEG(geometry, walk)
        if !header.isLossless { addQuantizers(geometry, steps) }
        addCodes(walk)
        if header.precision == 8, !header.isLossless, !header.isArithmetic {
            try addBlock(header, walk, steps, build, &work)
        } else if build.block != nil {
            addRemark("blocks are taken apart of Huffman-coded pictures of eight bits a sample only")
        }
        try addJPEGLayers(geometry, walk, steps, isRGB: isRGB(header, build.data), build, &work)
        if header.isProgressive {
            try addScanPictures(scanEnds, build, &work)
        } else if !header.isLossless {
            try addCoefficientPictures(build, &work)
        }
        remarkJPEG(walk)
    }

    /// Leads a walk through all scans.
    ///
    /// - Returns: the table of each component at its first scan, and where in the file scans end.
    func follow(
        _ walk: inout JPEGWalk, _ header: JPEGFrameHeader, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) -> (steps: [QuantizationTable?], scanEnds: [Int]) {
        var tables = [QuantizationTable?](repeating: nil, count: 4)
        var steps = [QuantizationTable?](repeating: nil, count: 4)
        var scanEnds: [Int] = []
        for part in listing.parts {
            guard let range = Self.body(of: part, build.data.count) else { continue }
            try build.data.withBytes { (bytes) throws(ImageError) in
                let body = bytes.extracting(range)
                switch part.name {
                case "DHT": walk.define(body)
                case "DAC": try? walk.conditioning.read(body, offset: part.offset)
                case "DRI": if body.count == 2 { walk.restartInterval = Int(body[0]) << 8 | Int(body[1]) }
                case "DQT":
                    var slots = tables
                    if (try? QuantizationTable.read(body, into: &slots, offset: 0)) != nil { tables = slots }
                case "SOS":
                    guard let scan = try? ScanHeader(body: body, frame: header, offset: part.offset),
                        walk.scans.count < build.limits.maxScanCount
                    else { return }
                    for member in scan.components where steps[member.index] == nil {
                        steps[member.index] = tables[walk.geometry.components[member.index].quantizationTable]
                    }
                    let end = min(range.upperBound + (part.count("codedByteCount") ?? 0), bytes.count)
                    try walk.run(scan, bytes.extracting(range.upperBound..<end), &work)
                    scanEnds.append(end)
                default: break
                }
            }
        }
        return (steps, scanEnds)
    }

    /// The bytes of a segment after its length.
    private static func body(of part: FileListing.Part, _ byteCount: Int) -> Range<Int>? {
        guard part.damage == nil, let count = part.byteCount, part.offset + 4 + count <= byteCount else { return nil }
        return part.offset + 4..<part.offset + 4 + count
    }

    /// The number of lines that a DNL segment states.
    private func lines(_ data: ImageData) -> Int {
        guard let part = listing.parts.first(where: { $0.name == "DNL" }),
            let bytes = data.bytes(part.offset + 4..<part.offset + 6)
        else { return 0 }
        return Int(bytes[0]) << 8 | Int(bytes[1])
    }

    /// Whether three components are red, green and blue.
    private func isRGB(_ header: JPEGFrameHeader, _ data: ImageData) -> Bool {
        if header.components.map(\.identifier).elementsEqual("RGB".utf8) { return true }
        guard !listing.parts.contains(where: { $0.name == "APP0" }),
            let adobe = listing.parts.first(where: { $0.name == "APP14" }),
            let bytes = data.bytes(adobe.offset + 4..<adobe.offset + 16)
        else { return false }
        return bytes.prefix(5).elementsEqual("Adobe".utf8) && bytes[11] == 0
    }

    private mutating func accountJPEGSegments(_ byteCount: Int) {
        for part in listing.parts {
            let start = min(part.offset, byteCount)
            guard let body = part.byteCount else {
                account.add(8 * min(2, byteCount - start), .structure, "markers and lengths")
                continue
            }
            let end = min(start.addingSaturated(body.addingSaturated(4)), byteCount)
            account.add(8 * min(4, end - start), .structure, "markers and lengths")
            // The body of SOS says how the scan is coded.
            let kind = part.name == "SOS" ? .coding : Self.kind(of: part, .jpeg)
            account.add(8 * max(0, end - start - 4), kind, part.name == "SOS" ? "scan headers" : part.name)
        }
    }

    private mutating func accountJPEGScans(_ walk: JPEGWalk) {
        for scan in walk.scans {
            account.add(scan.dcBitCount, .pixels, walk.header.isLossless ? "differences" : "DC coefficients")
            account.add(scan.acBitCount, .pixels, "AC coefficients")
            account.add(8 * scan.stuffedByteCount, .structure, "stuffed zeros")
            account.add(16 * scan.restartCount, .structure, "restart markers")
            account.add(
                scan.paddingBitCount, .padding,
                walk.header.isArithmetic ? "beginnings and ends of intervals" : "up to the next byte")
        }
    }

    private mutating func describeJPEG(_ geometry: FrameGeometry, _ walk: JPEGWalk) {
        let bitCount = walk.scans.reduce(0) { $0 + $1.bitCount }
        let (dc, blocks) = (
            walk.scans.reduce(0) { $0 + $1.dcBitCount }, geometry.components.reduce(0) { $0 + $1.paddedBlockCount }
        )
        var section = Section(title: "Coding", introduction: Self.introduction(walk.header))
        section.figures = [
            Figure(
                name: "components",
                value: geometry.components.map { "\($0.horizontalSampling)x\($0.verticalSampling)" }.joined(
                    separator: ", ")),
            Figure(name: "MCUs", value: "\(geometry.mcusPerRow)x\(geometry.mcuRows)"),
            Figure(name: "bits of a pixel, without headers", value: bitCount.mean(of: geometry.size.pixelCount ?? 0)),
        ]
        if !walk.header.isLossless {
            section.figures += [
                Figure(name: "bits of a block, of all components", value: bitCount.mean(of: blocks)),
                Figure(name: "DC coefficients", value: "\(dc.percent(of: bitCount)) of the bits of coefficients"),
            ]
        }
        var table = Table(
            title: "Scans",
            columns: ["scan", "what", "components", "coefficients", "bytes", "share", "restarts", "bytes between"],
            rows: [])
        let all = walk.scans.reduce(0) { $0 + $1.byteCount }
        for (index, scan) in walk.scans.prefix(Self.maxRowCount).enumerated() {
            let header = scan.header
            table.rows.append([
                "\(index + 1)", walk.header.isLossless ? "predictor \(header.spectralStart)" : Self.words(scan),
                header.components.map { "\($0.index + 1)" }.joined(separator: ", "),
                walk.header.isLossless
                    ? "" : scan.kind == nil ? "0-63" : "\(header.spectralStart)-\(header.spectralEnd)",
                "\(scan.byteCount)",
                scan.byteCount.percent(of: all), scan.restartCount > 0 ? "\(scan.restartCount)" : "",
                scan.intervalByteCounts.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "",
            ])
        }
        table.omittedRowCount = walk.scans.count - table.rows.count
        section.tables = [table]
        sections.append(section)
    }

    private static func introduction(_ header: JPEGFrameHeader) -> String {
        let coder = header.isArithmetic ? "coded arithmetically, decision by decision" : "Huffman coded"
        if header.isLossless {
            return """
                Each sample is predicted from those to the left and above. The difference to the prediction is \(coder), and nothing \
                is lost.
                """
        }
        return """
            Blocks of 8x8 samples are turned into 64 coefficients by the discrete cosine transform: the DC coefficient is eight \
            times the distance of the block's mean to the middle gray, the AC coefficients say how much of each pattern is in it, from coarse \
            to fine. Each is divided by its step and rounded, which is where the loss is, and what is left is \(coder). Blocks of all \
            components at one place are an MCU, a minimum coded unit.
            """
    }

    private static func words(_ scan: JPEGWalk.Scan) -> String {
        let low = scan.header.approximationLow
        let rest = low > 0 ? ", all but the lowest \(low == 1 ? "bit" : "\(low) bits")" : ""
        return switch scan.kind {
        case nil: "all coefficients"
        case .dcFirst: "DC" + rest
        case .dcRefinement: "DC, bit \(low)"
        case .acFirst: "AC" + rest
        case .acRefinement: "AC, bit \(low)"
        }
    }

    private mutating func remarkJPEG(_ walk: JPEGWalk) {
        for (index, scan) in walk.scans.enumerated() {
            guard let mcu = scan.damagedMCU else { continue }
            let count = scan.lostMCUCount
            addProblem(
                scan.goesOn
                    ? "scan \(index + 1) is damaged at MCU \(mcu); \(count) \(count == 1 ? "MCU" : "MCUs") cannot be decoded"
                    : "scan \(index + 1) cannot be decoded from MCU \(mcu) on",
                advice: "imagetool convert --tolerant keeps what can be decoded")
        }
        let stuffed = walk.scans.reduce(0) { $0 + $1.paddingBitCount / 8 }
        if stuffed > 64, !walk.header.isArithmetic { addRemark("\(stuffed) bytes of the scans belong to no MCU") }
        let unused = walk.retiredCodes.reduce(0) { $0 + $1.code.symbols.count { $0.useCount == 0 } }
        if unused > 100 {
            addRemark(
                "\(unused) Huffman codes are never used: the tables were not made for this picture",
                advice:
                    "imagetool optimize makes tables for it, and keeps every coefficient")
        }
    }
}
