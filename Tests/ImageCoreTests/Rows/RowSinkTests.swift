import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct RowSinkTests {
    private let size = PixelSize(width: 9, height: 6)

    private func plan(_ options: DecodingOptions = .default, orientation: Orientation = .up) throws -> OutputPlan {
        try OutputPlan(
            size: size, hasAlpha: true, nearestFormat: .rgba, orientation: orientation, options: options)
    }

    private func sink(_ plan: OutputPlan, layout: SampleLayout = .rgba(bits: 8)) throws -> RowSink {
        var nothing: Bitmap?
        return try RowSink(
            plan: plan, layout: layout, reusable: &nothing, meter: nil, work: .unlimited)
    }

    private func row(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 36) }

    private func write(_ sink: inout RowSink, _ bytes: [UInt8], y: Int) {
        bytes.withRawSpan { sink.write($0, y: y) }
    }

    @Test func rowsAreConvertedStraightIntoTheBitmap() throws {
        var sink = try sink(try plan())
        for y in 0..<6 { write(&sink, (0..<9).flatMap { _ in [10, 20, 30, 255] as [UInt8] }, y: y) }
        #expect(
            try sink.result(work: .unlimited).packedBytes() == (0..<54).flatMap { _ in [30, 20, 10, 255] as [UInt8] })
        #expect(sink.filledRowCount == 6)
        #expect(sink.rowCount == 6)
    }

    @Test(arguments: [DecodingOptions.default, .thumbnail(width: 3, height: 2)], [RowOrder.topToBottom, .passes])
    func rowsOfOneCallAreThoseOfOneCallEach(_ options: DecodingOptions, _ order: RowOrder) throws {
        var nothing: Bitmap?
        let sink = try RowSink(
            plan: plan(options), layout: .rgba(bits: 8), order: order, reusable: &nothing, meter: nil, work: .unlimited)
        let order = order == .passes ? [0, 4, 2, 1, 3, 5] : [0, 1, 2, 3, 4, 5]
        // The last is not to be seen.
        let rows = (0..<7).map { number in
            (0..<36).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: 7 * $0 + 31 * number) }
        }
        var (single, joined) = (sink, sink)
        try single.makeUnique()
        try joined.makeUnique()
        for (row, y) in zip(rows, order) {
            row.withRawSpan { single.write($0, bytesPerRow: 36) { _ in RowSink.Place(y: y, shownRows: y..<y + 1) } }
        }
        rows.flatMap(\.self).withRawSpan {
            joined.write($0, bytesPerRow: 36) { number in
                number < 6 ? RowSink.Place(y: order[number], shownRows: order[number]..<order[number] + 1) : nil
            }
        }
        #expect(try single.result(work: .unlimited) == joined.result(work: .unlimited))
        #expect(single.rowCount == 6 && joined.rowCount == 6)
        #expect(single.drainChanges() == joined.drainChanges())
        var oneByOne = try RowSink(
            plan: plan(options), layout: .rgba(bits: 8), reusable: &nothing, meter: nil, work: .unlimited)
        for y in 0..<6 { write(&oneByOne, rows[order.firstIndex(of: y) ?? 0], y: y) }
        #expect(try oneByOne.result(work: .unlimited) == joined.result(work: .unlimited))
    }

    @Test func changedRowsAreToldOnce() throws {
        var sink = try sink(try plan())
        #expect(sink.drainChanges() == nil)
        write(&sink, row(1), y: 0)
        write(&sink, row(1), y: 1)
        #expect(sink.drainChanges() == PixelRect(x: 0, y: 0, width: 9, height: 2))
        #expect(sink.drainChanges() == nil)
        write(&sink, row(1), y: 4)
        #expect(sink.drainChanges() == PixelRect(x: 0, y: 4, width: 9, height: 1))
        // Row 4 does not fill the gap before it.
        #expect(sink.filledRowCount == 2)
    }

    @Test(arguments: Orientation.allCases)
    func changedRowsAreThoseOfTheResult(_ orientation: Orientation) throws {
        var before = try sink(try plan(orientation: orientation))
        try before.clearUnfilledRows(work: .unlimited)
        var after = before
        try after.makeUnique()
        write(&after, row(255), y: 2)
        let change = after.drainChanges()
        let changed = try #require(change)
        let (old, new) = (try before.result(work: .unlimited), try after.result(work: .unlimited))
        #expect(old.size == (orientation.rawValue >= 5 ? PixelSize(width: 6, height: 9) : size))
        let (a, b) = (old.packedBytes(), new.packedBytes())
        for y in 0..<old.height {
            for x in 0..<old.width {
                let at = (y * old.width + x) * 4
                let isInside =
                    x >= changed.x && x < changed.x + changed.width && y >= changed.y && y < changed.y + changed.height
                #expect((a[at..<at + 4] != b[at..<at + 4]) == isInside)
            }
        }
    }

    @Test func aCopyIsACheckpoint() throws {
        for options in [DecodingOptions.default, .thumbnail(width: 3, height: 2)] {
            var sink = try sink(try plan(options))
            for y in 0..<3 { write(&sink, row(255), y: y) }
            var copy = sink
            try copy.makeUnique()
            try sink.makeUnique()
            for y in 3..<6 { write(&sink, row(255), y: y) }
            for y in 3..<6 { write(&copy, row(77), y: y) }
            #expect(try sink.result(work: .unlimited).packedBytes().allSatisfy { $0 == 255 })
            #expect(try copy.result(work: .unlimited) != sink.result(work: .unlimited))
        }
    }

    @Test func aFittingDonorIsReusedAndAnyDonorIsTaken() throws {
        let meter = MemoryMeter()
        var reusable: Bitmap? = try Bitmap(size: size, format: .bgraPremultiplied)
        let place = reusable?.withRowBytes(0) { row in unsafe row.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        let reusing = try RowSink(
            plan: try plan(), layout: .rgba(bits: 8), reusable: &reusable, meter: meter, work: .unlimited)
        #expect(reusable == nil)
        #expect(meter.peak == 0)
        let new = reusing.bitmap.withRowBytes(0) { row in
            unsafe row.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(new == place)
        // Shared, of another size, of another format: taken, but not reused.
        let kept = try Bitmap(size: size, format: .bgraPremultiplied)
        for var reusable in [
            kept, try Bitmap(size: PixelSize(width: 6, height: 9), format: .bgraPremultiplied),
            try Bitmap(size: size, format: .bgrx),
        ] as [Bitmap?] {
            let meter = MemoryMeter()
            _ = try RowSink(
                plan: try plan(), layout: .rgba(bits: 8), reusable: &reusable, meter: meter,
                work: .unlimited)
            #expect(reusable == nil)
            #expect(meter.peak == kept.byteCount)
        }
    }

    @Test func directRowsAreWrittenInPlaceWhereNothingIsConverted() throws {
        var options = DecodingOptions()
        for (format, isDirect) in [(PixelFormat.rgba, true), (.bgraPremultiplied, false)] {
            options.pixelFormat = format
            let meter = MemoryMeter()
            var nothing: Bitmap?
            var sink = try RowSink(
                plan: try plan(options), layout: .pixels(.rgba), reusable: &nothing, meter: meter,
                work: .unlimited)
            let before = meter.current
            for rows in [0..<1, 1..<1, 1..<6] {
                var filled = rows.lowerBound
                try sink.withDirectRows(rows) { rows, bytes, bytesPerRow throws(ImageError) in
                    #expect(rows.lowerBound == filled)
                    filled = rows.upperBound
                    #expect(bytesPerRow >= 36 && bytes.byteCount == rows.count * bytesPerRow)
                    for offset in 0..<bytes.byteCount {
                        bytes.storeBytes(of: 255, toByteOffset: offset, as: UInt8.self)
                    }
                }
                #expect(filled == rows.upperBound)
            }
            #expect((meter.current == before) == isDirect)
            #expect(try sink.result(work: .unlimited).packedBytes() == [UInt8](repeating: 255, count: 216))
            #expect(sink.filledRowCount == 6)
        }
    }

    @Test func aRowHasAPlaceWhereNothingIsConverted() throws {
        var options = DecodingOptions()
        for (format, isDirect) in [(PixelFormat.rgba, true), (.bgraPremultiplied, false)] {
            options.pixelFormat = format
            var nothing: Bitmap?
            var sink = try RowSink(
                plan: try plan(options), layout: .pixels(.rgba), reusable: &nothing, meter: nil, work: .unlimited)
            for y in 0..<6 {
                let isPlaced = sink.placeRow(y) { bytes in
                    #expect(bytes.byteCount == 36)
                    for offset in 0..<36 { bytes.storeBytes(of: UInt8(y), toByteOffset: offset, as: UInt8.self) }
                }
                #expect(isPlaced == isDirect && sink.filledRowCount == (isDirect ? y + 1 : 0))
            }
            guard isDirect else { continue }
            let expected = (0..<6).flatMap { [UInt8](repeating: $0, count: 36) }
            #expect(try sink.result(work: .unlimited).packedBytes() == expected)
        }
    }

    @Test func rowsThatWereNeverWrittenCanBeCleared() throws {
        var reusable: Bitmap? = try Bitmap(size: size, format: .bgraPremultiplied)
        try reusable?.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 0xA5, toByteOffset: offset, as: UInt8.self) }
        }
        var sink = try RowSink(
            plan: try plan(), layout: .rgba(bits: 8), reusable: &reusable, meter: nil, work: .unlimited)
        for y in 0..<2 { write(&sink, row(255), y: y) }
        try sink.clearUnfilledRows(work: .unlimited)
        #expect(
            try sink.result(work: .unlimited).packedBytes()
                == [UInt8](repeating: 255, count: 72) + [UInt8](repeating: 0, count: 144))
    }

    /// Scaling as rows come equals scaling the whole, and holds what was promised.
    @Test(arguments: [(3, 2), (9, 1), (1, 6), (4, 4)])
    func scaledRowsEqualAScaledBitmap(_ width: Int, _ height: Int) throws {
        var random = SeededRandom(seed: 9)
        var options = DecodingOptions.thumbnail(width: width, height: height, fit: .stretch)
        options.pixelFormat = .rgba
        let plan = try plan(options)
        let meter = MemoryMeter()
        var nothing: Bitmap?
        var sink = try RowSink(
            plan: plan, layout: .rgba(bits: 8), reusable: &nothing, meter: meter, work: .unlimited)
        var whole = try Bitmap(size: size, format: .rgba)
        for y in 0..<6 {
            let bytes = random.bytes(36)
            write(&sink, bytes, y: y)
            whole.withMutableRowBytes(y) { $0.copy(bytes.span) }
        }
        #expect(try sink.result(work: .unlimited) == whole.scaled(to: PixelSize(width: width, height: height)))
        #expect(meter.peak <= plan.peakByteCount())
        #expect(sink.filledRowCount == height)
        #expect(sink.rowCount == 6)
    }
}
