// Scanlines that are held: all of a picture, or bands of it that stand for the rest.

package import DeflateCodec
package import ImageCodecsCore

/// Scanlines before they are filtered, in the order in which they are written.
///
/// Made of passes: the seven of an interlaced picture, else one; or bands of a picture, each after the scanline above it.
package struct ScanlineStore: Sendable {
    /// Scanlines of one length that follow each other.
    package struct Pass: Hashable, Sendable {
        /// Bytes of a scanline without its filter type byte.
        package var byteCount: Int
        /// How many scanlines there are.
        package var rowCount: Int
        /// How many scanlines at its begin are not written, and only stand above the next: 0 or 1.
        package var contextCount: Int

        /// Scanlines of one length.
        package init(byteCount: Int, rowCount: Int, contextCount: Int = 0) {
            self.byteCount = byteCount
            self.rowCount = rowCount
            self.contextCount = contextCount
        }

        /// Bytes of all of them without their filter type bytes. Saturates.
        var totalByteCount: Int { byteCount.multipliedSaturated(by: rowCount) }
    }

    private let passes: [Pass]
    private let distance: Int
    /// Bytes that come out of filtering all of the picture, if these are bands of it.
    private let total: Int?
    private var bytes: ScratchBuffer

    /// - Parameters:
    ///   - passes: what will be held.
    ///   - distance: bytes from a sample to the same one of the pixel before.
    ///   - total: bytes that come out of filtering all of the picture, if these are bands of it.
    ///   - meter: counts the bytes.
    package init(_ passes: [Pass], distance: Int, total: Int? = nil, meter: MemoryMeter?) throws(ImageError) {
        self.passes = passes
        self.distance = distance
        self.total = total
        bytes = try ScratchBuffer(byteCount: Self.byteCount(passes), meter: meter)
    }

    /// Bytes that holding passes takes. Saturates.
    package static func byteCount(_ passes: [Pass]) -> Int {
        passes.reduce(0) { $0.addingSaturated($1.totalByteCount) }
    }

    /// Bytes that come out of filtering all scanlines. Saturates.
    var filteredByteCount: Int {
        passes.reduce(Self.byteCount(passes)) { $0.addingSaturated($1.rowCount) }
    }

    /// Where a scanline is.
    private func range(pass: Int, row: Int) -> Range<Int> {
        let start = Self.byteCount(Array(passes[..<pass])) + row * passes[pass].byteCount
        return start..<start + passes[pass].byteCount
    }

    /// Sets a scanline.
    ///
    /// - Parameters:
    ///   - pass: the number of its pass, from 0.
    ///   - row: its number in the pass, from 0.
    ///   - fill: writes it, without a filter type byte.
    package mutating func set(pass: Int, row: Int, _ fill: (inout MutableRawSpan) -> Void) {
        bytes.withMutableBytes(range(pass: pass, row: row)) { fill(&$0) }
    }

    /// Filters and compresses all of it.
    ///
    /// - Parameters:
    ///   - strategy: how filters are chosen.
    ///   - effort: how hard to compress.
    ///   - progress: records how far it has come.
    ///   - step: of this many bands of scanlines one is used; 1 for all of them.
    ///   - meter: counts what that takes.
    ///   - work: is asked for the time.
    ///   - emit: gets the pieces of the zlib stream.
    package func write(
        _ strategy: FilterStrategy, _ effort: CompressionEffort, step: Int = 1, progress: ProgressLog? = nil,
        meter: MemoryMeter?, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var data = try ImageDataWriter(
            byteCount: passes.map(\.byteCount).max() ?? 0, distance: distance, total: total ?? filteredByteCount,
            strategy,
            effort, meter: meter)
        for (number, pass) in passes.enumerated() {
            let start = range(pass: number, row: 0).lowerBound
            for row in pass.contextCount..<max(pass.rowCount, pass.contextCount) where row / Self.bandHeight % step == 0
            {
                let place = start + row * pass.byteCount
                if step > 1 ? row % Self.bandHeight == 0 : row == pass.contextCount {
                    data.beginPass(byteCount: pass.byteCount, row: step > 1 ? row : nil)
                    if row > 0 {
                        bytes.withBytes(place - pass.byteCount..<place) { above in data.setAbove { $0.copy(above) } }
                    }
                }
                progress?.report(.compressing, place, of: bytes.byteCount)
                try work.spend(strategy.workPerByte * pass.byteCount)
                try data.write(work: &work) { scanline in
                    bytes.withBytes(place..<place + pass.byteCount) { scanline.copy($0) }
                } emit: { (piece) throws(ImageError) in
                    try emit(piece)
                }
            }
        }
        try data.finish(work: &work, emit: emit)
    }

    /// Scanlines of a band that stands for others.
    private static let bandHeight = 32
    /// Bytes of scanlines of which bands stand for the others.
    private static let sampledByteCount = 1 << 20
    /// Of this many bands, one at least is used.
    private static let longestStep = 8

    /// The strategy of the shortest stream, and bytes of that; of equals the first.
    ///
    /// - Parameters:
    ///   - strategies: what is tried; at least one.
    ///   - effort: how hard to compress.
    ///   - skipping: whether bands may be left out if there are many.
    ///   - meter: counts what that takes.
    ///   - work: is asked for the time.
    package func bestStrategy(
        of strategies: [FilterStrategy], _ effort: CompressionEffort, skipping: Bool = false, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> (strategy: FilterStrategy, byteCount: Int) {
        let best = try ways(
            strategies, effort, sampled: skipping ? Self.sampledByteCount : .max, meter: meter, work: &work)[0]
        return (best.strategy, best.byteCount)
    }

    /// One way to make a stream of scanlines.
    private struct Way {
        var strategy: FilterStrategy
        var effort: CompressionEffort
        /// Bytes of the stream; of bands, if some were left out.
        var byteCount: Int
    }

    /// What each strategy leaves, the shortest stream first; of equals the likelier is the first, as the sort is stable.
    ///
    /// From `sampled` bytes on a band is left out after each that is used, and one more for each further time as many.
    private func ways(
        _ strategies: [FilterStrategy], _ effort: CompressionEffort, sampled: Int, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> [Way] {
        let step = min(Self.longestStep, 1 + filteredByteCount / sampled)
        var ways: [Way] = []
        for strategy in strategies {
            var count = 0
            try write(strategy, effort, step: step, meter: meter, work: &work) { count += $0.byteCount }
            ways.append(Way(strategy: strategy, effort: effort, byteCount: count))
        }
        return ways.sorted { $0.byteCount < $1.byteCount }
    }

    /// Bytes of scanlines up to which ways of filtering are tried with more search than there is in larger ones: what the deflater
    /// searches longer, too.
    private static let closelyTriedByteCount = RefinementChoice.shortByteCount
    /// The same as ``sampledByteCount``, with effort default.
    private static let fewSampledByteCount = 1 << 18
    /// More search is for this many ways, of which little search leaves up to this part more than of the best.
    private static func mostClose(_ effort: EncodingOptions.Effort) -> Int { effort == .best ? 5 : 2 }
    private static let closeShare = 4
    /// And for up to this many, if it leaves nearly as little of them as of the best: what little search leaves says no more than that.
    private static let mostNearlyEqual = 4, nearlyEqualShare = 50
    /// Of fewer bytes, up to this many ways that leave up to this part more than the best are tried with all the search there is.
    private static let wholeTriedByteCount = 1 << 18, mostWholeTried = 3, wholeTriedShare = 16

    /// Filters and compresses all of it in the way that seems to leave the shortest stream.
    ///
    /// - Parameters:
    ///   - strategies: how filters may be chosen, the likeliest first; at least one.
    ///   - effort: of the picture.
    ///   - progress: records how far it has come.
    ///   - meter: counts what that takes.
    ///   - work: is asked for the time.
    ///   - emit: gets the pieces of the zlib stream.
    func writeShortest(
        of strategies: [FilterStrategy], _ effort: EncodingOptions.Effort, progress: ProgressLog?,
        meter: MemoryMeter?, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let effortOfStream = CompressionEffort(effort)
        var (strategy, tried): (FilterStrategy, Way?) = (strategies[0], nil)
        if strategies.count > 1 {
            (strategy, tried) = try chosenStrategy(of: strategies, effort, meter: meter, work: &work)
        }
        // What was tried with all the search there is needs no other to be compared with.
        guard let tried, tried.effort != effortOfStream else {
            return try write(strategy, effortOfStream, progress: progress, meter: meter, work: &work, emit: emit)
        }
        // What is tried with less search is shorter now and then. A longer stream is not needed.
        var held = try ScratchBuffer(byteCount: tried.byteCount, meter: meter)
        var count = 0
        try write(strategy, effortOfStream, progress: progress, meter: meter, work: &work) { piece in
            if count + piece.byteCount <= tried.byteCount {
                held.withMutableBytes(count..<count + piece.byteCount) { $0.copy(piece) }
            }
            count += piece.byteCount
        }
        guard count <= tried.byteCount else {
            return try write(
                tried.strategy, tried.effort, progress: progress, meter: meter, work: &work, emit: emit)
        }
        for start in stride(from: 0, to: count, by: ImageDataWriter.pieceByteCount) {
            try held.withBytes(start..<min(start + ImageDataWriter.pieceByteCount, count), emit)
        }
    }

    /// Bytes that ``writeShortest(of:_:progress:meter:work:emit:)`` holds besides what writing takes, for scanlines of this many bytes.
    static func heldByteCount(_ byteCount: Int) -> Int { min(byteCount, closelyTriedByteCount) }

    /// The strategy that seems to leave the shortest stream, and the shortest of all that was tried if that was done on all scanlines.
    ///
    /// Of few bytes, ways are tried with the search for the cheapest way: what leaves many matches seems long without it. That is done
    /// for those alone that are among the best with little search, and for scanlines without filters if they are not far from it.
    private func chosenStrategy(
        of strategies: [FilterStrategy], _ effort: EncodingOptions.Effort, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> (FilterStrategy, Way?) {
        guard filteredByteCount <= Self.closelyTriedByteCount else {
            return (try bestStrategy(of: strategies, .default, skipping: true, meter: meter, work: &work).strategy, nil)
        }
        let sampled = effort == .best ? Int.max : Self.fewSampledByteCount
        let tried = try ways(strategies, .fast, sampled: sampled, meter: meter, work: &work)
        var close = Self.nearest(tried, within: Self.closeShare, atMost: Self.mostClose(effort))
        let equal = Self.nearest(tried, within: Self.nearlyEqualShare, atMost: Self.mostNearlyEqual)
        if equal.count > close.count { close = equal }
        // More search finds more in what is not filtered.
        let isNear = tried.contains { $0.strategy == .fixed(.none) && $0.byteCount / 2 <= tried[0].byteCount }
        if isNear, !close.contains(.fixed(.none)) { close.append(.fixed(.none)) }
        var closest = close.count > 1 ? try ways(close, .default, sampled: sampled, meter: meter, work: &work) : tried
        if effort == .best, filteredByteCount <= Self.wholeTriedByteCount {
            let near = Self.nearest(closest, within: Self.wholeTriedShare, atMost: Self.mostWholeTried)
            let whole = near.count > 1 ? try ways(near, .best, sampled: sampled, meter: meter, work: &work) : []
            if let first = whole.first, first.byteCount < closest[0].byteCount { closest = whole }
        }
        guard filteredByteCount < sampled else { return (closest[0].strategy, nil) }
        return (closest[0].strategy, closest[0].byteCount < tried[0].byteCount ? closest[0] : tried[0])
    }

    /// The first strategies of some that were tried, which leave up to a part more than the very first.
    private static func nearest(_ ways: [Way], within part: Int, atMost count: Int) -> [FilterStrategy] {
        let most = ways[0].byteCount + ways[0].byteCount / part
        return ways.prefix(count).filter { $0.byteCount <= most }.map(\.strategy)
    }

    /// Of this many scanlines one is looked at for ``residualBits(meter:work:)``.
    private static let residualStep = 4

    /// About how many bits of a byte the filter leaves that leaves the fewest.
    func residualBits(meter: MemoryMeter?, work: inout WorkGuard) throws(ImageError) -> Double {
        var (bitCount, byteCount) = (0, 0)
        for (number, pass) in passes.enumerated() {
            let length = FilterSelectionKernels.bufferByteCount(pass.byteCount)
            var row = try ScratchBuffer(byteCount: length, filledWith: 0, meter: meter)
            var above = try ScratchBuffer(byteCount: length, filledWith: 0, meter: meter)
            let place = FilterSelectionKernels.margin..<FilterSelectionKernels.margin + pass.byteCount
            for y in stride(from: 1, to: pass.rowCount, by: Self.residualStep) {
                try work.spend(pass.byteCount)
                bytes.withBytes(range(pass: number, row: y)) { bytes in row.withMutableBytes(place) { $0.copy(bytes) } }
                bytes.withBytes(range(pass: number, row: y - 1)) { bytes in
                    above.withMutableBytes(place) { $0.copy(bytes) }
                }
                let sums = row.withBytes { row in
                    above.withBytes { above in
                        FilterSelectionKernels.bitLengthSums(
                            row, above: above, byteCount: pass.byteCount, distance: distance, step: 1)
                    }
                }
                bitCount += ScanlineFilter.allCases.reduce(Int.max) { min($0, sums[Int($1.rawValue)]) }
                byteCount += pass.byteCount
            }
        }
        return Double(bitCount) / Double(max(1, byteCount))
    }
}
