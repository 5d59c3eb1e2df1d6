// From unpacked bytes to finished rows: cut into scanlines, undo filters, hand to a consumer.
//
//   unpacked [ ft line | ft line | ... ] ──▶ undo filters ──▶ [ line | line | line | line ] ──▶ ScanlineConsumer
//
// Finished rows overwrite the lines in turn, oldest first; the newest is the line above the next one. A line without a
// filter goes to the consumer straight from the unpacked bytes. Lines too long to wait whole are collected in place first.

import ImageCodecsCore

/// Turns unpacked bytes into the scanlines of a picture, pass after pass.
///
/// A value: a copy is a checkpoint.
struct ScanlineReconstruction: Sendable {
    /// The pass being decoded, or the one the picture consists of; `nil` after the last row.
    private(set) var pass: Adam7.Pass?
    /// Rows of that pass that are finished.
    private(set) var rowInPass = 0

    private let header: ImageHeader
    /// Makes straight samples of those of Apple's variant.
    private var applePixels: ApplePixels?
    private var laterPasses: [Adam7.Pass]
    private let form: ScanlineForm
    private var lines: ScratchBuffer
    /// Where the finished line above starts.
    private var above = 0
    /// Of a line longer than may wait: its filter type, and how many of its bytes are put together.
    private var long: (filterType: UInt8, byteCount: Int)?

    /// Bytes of a line of the pass, without the filter type byte.
    private var byteCount: Int { header.bytesPerScanline(width: pass?.size.width ?? 0) }

    init(_ header: ImageHeader, _ form: ScanlineForm, meter: MemoryMeter?) throws(ImageError) {
        self.header = header
        self.form = form
        if ApplePixels.isNeeded(header) { applePixels = try ApplePixels(header, meter: meter) }
        let passes = Self.passes(of: header)
        pass = passes.first
        laterPasses = passes.dropFirst().reversed()
        lines = try ScratchBuffer(zeroedByteCount: form.linesByteCount, meter: meter)
    }

    mutating func makeUnique() throws(ImageError) {
        try lines.makeUnique()
        try applePixels?.makeUnique()
    }

    /// Every pass with pixels; a picture that is not interlaced is a pass of its own.
    private static func passes(of header: ImageHeader) -> [Adam7.Pass] {
        if header.isInterlaced { return Adam7.passes(of: header.size) }
        return [Adam7.Pass(number: 0, x: 0, columnStep: 1, y: 0, rowStep: 1, size: header.size)]
    }

    /// Bytes of the current pass that are not taken yet, filter types included. Saturates.
    var byteCountLeft: Int {
        guard let pass else { return 0 }
        // 2^31 lines of 2^34 bytes overflow; of this many none is ever missing.
        let rows = (byteCount + 1).multipliedSaturated(by: pass.size.height - rowInPass)
        return rows - (long.map { $0.byteCount + 1 } ?? 0)
    }

    /// Where the picture is once the first `unpackedByteCount` bytes that wait are taken.
    func place(with unpackedByteCount: Int) -> ScanlineAssembler.Place {
        guard let pass else { return .init(pass: nil, rowInPass: rowInPass) }
        let waiting = unpackedByteCount + (long.map { $0.byteCount + 1 } ?? 0)
        return .init(pass: pass, rowInPass: rowInPass + waiting / (byteCount + 1))
    }

    /// Goes to the next pass when the last row of this one is finished.
    private mutating func finishPass() {
        guard let pass, rowInPass == pass.size.height else { return }
        self.pass = laterPasses.popLast()
        rowInPass = 0
        above = 0
        if self.pass != nil { lines.fill(0..<byteCount, with: 0) }
    }
}

// MARK: - Rows

extension ScanlineReconstruction {
    /// Takes rows of the current pass.
    ///
    /// - Parameters:
    ///   - unpacked: bytes of the pass that were not taken yet; no more than may wait.
    ///   - isPressed: whether every whole row is wanted. Otherwise rows that go together with later ones wait for them.
    ///   - taken: is advanced by the bytes that were used, also if an error is thrown.
    ///   - offset: where in the file the stream begins.
    mutating func reconstruct(
        _ unpacked: RawSpan, isPressed: Bool, taken: inout Int, offset: Int,
        into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let pass else { return }
        defer { finishPass() }
        let batch = Batch(
            pass: pass, byteCount: byteCount, distance: header.filterDistance, offset: offset,
            largestGroup: form.groupCount, isPressed: isPressed)
        if form.collectsLines { return try collect(unpacked, batch, taken: &taken, into: &consumer, &work) }
        var place = ScanlinePlace.line(above)
        defer { keepAbove(place, unpacked, batch.byteCount) }
        while true {
            let filters = try batch.nextFilters(unpacked, at: taken, row: rowInPass)
            guard filters.count > 0 else { return }
            try work.spend(filters.count * batch.byteCount)
            var targets = SIMD4<Int>()
            if filters.count == 1 {
                place = undoOne(filters[0], unpacked, batch, start: taken + 1, above: place)
            } else {
                targets = undoTogether(filters, unpacked, batch, start: taken + 1, above: place)
            }
            for index in 0..<filters.count {
                if filters.count > 1 { place = .line(targets[index]) }
                taken += batch.byteCount + 1
                deliver(place, unpacked, batch, into: &consumer)
            }
        }
    }

