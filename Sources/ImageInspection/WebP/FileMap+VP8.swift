// The map of a lossy WebP picture: bits, modes, segments and filter levels of macroblocks.

import ImageCodecsCore
import WebPLossyCodec

extension FileMap {
    /// A VP8 frame.
    mutating func addLossy(
        _ range: Range<Int>, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        let walk = try build.data.withBytes { (bytes) throws(ImageError) in
            try VP8Walk(bytes.extracting(range), build, &work)
        }
        if size == nil { size = walk.header.size }
        accountLossy(walk)
        describeLossy(walk)
        layers += [
            walk.tokenBits.adding(walk.modeBits).layer(
                "bits", "Bits of macroblocks", "What each macroblock takes, its header and its coefficients together.",
                unit: "bits", .bits),
            walk.modeBits.layer(
                "bits-modes", "Bits of headers",
                "What segment, skip flag (whether there are no coefficients) and prediction modes of each macroblock take.",
                unit: "bits", .bits),
            walk.tokenBits.layer(
                "bits-tokens", "Bits of coefficients",
                "What the residue of each macroblock takes: what prediction did not find. Each block says at least that it ends, unless the macroblock is skipped.",
                unit: "bits", .bits),
            walk.coefficientCounts.layer(
                "coefficients", "Coefficients",
                "How many coefficients of each macroblock are not zero, of luma and chroma.",
                unit: "coefficients",
                .amounts(partsPerUnit: 1)),
        ]
        try addMacroblockLayers(range, build)
        try addSampleLayers(walk, build)
    }

    /// Luma as it is predicted, what is added to it, and the sum.
    private mutating func addSampleLayers(_ walk: VP8Walk, _ build: MapBuild) throws(ImageError) {
        guard let samples = walk.samples else {
            return addRemark(
                "prediction and residue are shown of pictures up to \(Self.maxReconstructedPixelCount / 1_000_000) megapixels"
            )
        }
        let grid = build.grid(walk.header.size)
        var layers = try (0..<3).map { (_) throws(ImageError) in
            try LayerValues(grid, filledWith: -1, meter: build.meter)
        }
        for y in stride(from: 0, to: grid.area.height, by: grid.step) {
            for x in stride(from: 0, to: grid.area.width, by: grid.step) {
                guard y / 16 * walk.gridSize.width + x / 16 < walk.macroblockCount else { continue }
                let (predicted, sum) = (samples.predictions[0][x, y], samples.planes[0][x, y])
                let difference = min(max(128 + sum - predicted, 0), 255)
                for (index, gray) in [predicted, difference, sum].enumerated() {
                    layers[index].set(gray * 0x01_01_01, column: x, row: y)
                }
            }
        }
        self.layers += [
            layers[0].layer(
                "prediction", "Prediction alone",
                "Luma as each macroblock is predicted from those above and to the left, when they are whole.", .colors),
            layers[1].layer(
                "difference", "Residue alone",
                "What the coefficients add to the predicted luma, around 128: what had to be coded.", .colors),
            layers[2].layer(
                "unfiltered", "Before the loop filter",
                "Prediction and residue together. The picture is this with the edges of blocks smoothed.", .colors),
        ]
        build.meter.release(
            ReconstructionReference.byteCount(
                macroblockCount: walk.gridSize.width * walk.gridSize.height, keepsPredictions: true))
    }

    private mutating func accountLossy(_ walk: VP8Walk) {
        let whole = 8 * (walk.firstPartitionByteCount + walk.partitionByteCounts.reduce(0, +))
        let (header, modes) = (Self.bits(walk.headerAmount), Self.bits(walk.modeAmount))
        // Rounding up gives no bit that is not there.
        let tokens = min(Self.bits(walk.tokenAmount), max(0, whole - header - modes))
        account.add(8 * VP8Header.byteCount, .header, "VP8 header")
        account.add(header, .coding, "frame header and probabilities")
        account.add(modes, .coding, "headers of macroblocks")
        account.add(8 * walk.partitionTableByteCount, .structure, "sizes of partitions")
        account.add(tokens, .pixels, "coefficients")
        // What is left ends each partition, fractions of bits among it.
        account.add(max(0, whole - header - modes - tokens), .padding, "ends of partitions")
    }

    /// Whole bits of an amount in 256ths, rounded to the nearest as sums of layers are.
    private static func bits(_ amount: Int) -> Int {
        (amount + MapLayer.Kind.bitParts / 2) / MapLayer.Kind.bitParts
    }

