// Which filter each scanline gets, and the scanline filtered with it.

package import DeflateCodec
package import ImageCodecsCore

/// How the filters of a picture's scanlines are chosen.
package enum FilterStrategy: Hashable, Sendable {
    /// The same for every scanline.
    case fixed(ScanlineFilter)
    /// The one that leaves the fewest bits, each residual counted by its magnitude; of the stretches of sixteen bytes, one of
    /// this many is looked at.
    case fewestBits(step: Int)
    /// The one whose pairs of neighbouring bytes have the least entropy: what repeats stays as it is.
    case leastPairEntropy
    /// The one that compresses best after the scanlines before.
    case shortest
    /// These, scanline by scanline.
    case given([ScanlineFilter])

    /// What choosing the filter counts as for each byte of a scanline; see ``WorkGuard/spend(_:)``.
    var workPerByte: Int {
        switch self {
        case .fixed, .fewestBits, .given: 1
        // Five times each byte is counted, or searched for.
        case .leastPairEntropy, .shortest: 16
        }
    }
}

/// Filters the scanlines of one picture, from the top of each pass.
///
/// Holds two scanlines, and for some strategies what they compress into.
package struct ScanlineFilterer: Sendable {
    private let strategy: FilterStrategy
    private let distance: Int
    private var byteCount: Int
    private var row: ScratchBuffer
    private var above: ScratchBuffer
    /// The number of the next scanline.
    private var rowCount = 0
    /// A scanline as one filter leaves it, after its type byte, for strategies that look at that.
    private var filtered: ScratchBuffer?
    /// What ``FilterStrategy/leastPairEntropy`` counts with.
    private var pairs: PairEntropy?
    /// What ``FilterStrategy/shortest`` compresses with.
    private var trial: CompressionTrial?

    /// - Parameters:
    ///   - strategy: how filters are chosen.
    ///   - byteCount: bytes of the longest scanline, without its filter type byte.
    ///   - distance: bytes from a sample to the same one of the pixel before, 1...8.
    ///   - meter: counts the buffers.
    package init(
        _ strategy: FilterStrategy, byteCount: Int, distance: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        let bufferByteCount = FilterSelectionKernels.bufferByteCount(byteCount)
        row = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        above = try ScratchBuffer(byteCount: bufferByteCount, filledWith: 0, meter: meter)
        switch strategy {
        case .fixed, .fewestBits, .given: break
        case .leastPairEntropy: pairs = try PairEntropy(meter: meter)
        case .shortest: trial = try CompressionTrial(byteCount: byteCount + 1, meter: meter)
        }
        if pairs != nil || trial != nil { filtered = try ScratchBuffer(byteCount: byteCount + 1, meter: meter) }
        self.strategy = strategy
        self.distance = distance
        self.byteCount = byteCount
    }

    /// Bytes that filtering scanlines of `byteCount` bytes holds. Saturates.
    ///
    /// - Parameter effort: with `fast` no strategy looks at what filters leave; with `default` ``FilterStrategy/shortest`` does.
    package static func estimatedByteCount(_ byteCount: Int, _ effort: CompressionEffort) -> Int {
        let rows = FilterSelectionKernels.bufferByteCount(byteCount).multipliedSaturated(by: 2)
        guard effort != .fast else { return rows }
        let filtered = byteCount.addingSaturated(1)
        let trial = CompressionTrial.estimatedByteCount(filtered)
        return rows.addingSaturated(filtered).addingSaturated(
            effort == .default ? trial : max(PairEntropy.byteCount, trial))
    }

    /// Starts a pass, whose first scanline has none above it.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of its scanlines without their filter type bytes.
    ///   - row: the number of its first scanline, by which ``FilterStrategy/given(_:)`` goes; `nil` for the next.
    /// - Precondition: `byteCount` is at most what the initialiser got.
    package mutating func beginPass(byteCount: Int, row: Int? = nil) {
        self.byteCount = byteCount
        rowCount = row ?? rowCount
        above.fill(0..<FilterSelectionKernels.bufferByteCount(byteCount), with: 0)
    }

    /// Takes a scanline that stands above the next and is not written itself.
    ///
    /// - Parameter fill: writes it without its filter type byte.
    package mutating func setAbove(_ fill: (inout MutableRawSpan) -> Void) {
        let start = FilterSelectionKernels.margin
        above.withMutableBytes(start..<start + byteCount) { fill(&$0) }
    }

    /// Filters the next scanline.
    ///
    /// - Parameters:
    ///   - target: takes the filter type byte and the filtered bytes.
    ///   - offset: where in it.
    ///   - fill: writes the scanline without its filter type byte.
    package mutating func filter(
        into target: inout ScratchBuffer, at offset: Int, _ fill: (inout MutableRawSpan) -> Void
    ) {
        let start = FilterSelectionKernels.margin
        row.withMutableBytes(start..<start + byteCount) { fill(&$0) }
        let filter = selectFilter()
        apply(filter, into: &target, at: offset)
        swap(&row, &above)
        rowCount += 1
    }

    /// Writes the filter type byte, and the scanline as the filter leaves it.
    private func apply(_ filter: ScanlineFilter, into target: inout ScratchBuffer, at offset: Int) {
        target.withMutableBytes(offset..<offset + 1) { $0.setByte(filter.rawValue, at: 0) }
        target.withMutableBytes(offset + 1..<offset + 1 + byteCount) { target in
            row.withBytes { row in
                above.withBytes { above in
                    FilterSelectionKernels.apply(
                        filter, row, above: above, byteCount: byteCount, distance: distance, into: &target)
                }
            }
        }
    }

    private mutating func selectFilter() -> ScanlineFilter {
        switch strategy {
        case .fixed(let filter): return filter
        case .given(let filters): return rowCount < filters.count ? filters[rowCount] : .none
        case .fewestBits(let step):
            let (byteCount, distance) = (byteCount, distance)
            let sums = row.withBytes { row in
                above.withBytes { above in
                    FilterSelectionKernels.bitLengthSums(
                        row, above: above, byteCount: byteCount, distance: distance, step: step)
                }
            }
            return Self.least { sums[Int($0.rawValue)] }
        case .leastPairEntropy:
            guard var pairs = pairs.take() else { return .none }
            let best = leastOfFiltered { pairs.bitCount($0) }
            self.pairs = pairs
            return best
        case .shortest:
            guard var trial = trial.take() else { return .none }
            let best = leastOfFiltered { trial.cost($0) }
            withFiltered(best) { trial.keep($0) }
            self.trial = trial
            return best
        }
    }

    /// The filter of the least cost of the scanline as it leaves it, after its type byte.
    private mutating func leastOfFiltered(_ cost: (RawSpan) -> Int) -> ScanlineFilter {
        Self.least { filter in withFiltered(filter, cost) ?? 0 }
    }

    /// Shows the scanline as a filter leaves it, after its type byte.
    @discardableResult
    private mutating func withFiltered<Result>(_ filter: ScanlineFilter, _ body: (RawSpan) -> Result) -> Result? {
        guard var bytes = filtered.take() else { return nil }
        apply(filter, into: &bytes, at: 0)
        filtered = bytes
        return bytes.withBytes(0..<1 + byteCount, body)
    }

    /// The filter of the least cost; of equals the one with the lowest number.
    private static func least(_ cost: (ScanlineFilter) -> Int) -> ScanlineFilter {
        var (best, bestCost) = (ScanlineFilter.none, Int.max)
        for filter in ScanlineFilter.allCases {
            let cost = cost(filter)
            if cost < bestCost { (best, bestCost) = (filter, cost) }
        }
        return best
    }
}