    /// Undoes the filter of one row, and returns where the row is.
    private mutating func undoOne(
        _ filter: ScanlineFilter, _ unpacked: RawSpan, _ batch: Batch, start: Int, above place: ScanlinePlace
    ) -> ScanlinePlace {
        if filter == .none { return .unpacked(start) }
        let target = line(behind: place, 1)
        lines.withMutableBytes { lines in
            filter.undo(
                unpacked, .unpacked(start), above: place, in: &lines, to: target, byteCount: batch.byteCount,
                distance: batch.distance)
        }
        return .line(target)
    }

    /// Undoes the filters of some rows, and returns where they are.
    private mutating func undoTogether(
        _ filters: FilterGroup, _ unpacked: RawSpan, _ batch: Batch, start: Int, above place: ScanlinePlace
    ) -> SIMD4<Int> {
        let wave = ScanlineWave(
            filters: filters, first: start, above: place,
            targets: SIMD4(
                line(behind: place, 1), line(behind: place, 2), line(behind: place, 3), line(behind: place, 4)))
        lines.withMutableBytes { lines in
            wave.undo(unpacked, in: &lines, byteCount: batch.byteCount, distance: batch.distance)
        }
        return wave.targets
    }

    /// Where the line is kept that comes `count` lines after the one at `place`.
    private func line(behind place: ScanlinePlace, _ count: Int) -> Int {
        var start = above
        if case .line(let offset) = place { start = offset }
        return (start + count * form.lineByteCount) % form.linesByteCount
    }

    /// Hands a finished row out.
    private mutating func deliver(
        _ place: ScanlinePlace, _ unpacked: RawSpan, _ batch: Batch, into consumer: inout some ScanlineConsumer
    ) {
        // Out of `self` for the call, so that the buffer in it is not shared.
        var pixels = applePixels.take()
        switch place {
        case .unpacked(let start):
            let row = unpacked.extracting(start..<start + batch.byteCount)
            Self.hand(row, rowInPass, batch.pass, &pixels, to: &consumer)
        case .line(let start):
            lines.withBytes(start..<start + batch.byteCount) { row in
                Self.hand(row, rowInPass, batch.pass, &pixels, to: &consumer)
            }
        }
        applePixels = pixels
        rowInPass += 1
    }

    private static func hand(
        _ row: RawSpan, _ number: Int, _ pass: Adam7.Pass, _ pixels: inout ApplePixels?,
        to consumer: inout some ScanlineConsumer
    ) {
        guard pixels != nil else { return consumer.consume(row, row: number, of: pass) }
        pixels?.withStraight(row) { consumer.consume($0, row: number, of: pass) }
    }

    /// Sees to it that the newest row is in one of the lines before the unpacked bytes go away.
    private mutating func keepAbove(_ place: ScanlinePlace, _ unpacked: RawSpan, _ byteCount: Int) {
        switch place {
        case .line(let start): above = start
        case .unpacked(let start):
            let row = unpacked.extracting(start..<start + byteCount)
            lines.withMutableBytes(above..<above + byteCount) { $0.copy(row) }
        }
    }

    /// Takes bytes of lines that are longer than what may wait: they are put together, and undone in place.
    private mutating func collect(
        _ unpacked: RawSpan, _ batch: Batch, taken: inout Int, into consumer: inout some ScanlineConsumer,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        while taken < unpacked.byteCount && rowInPass < batch.pass.size.height {
            var line = long ?? (filterType: unpacked.byte(at: taken), byteCount: 0)
            if long == nil { taken += 1 }
            let target = self.line(behind: .line(above), 1)
            let count = min(batch.byteCount - line.byteCount, unpacked.byteCount - taken)
            let piece = unpacked.extracting(taken..<taken + count)
            lines.withMutableBytes(target + line.byteCount..<target + line.byteCount + count) { $0.copy(piece) }
            taken += count
            line.byteCount += count
            long = line
            guard line.byteCount == batch.byteCount else { return }
            let filter = try batch.filter(line.filterType, row: rowInPass)
            try work.spend(batch.byteCount)
            let above = above
            lines.withMutableBytes { lines in
                filter.undo(
                    unpacked, .line(target), above: .line(above), in: &lines, to: target, byteCount: batch.byteCount,
                    distance: batch.distance)
            }
            long = nil
            self.above = target
            deliver(.line(target), unpacked, batch, into: &consumer)
        }
    }
}

/// What the rows that are taken in one call have in common.
private struct Batch {
    let pass: Adam7.Pass
    let byteCount: Int
    let distance: Int
    let offset: Int
    let largestGroup: Int
    let isPressed: Bool

    func filter(_ type: UInt8, row: Int) throws(ImageError) -> ScanlineFilter {
        guard let filter = ScanlineFilter(rawValue: type) else {
            throw .corrupt(.png, .pngFilterType, offset: offset, reason: "filter type \(type) in row \(row)")
        }
        return filter
    }

    /// The filters of the rows that go next: of one, or of some that go together; none if rows have to wait.
    func nextFilters(_ unpacked: RawSpan, at start: Int, row: Int) throws(ImageError) -> FilterGroup {
        let available = min((unpacked.byteCount - start) / (byteCount + 1), pass.size.height - row)
        guard available > 0 else { return FilterGroup() }
        var group = FilterGroup(try filter(unpacked.byte(at: start), row: row))
        guard group[0].isChain, largestGroup > 1 else { return group }
        let mayGrow = available < largestGroup && available < pass.size.height - row
        if mayGrow && !isPressed { return FilterGroup() }
        for index in 1..<max(1, min(available, largestGroup)) {
            let type = unpacked.byte(at: start + index * (byteCount + 1))
            // What is no filter type is reported in its turn.
            guard let filter = ScanlineFilter(rawValue: type) else { break }
            group.append(filter)
        }
        group.cut()
        return group
    }
}