    private mutating func describeLossy(_ walk: VP8Walk) {
        let frame = walk.frame
        let bits = Self.bits(walk.modeAmount + walk.tokenAmount)
        var section = Section(
            title: "Lossy coding",
            introduction: """
                Macroblocks of 16x16 pixels are predicted from their neighbours above and to the left. What prediction did not find, \
                the residue, is transformed, divided by steps and coded bool by bool, each with a probability. A filter smooths the edges of \
                blocks. Segments and modes may change what the frame says of quantizers and of the filter.
                """)
        section.figures = [
            Figure(name: "macroblocks", value: "\(walk.gridSize)"),
            Figure(
                name: "bits of a pixel, without the frame header",
                value: bits.mean(of: walk.header.size.pixelCount ?? 0)),
            Figure(
                name: "bits of a macroblock",
                value:
                    "\(Self.bits(walk.modeAmount).mean(of: walk.gridSize.pixelCount ?? 0)) for its header, "
                    + "\(Self.bits(walk.tokenAmount).mean(of: walk.gridSize.pixelCount ?? 0)) for coefficients"
            ),
            Figure(name: "quantizer of the frame", value: "\(frame.quantizers.index) of 127"),
            Figure(
                name: "loop filter of the frame",
                value: "level \(frame.filter.level), sharpness \(frame.filter.sharpness)"),
            Figure(
                name: "probabilities replaced",
                value: "\(frame.probabilities.updateCount) of \(CoefficientProbabilityTables.count)"),
        ]
        var table = Table(
            title: "Partitions", columns: ["partition", "bytes"],
            rows: [["first: frame header, headers of macroblocks", "\(walk.firstPartitionByteCount)"]])
        for (index, count) in walk.partitionByteCounts.enumerated() {
            table.rows.append(["coefficients \(index)", "\(count)"])
        }
        section.tables = [table, Self.steps(frame)]
        sections.append(section)
    }

    /// What the quantizer indices of a frame or of its segments are as steps.
    private static func steps(_ frame: VP8FrameHeader) -> Table {
        let (segments, count) = (frame.segments, DequantizationFactors.countPerSegment)
        let steps = DequantizationFactors(frame.quantizers, segments).values
        return Table(
            title: "Steps",
            columns: ["segment", "quantizer", "luma DC", "luma AC", "Y2 DC", "Y2 AC", "chroma DC", "chroma AC"],
            rows: (0..<(segments.isEnabled ? 4 : 1)).map { segment in
                let index = segments.value(frame: frame.quantizers.index, segments.quantizers, segment: segment)
                return [segments.isEnabled ? "\(segment)" : "all", "\(min(max(index, 0), 127))"]
                    + steps[count * segment..<count * (segment + 1)].map { "\($0)" }
            })
    }

    /// What the decoder keeps of each macroblock.
    private mutating func addMacroblockLayers(_ range: Range<Int>, _ build: MapBuild) throws(ImageError) {
        var decoder = VP8Decoder(byteCount: range.count, keepsMacroblocks: true, limits: build.limits)
        do throws(ImageError) {
            try build.data.withBytes { (bytes) throws(ImageError) in try decoder.append(bytes.extracting(range)) }
            try decoder.finish()
        } catch {
            guard error.isDamage else { throw error }
            addProblem(
                "the lossy picture is damaged: \(error)",
                advice: "imagetool convert --tolerant keeps what can be decoded")
        }
        guard let header = decoder.header else { return }
        let grid = MapGrid(
            header.size, itemSize: PixelSize(width: 16, height: 16), maxCellCount: build.maxCellCount)
        var layers = try (0..<5).map { (_) throws(ImageError) in
            try LayerValues(grid, filledWith: -1, meter: build.meter)
        }
        let quantizers = decoder.frameInfo?.segments.map(\.quantizer) ?? []
        for row in 0..<decoder.macroblockRowCount {
            for column in 0..<decoder.macroblockGrid.width {
                guard let macroblock = decoder.macroblock(column: column, row: row) else { continue }
                let values = [
                    Self.lumaClass(macroblock.luma), Int(macroblock.chroma.rawValue), macroblock.segment,
                    macroblock.filterLevel, macroblock.isSkipped ? 2 : macroblock.hasResidue ? 0 : 1,
                ]
                for (index, value) in values.enumerated() { layers[index].set(value, column: column, row: row) }
            }
        }
        func classes(_ names: [String]) -> MapLayer.Kind {
            .classes(zip(names, Self.colors).map { MapLayer.Class(name: $0, color: $1) })
        }
        let modes = ["mean", "vertical", "horizontal", "true motion"]
        self.layers += [
            layers[0].layer(
                "luma-mode", "Prediction of luma", "How luma of each macroblock is predicted.",
                classes(modes + ["each subblock by itself"])),
            layers[1].layer(
                "chroma-mode", "Prediction of chroma", "How chroma of each macroblock is predicted.", classes(modes)),
            layers[4].layer(
                "residue", "Residue", "Whether anything is added to the prediction.",
                classes(["coefficients", "coded, all zero", "skipped"])),
            layers[3].layer(
                "filter-level", "Loop filter", "How strongly the edges of each macroblock are filtered, 0 to 63.",
                unit: "of 63", .numbers),
        ]
        if quantizers.count > 1 {
            self.layers.append(
                layers[2].layer(
                    "segment", "Segments", "The segment of each macroblock, which has a quantizer of its own.",
                    classes(zip(0..., quantizers).map { "\($0), quantizer \($1)" })))
        }
    }

    private static func lumaClass(_ luma: VP8Macroblock.Luma) -> Int {
        if case .whole(let mode) = luma { Int(mode.rawValue) } else { 4 }
    }

    private static let colors: [UInt32] = [0x9ECAE1, 0x2171B5, 0x41AB5D, 0xF2B701, 0xD94801]
}

extension LayerValues {
    /// The sums of both, which have the same grid.
    func adding(_ other: LayerValues) -> LayerValues {
        var sum = self
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                sum.add(
                    Int(other.values[row * grid.columns + column]), column: column * grid.step, row: row * grid.step)
            }
        }
        return sum
    }
}
