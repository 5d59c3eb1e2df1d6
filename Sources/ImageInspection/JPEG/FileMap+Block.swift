// One block of a JPEG file as a section: which it is, its coefficients, and what they are coded as.

import ImageCodecsCore
import JPEGBaselineCodec

extension FileMap {
    /// Walks through the scans once more and keeps one block whole.
    mutating func addBlock(
        _ header: JPEGFrameHeader, _ walk: JPEGWalk, _ tables: [QuantizationTable?], _ build: MapBuild,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let (geometry, plane) = (walk.geometry, walk.planes[0])
        let component = geometry.components[0]
        let (h, v) = (component.horizontalSampling, component.verticalSampling)
        let (maxH, maxV) = (geometry.maximumHorizontalSampling, geometry.maximumVerticalSampling)
        var place: Int?
        if let (x, y) = build.block {
            guard x >= 0, y >= 0, x < geometry.size.width, y < geometry.size.height else { return }
            place = y * v / (8 * maxV) * plane.blocksPerRow + x * h / (8 * maxH)
        } else {
            place = try costliest(component, plane, &work)
        }
        guard let place, place < plane.bitCounts.count else { return }
        var build = build
        build.maxCellCount = 1
        var second = try JPEGWalk(header, geometry, watch: BlockWatch(component: 0, place: place), build)
        _ = try follow(&second, header, build, &work)
        guard let watch = second.watch, watch.bitCount > 0 else { return }
        let block = CoefficientBlock(
            place: PixelRect(
                x: place % plane.blocksPerRow * 8 * maxH / h, y: place / plane.blocksPerRow * 8 * maxV / v,
                width: 8 * maxH / h, height: 8 * maxV / v),
            bitCount: watch.bitCount, coefficients: watch.coefficients,
            steps: tables[0]?.values.map(Int.init) ?? [Int](repeating: 1, count: 64), symbols: watch.symbols)
        sections.append(
            Self.section(
                block, isChosen: build.block != nil, mean: meanBitCount(component, plane), codes: Self.codes(walk)))
    }

    /// The block of the picture that takes the most bits; `nil` if none takes any.
    private func costliest(
        _ component: FrameGeometry.Component, _ plane: JPEGWalk.Plane, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        var best: (place: Int?, bitCount: Int32) = (nil, 0)
        for row in 0..<component.heightInBlocks {
            try work.spend(component.widthInBlocks)
            for place in row * plane.blocksPerRow..<row * plane.blocksPerRow + component.widthInBlocks
            where plane.bitCounts[place] > best.bitCount { best = (place, plane.bitCounts[place]) }
        }
        return best.place
    }

    /// The tables of codes that blocks of the first component use; empty if each scan has its own.
    private static func codes(_ walk: JPEGWalk) -> String {
        guard !walk.header.isProgressive,
            let component = walk.scans.lazy.compactMap({ $0.header.components.first { $0.index == 0 } }).first
        else { return "" }
        return ", of tables DC \(component.dcTable) and AC \(component.acTable)"
    }

    /// What blocks take on the average.
    private func meanBitCount(_ component: FrameGeometry.Component, _ plane: JPEGWalk.Plane) -> String {
        plane.bitCounts.reduce(0) { $0 + Int($1) }.mean(of: plane.bitCounts.count)
    }

    private static func section(_ block: CoefficientBlock, isChosen: Bool, mean: String, codes: String) -> Section {
        let (column, row) = (block.place.x, block.place.y)
        var section = Section(
            title: "One block",
            introduction: """
                \(isChosen ? "The block at" : "The block that takes the most bits, at") column \(column), row \(row) of the picture\
                \(isChosen ? "" : " (--block shows another)"). Each coefficient times its step is the weight of one pattern; all patterns \
                together are the block. The DC coefficient, in the upper left, is said as the difference to that of the block of the component \
                that was coded before, or to 0 at the start of a scan or restart interval. The others follow in zig-zag order, diagonal after \
                diagonal: each that is not zero says how many zeros come before it. What the whole MCU takes is in the layer of bits.
                """)
        section.block = block
        section.figures = [
            Figure(name: "bits", value: "\(block.bitCount); the mean of all blocks of the component is \(mean)"),
            Figure(name: "coefficients that are not zero", value: "\(block.coefficients.count { $0 != 0 }) of 64"),
            Figure(
                name: "bits of Huffman codes",
                value: "\(block.symbols.reduce(0) { $0 + $1.codeBitCount })\(codes); the rest are values"),
        ]
        section.tables = [
            Table(
                title: "Coefficients, as they are coded", columns: [],
                rows: (0..<8).map { row in (0..<8).map { "\(block.coefficients[8 * row + $0])" } })
        ]
        var codes = Table(
            title: "What the block is coded as", columns: ["scan", "what", "bits of the code", "bits that follow"],
            rows: block.symbols.prefix(maxRowCount).map { symbol in
                ["\(symbol.scanIndex + 1)", symbol.text, "\(symbol.codeBitCount)", "\(symbol.valueBitCount)"]
            })
        codes.omittedRowCount = block.symbols.count - codes.rows.count
        section.tables.append(codes)
        return section
    }
}
