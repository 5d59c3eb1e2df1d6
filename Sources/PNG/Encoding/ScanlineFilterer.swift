// Which filter each scanline gets, and the scanline filtered with it.

package import ImageCodecsCore

/// How the filters of a picture's scanlines are chosen.
package enum FilterStrategy: Hashable, Sendable {
    /// The same for every scanline.
    case fixed(ScanlineFilter)
    /// The one that leaves the fewest bits, each residual counted by its magnitude; of the stretches of sixteen bytes, one of
    /// this many is looked at.
    case fewestBits(step: Int)
    /// The one that leaves the fewest different pairs of neighbouring bytes: what repeats stays as it is.
    case fewestPairs
    /// These, scanline by scanline.
    case given([ScanlineFilter])
}

/// Filters the scanlines of one picture, from the top of each pass.
///
/// Holds two scanlines.
package struct ScanlineFilterer: Sendable {
    private let strategy: FilterStrategy
    private let distance: Int
    private var byteCount: Int
    private var row: ScratchBuffer
    private var above: ScratchBuffer
    /// The number of the next scanline.
    private var rowCount = 0
    /// What ``FilterStrategy/fewestPairs`` counts with.
    private var pairs: DistinctPairs?

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
        if strategy == .fewestPairs { pairs = try DistinctPairs(byteCount: byteCount, meter: meter) }
        self.strategy = strategy
        self.distance = distance
        self.byteCount = byteCount
    }

    /// Bytes that filtering scanlines of `byteCount` bytes holds. Saturates.
    package static func estimatedByteCount(_ byteCount: Int) -> Int {
        FilterSelectionKernels.bufferByteCount(byteCount).multipliedSaturated(by: 2)
            .addingSaturated(DistinctPairs.estimatedByteCount(byteCount))
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
        let (byteCount, distance) = (byteCount, distance)
        let start = FilterSelectionKernels.margin
        row.withMutableBytes(start..<start + byteCount) { fill(&$0) }
        let filter = selectFilter()
        target.withMutableBytes(offset..<offset + 1) { $0.setByte(filter.rawValue, at: 0) }
        target.withMutableBytes(offset + 1..<offset + 1 + byteCount) { target in
            row.withBytes { row in
                above.withBytes { above in
                    FilterSelectionKernels.apply(
                        filter, row, above: above, byteCount: byteCount, distance: distance, into: &target)
                }
            }
        }
        swap(&row, &above)
        rowCount += 1
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
        case .fewestPairs:
            let (byteCount, distance) = (byteCount, distance)
            return row.withBytes { row in
                above.withBytes { above in
                    Self.least { filter in
                        pairs?.count(filter, row, above: above, byteCount: byteCount, distance: distance) ?? 0
                    }
                }
            }
        }
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
