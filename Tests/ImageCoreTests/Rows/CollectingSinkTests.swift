import CodecTestSupport
import ImageCodecsCore
import Testing

/// What a sink does that gets its pixels in passes, or another plan when it has them.
@Suite struct CollectingSinkTests {
    private static let size = PixelSize(width: 9, height: 6)
    private static let layout = SampleLayout.rgba(bits: 8)

    private static let optionSets: [DecodingOptions] = {
        var sets = [
            DecodingOptions.default, .thumbnail(width: 4, height: 3), .thumbnail(width: 9, height: 1, fit: .stretch),
            // Turned by a quarter the picture fits as it is.
            .thumbnail(width: 6, height: 9),
        ]
        for format in [PixelFormat.rgb, .rgba16, .gray] {
            for index in 0..<2 {
                sets.append(sets[index])
                sets[sets.count - 1].pixelFormat = format
            }
        }
        return sets
    }()

    private func plan(_ options: DecodingOptions, _ orientation: Orientation) throws -> OutputPlan {
        try OutputPlan(
            size: Self.size, hasAlpha: true, nearestFormat: .rgba, orientation: orientation, options: options)
    }

    private func sink(_ plan: OutputPlan, _ order: RowOrder, meter: MemoryMeter? = nil) throws -> RowSink {
        var nothing: Bitmap?
        return try RowSink(
            plan: plan, layout: Self.layout, order: order, reusable: &nothing, meter: meter,
            work: .unlimited)
    }

    /// Opaque, so that no format loses anything on the way to another.
    private func rows() -> [[UInt8]] {
        var random = SeededRandom(seed: 17)
        return (0..<6).map { _ in random.bytes(36).enumerated().map { $0 % 4 == 3 ? 255 : $1 } }
    }

    private func write(_ rows: [[UInt8]], to sink: inout RowSink) {
        for (y, row) in rows.enumerated() { row.withRawSpan { sink.write($0, y: y) } }
    }

    /// The pixels of a row from column `x` on, `step` apart, as a pass brings them.
    private func writePass(_ row: [UInt8], y: Int, x: Int, step: Int, to sink: inout RowSink) {
        let columns = stride(from: x, to: 9, by: step)
        let pixels = columns.flatMap { row[4 * $0..<4 * $0 + 4] }
        let place = PassRow(y: y, x: x, columnStep: step, width: pixels.count / 4, shownRows: y..<min(y + 2, 6))
        pixels.withRawSpan { sink.write($0, at: place) }
    }

    /// Every second row from the last to the first, every third pixel; then the others; then whole rows.
    private func writePasses(_ rows: [[UInt8]], to sink: inout RowSink) {
        for y in [4, 2, 0] { for x in [1, 0, 2] { writePass(rows[y], y: y, x: x, step: 3, to: &sink) } }
        for y in [1, 3] { writePass(rows[y], y: y, x: 0, step: 1, to: &sink) }
        rows[5].withRawSpan { sink.write($0, y: 5) }
    }

    @Test(arguments: optionSets, Orientation.allCases)
    func passesGiveThePictureThatRowsGive(_ options: DecodingOptions, _ orientation: Orientation) throws {
        let rows = rows()
        let plan = try plan(options, orientation)
        var inOrder = try sink(plan, .topToBottom)
        write(rows, to: &inOrder)
        let meter = MemoryMeter()
        var inPasses = try sink(plan, .passes, meter: meter)
        #expect(!inPasses.hasPixels && inPasses.drainChanges() == nil)
        writePasses(rows, to: &inPasses)
        #expect(inPasses.hasPixels)
        #expect(try inPasses.result(work: .unlimited) == inOrder.result(work: .unlimited))
        #expect(inPasses.drainChanges() == PixelRect(plan.resultSize))
        #expect(inPasses.drainChanges() == nil)
        #expect(meter.peak <= plan.peakByteCount(layout: Self.layout, order: .passes))
    }

    @Test func rowsInWhichAPixelShowsHaveChanged() throws {
        var sink = try sink(try plan(.default, .up), .passes)
        writePass(rows()[2], y: 2, x: 0, step: 4, to: &sink)
        #expect(sink.drainChanges() == PixelRect(x: 0, y: 2, width: 9, height: 2))
    }

