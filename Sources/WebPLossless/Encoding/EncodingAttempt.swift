// One way to write a picture: which transforms, how large blocks are, how much is tried.

import ImageCodecsCore

/// A way to write a picture.
struct EncodingAttempt: Hashable, Sendable {
    /// The palette, if pixels are indices; green and colors are left as they are then.
    var table: IndexingPalette?
    /// What becomes of red and blue before they are predicted.
    var subtractsGreen = true
    /// The predictor transform, if there is one, and the side of its blocks as a power of two.
    var prediction: PredictorChoice.Search?
    var predictorBits = 4
    /// Whether red and blue are predicted from green and red, and the side of the blocks as a power of two.
    var transformsColor = false
    var colorBits = 5
    /// Which copies are looked for.
    var parser = PixelParser.Effort.default
    /// Which blocks share codes; `nil` for one group.
    var groups: BlockGroups.Effort?
    var groupBits = 4
    var effort = EncodingOptions.Effort.default
}

extension EncodingAttempt {
    /// The same transforms, and little time for the rest: how long the result is says which of several ways are worth more.
    var quick: EncodingAttempt {
        var attempt = self
        if parser != .none {
            // What it is tried for is that much repeats.
            let isFromLeft = prediction?.modes == PredictorChoice.Search.left
            attempt.parser = isFromLeft ? .fastOfSmooth : table == nil ? .fast : .fastOfSmall
        }
        attempt.groups = BlockGroups.Effort(groupCount: 16, roundCount: 1)
        attempt.effort = .fast
        return attempt
    }

    /// Writes the picture: the bitstream after its header.
    ///
    /// - Parameter plane: the picture; it is changed by the transforms.
    func encode(
        _ plane: inout PixelPlane, to output: inout BitstreamWriter, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        var writer = CodedImageWriter(meter: meter)
        if let table {
            try output.write(1 | 3 << 1, count: 3)
            try output.write(table.colors.count - 1, count: 8)
            try writer.writeSmall(
                table.differences, PixelSize(width: table.colors.count, height: 1), effort: effort, to: &output, &work)
            try table.index(&plane, meter: meter, &work)
        } else if subtractsGreen {
            try output.write(1 | 2 << 1, count: 3)
            for y in 0..<plane.height {
                try work.spend(plane.width)
                let start = PixelPlane.margin + y * plane.width
                let width = plane.width
                plane.pixels.withMutableSpan { ForwardColorKernel.subtractGreen(&$0, start..<start + width) }
            }
        }
        if let prediction {
            let choice = try PredictorChoice(plane, sizeBits: predictorBits, prediction, meter: meter, &work)
            try choice.apply(to: &plane, meter: meter, &work)
            try output.write(1 | 0 << 1, count: 3)
            try output.write(predictorBits - 2, count: 3)
            let modes = choice.modes.withSpan { modes in modes.indices.map { 0xFF00_0000 | UInt32(modes[$0]) << 8 } }
            try writer.writeSmall(modes, choice.grid.imageSize, effort: effort, to: &output, &work)
        }
        if transformsColor { try transformColor(&plane, &writer, to: &output, meter: meter, &work) }
        try output.write(0, count: 1)
        try writePixels(of: plane, writer, to: &output, meter: meter, &work)
    }

    /// Predicts red and blue from green and red, if that is likely to make the image shorter.
    private func transformColor(
        _ plane: inout PixelPlane, _ writer: inout CodedImageWriter, to output: inout BitstreamWriter,
        meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        let factors = try ColorFactors(plane, sizeBits: colorBits, meter: meter, &work)
        guard !factors.isIdentity else { return }
        let rowCount = PictureSurvey.rowCount(effort)
        var before = PixelEstimate()
        try before.add(plane, rowCount: rowCount, &work)
        let after = try factors.bitCount(of: plane, rowCount: rowCount, meter: meter, &work)
        // Colours that repeat may become many: the estimate does not see all that this takes from copies.
        let needed = subtractsGreen ? before.bitCount : before.bitCount - before.bitCount / 28
        guard after < needed else { return }
        try factors.apply(to: &plane, &work)
        try output.write(1 | 1 << 1, count: 3)
        try output.write(colorBits - 2, count: 3)
        let image = factors.factors.withSpan { factors in factors.indices.map { 0xFF00_0000 | factors[$0] } }
        try writer.writeSmall(image, factors.grid.imageSize, effort: effort, to: &output, &work)
    }

    private func writePixels(
        of plane: PixelPlane, _ writer: consuming CodedImageWriter, to output: inout BitstreamWriter,
        meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        var writer = writer
        let passCount = parser.passCount
        let size = plane.size
        try plane.withSpan { (pixels) throws(ImageError) in
            var plan = CodedImagePlan(size, cacheBits: 0)
            var parser = try PixelParser(size, effort: parser, meter: meter)
            var totals = try parser.begin(pixels, &plan, &work)
            var map = try GroupMap(totals, size, meter: meter)
            for pass in 0...passCount {
                if pass == passCount { parser.endSearch() }
                var prices: GroupPrices?
                if var groups {
                    // For prices, groups need not be the best.
                    if pass < passCount { groups.roundCount = 1 }
                    let grid = BlockGrid(size: size, sizeBits: groupBits)
                    let symbols = try BlockSymbols(plan, pixels, parser.copies, grid, meter: meter, &work)
                    totals = symbols.totals
                    var grouping = try BlockGroups(symbols, groups, meter: meter)
                    map = try grouping.grouped(&work)
                    if map.groupCount > 1, pass < passCount { prices = grouping.prices(of: map) }
                }
                guard pass < passCount else { break }
                try parser.improve(pixels, plan, totals, prices, &work)
                if prices == nil {
                    totals = try parser.chooseCache(pixels, &plan, &work)
                    map = try GroupMap(totals, size, meter: meter)
                }
            }
            if groups != nil, 2...16 ~= map.groupCount {
                map = try writer.shorter(map, try GroupMap(totals, size, meter: meter), plan, effort, &work)
            }
            // Few copies may take more than they save, since their symbols make all others longer.
            if !parser.copies.isEmpty, parser.copies.pixelCount < plan.pixelCount / 8 {
                let bare = CodedImagePlan(size, cacheBits: 0)
                let bareTotals = try bare.totals(pixels, .none, work: &work)
                let bareMap = try GroupMap(bareTotals, size, meter: meter)
                let bitCount = try writer.bitCount(map, plan, effort, &work) + totals.extraBitCount
                if try writer.bitCount(bareMap, bare, effort, &work) < bitCount {
                    parser.dropCopies()
                    (plan, map) = (bare, bareMap)
                }
            }
            try writer.write(
                plan, pixels, parser.copies, map, isPicture: true, effort: effort, to: &output, &work)
        }
    }
}