    @Test func gapsAreFilledInPicturesOfAnUnfinishedDecodeAndAtItsEnd() throws {
        let rows = rows()
        var sink = try sink(try plan(.default, .right), .passes)
        writePass(rows[0], y: 0, x: 0, step: 1, to: &sink)
        #expect(sink.hasCostlyPartialPictures)
        let gaps = RowsShowingTheFirst(from: 1)
        var other = try self.sink(try plan(.default, .right), .topToBottom)
        write(Array(repeating: rows[0], count: 6), to: &other)
        let expected = try other.result(work: .unlimited)
        #expect(try sink.partialPicture(work: .unlimited, filling: gaps) == expected)
        // That was a copy.
        var checkpoint = sink
        try checkpoint.makeUnique()
        try sink.makeUnique()
        writePass(rows[1], y: 1, x: 0, step: 1, to: &sink)
        try checkpoint.fillGaps(gaps, work: .unlimited)
        #expect(try checkpoint.result(work: .unlimited) == expected)
        try sink.fillGaps(RowsShowingTheFirst(from: 2), work: .unlimited)
        #expect(try sink.result(work: .unlimited) != expected)
    }

    @Test(arguments: [true, false])
    func gapsOfAPictureToBeScaledShowWhatThoseOfAWholeOneShow(_ hasAlpha: Bool) throws {
        let rows = rows()
        let layout = hasAlpha ? Self.layout : SampleLayout.bgrx
        for rowCount in 0...6 {
            let gaps = CoarseRows(knownCount: rowCount)
            var pictures: [Bitmap] = []
            for options in [DecodingOptions.default, .thumbnail(width: 4, height: 3)] {
                let plan = try OutputPlan(
                    size: Self.size, hasAlpha: hasAlpha, nearestFormat: .rgba, orientation: .up, options: options)
                var nothing: Bitmap?
                var sink = try RowSink(
                    plan: plan, layout: layout, order: .passes, reusable: &nothing, meter: nil, work: .unlimited)
                for y in 0..<rowCount { writePass(rows[y], y: y, x: 0, step: y < 2 ? 1 : 3, to: &sink) }
                let partial = try sink.partialPicture(work: .unlimited, filling: gaps)
                try sink.fillGaps(gaps, work: .unlimited)
                #expect(try sink.result(work: .unlimited) == partial)
                #expect(try sink.partialPicture(work: .unlimited) == partial)
                pictures.append(partial)
            }
            #expect(try pictures[0].scaled(to: pictures[1].size) == pictures[1])
        }
    }

    /// An orientation that comes after the pixels: they are turned, and fitted into the box as it lies then.
    @Test(arguments: optionSets, [RowOrder.topToBottom, .passes])
    func anotherPlanIsMetFromWhatWasDelivered(_ options: DecodingOptions, _ order: RowOrder) throws {
        let (first, plan) = (try plan(options, .up), try plan(options, .right))
        let meter = MemoryMeter()
        var sink = try sink(first, order, meter: meter)
        if order == .passes { writePasses(rows(), to: &sink) } else { write(rows(), to: &sink) }
        _ = sink.drainChanges()
        let unturned = sink
        sink.replan(first)
        #expect(sink.drainChanges() == nil)
        sink.replan(plan)
        #expect(sink.plan == plan && sink.hasCostlyPartialPictures)
        #expect(sink.drainChanges() == PixelRect(plan.resultSize))
        #expect(sink.drainChanges() == nil)
        #expect(try sink.result(work: .unlimited).size == plan.resultSize)
        #expect(meter.peak <= plan.peakByteCount(replacing: first, layout: Self.layout, order: order))
        let result = try sink.result(work: .unlimited)
        #expect(result.format == plan.format)
        #expect(try sink.partialPicture(work: .unlimited) == result)
        guard first.targetSize == plan.targetSize else { return }
        #expect(try unturned.result(work: .unlimited).oriented(.right) == result)
    }
}

/// Some rows are there; all after them show row 0.
private struct RowsShowingTheFirst: GapFilling {
    let from: Int
    func rowShown(at y: Int) -> ShownRow { .pixels(ofRow: y < from ? y : 0, columnStep: 1) }
}

/// Of the first two rows all is known, of others every third column; two more rows show the last of them.
private struct CoarseRows: GapFilling {
    let knownCount: Int

    func rowShown(at y: Int) -> ShownRow {
        guard knownCount > 0, y < knownCount + 2 else { return .blank }
        let row = min(y, knownCount - 1)
        return .pixels(ofRow: row, columnStep: row < 2 ? 1 : 3)
    }
}
