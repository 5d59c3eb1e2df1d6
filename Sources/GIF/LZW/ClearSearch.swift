// Where it pays to clear the table of strings: indices in, places out. Nothing is written.
//
//   look ahead    when the table is full: what would the next indices cost with it, what with an empty one?
//   plan          of all ways to cut the indices at the lines of a grid, the cheapest (dynamic programming)
//
// A full table stays as it is (a "deferred clear"): as long as the picture repeats, that is best. The plan also finds places
// before the table is full: where a picture changes, strings of what went before only make codes longer. On 480x270 pixels it
// makes 0.3 to 4 % of the data more than looking ahead saves.

package import ImageCodecsCore

/// Where the table is cleared, and what that costs.
package struct LZWClears: Hashable, Sendable {
    /// Before which indices, ascending.
    package var places: [Int] = []
    /// Bits of all codes, those at the beginning and at the end included.
    package var bitCount: Int

    /// Bytes of the data in sub-blocks, the terminator included.
    package var byteCount: Int {
        let data = (bitCount + 7) / 8
        return data + (data + 254) / 255 + 1
    }
}

/// Finds the places; holds two tables.
package struct ClearSearch: Sendable {
    /// How much is tried.
    package enum Thoroughness: Hashable, Sendable {
        /// Looks ahead when the table is full, and goes on after what it looked at: about twice the work of writing.
        case coarse
        /// Looks ahead twice as often: for what ways to write a frame are compared with.
        case fine
        /// Also plans on a grid of about 1024 codes: some ten times the work of writing.
        case planned
        /// Plans on a grid of about 256 codes: up to 64 times the work of writing.
        case exhaustive

        /// Codes between two lines of the grid on average, the least number of fields, and how many of them one table may
        /// serve; `nil` if nothing is planned.
        fileprivate var grid: (codeCount: Int, leastFieldCount: Int, longestRun: Int)? {
            switch self {
            case .coarse, .fine: nil
            case .planned: (1024, 16, 10)
            case .exhaustive: (256, 128, 64)
            }
        }
    }

    private var table: NumberBuffer<UInt32>
    private var otherTable: NumberBuffer<UInt32>
    private var output: ScratchBuffer
    private let meter: MemoryMeter?

    /// What is written on trial; it is overwritten when it is full.
    private static let outputByteCount = 1 << 14
    /// Images of fewer codes gain nothing by a plan.
    private static let leastPlannedCodeCount = 512

    /// Bytes held at most for an image of this size. Saturates.
    package static func byteCount(_ size: PixelSize, _ thoroughness: Thoroughness) -> Int {
        let tables = 2 * LZWEncodingKernel.tableByteCount + outputByteCount
        guard let grid = thoroughness.grid else { return tables }
        // No code stands for less than an index.
        let fieldCount = max(grid.leastFieldCount, (size.pixelCount ?? .max) / grid.codeCount).addingSaturated(1)
        return tables.addingSaturated(fieldCount.multipliedSaturated(by: 2 * MemoryLayout<Int>.stride))
    }

    package init(meter: MemoryMeter?) throws(ImageError) {
        table = try NumberBuffer(count: LZWEncodingKernel.slotCount, meter: meter)
        otherTable = try NumberBuffer(count: LZWEncodingKernel.slotCount, meter: meter)
        output = try ScratchBuffer(byteCount: Self.outputByteCount, meter: meter)
        self.meter = meter
    }

    /// The best places found.
    ///
    /// - Parameters:
    ///   - indices: one byte each, at least one of them.
    ///   - minimumCodeSize: 2...8.
    package mutating func clears(
        _ indices: RawSpan, minimumCodeSize: Int, _ thoroughness: Thoroughness, work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        let stride = thoroughness == .coarse ? 1.0 : 0.5
        var ahead = try lookAhead(indices, minimumCodeSize, stride: stride, &work)
        guard let grid = thoroughness.grid, ahead.codeCount >= Self.leastPlannedCodeCount else { return ahead.clears }
        // Neither way to look ahead is always the better one.
        let coarse = try lookAhead(indices, minimumCodeSize, stride: 1, &work)
        if coarse.clears.bitCount < ahead.clears.bitCount { ahead = coarse }
        let fieldCount = min(indices.byteCount, max(grid.leastFieldCount, ahead.codeCount / grid.codeCount))
        let planned = try plan(
            indices, minimumCodeSize, fieldCount: fieldCount,
            longestRun: fieldCount == grid.leastFieldCount ? fieldCount : grid.longestRun, &work)
        if thoroughness == .exhaustive {
            // A finer grid lacks some of the lines of a coarser one.
            let coarser = try clears(indices, minimumCodeSize: minimumCodeSize, .planned, work: &work)
            if coarser.bitCount < min(planned.bitCount, ahead.clears.bitCount) { return coarser }
        }
        return planned.bitCount < ahead.clears.bitCount ? planned : ahead.clears
    }

    /// What it costs to clear the table at given places.
    package mutating func clears(
        _ indices: RawSpan, minimumCodeSize: Int, at places: [Int], work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        var clears = LZWClears(places: places, bitCount: minimumCodeSize + 1)
        var state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
        for end in places + [indices.byteCount] {
            let position = state.position
            state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
            state.position = position
            clearTable()
            try run(&state, indices, upTo: end, &work)
            clears.bitCount += state.writtenBitCount + state.closingBitCount
        }
        return clears
    }

    /// Encodes for nothing but the number of bits.
    private mutating func run(
        _ state: inout LZWEncodingState, _ indices: RawSpan, upTo end: Int, stopsWhenFull: Bool = false,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        while state.position < end {
            let (start, stop) = (state.position, min(end, state.position + LZWEncoder.stepCount))
            let pause = Self.run(&state, &table, &output, indices, stop)
            try work.spend(LZWEncoder.indexWork * (state.position - start))
            if stopsWhenFull, pause == .tableFilled { return }
        }
    }

    private static func run(
        _ state: inout LZWEncodingState, _ table: inout NumberBuffer<UInt32>, _ output: inout ScratchBuffer,
        _ indices: RawSpan, _ end: Int
    ) -> LZWEncodingPause {
        var count = 0
        return table.withMutableSpan { table in
            output.withMutableBytes { output in
                LZWEncodingKernel.encode(
                    &state, table: &table, indices: indices, end: end, output: &output, outputCount: &count)
            }
        }
    }

    private mutating func clearTable() {
        table.withMutableSpan { table in
            for slot in 0..<table.count { table[slot] = 0 }
        }
    }
}

// MARK: - Looking ahead

extension ClearSearch {
    /// Whenever the table is full, compares it with an empty one, until that is full too.
    ///
    /// - Parameter stride: how far to go on with a table that is kept, as a share of what was looked at.
    private mutating func lookAhead(
        _ indices: RawSpan, _ minimumCodeSize: Int, stride: Double, _ work: inout WorkGuard
    ) throws(ImageError) -> (clears: LZWClears, codeCount: Int) {
        var clears = LZWClears(bitCount: minimumCodeSize + 1)
        var codeCount = 0
        var state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
        let end = indices.byteCount
        clearTable()
        try run(&state, indices, upTo: end, stopsWhenFull: true, &work)
        while state.position < end {
            var fresh = LZWEncodingState(minimumCodeSize: minimumCodeSize)
            fresh.position = state.position
            swap(&table, &otherTable)
            clearTable()
            try run(&fresh, indices, upTo: end, stopsWhenFull: true, &work)
            swap(&table, &otherTable)
            var kept = state
            try run(&kept, indices, upTo: fresh.position, &work)
            let clearing = state.closingBitCount + fresh.writtenBitCount
            if clearing <= kept.writtenBitCount - state.writtenBitCount {
                clears.places.append(state.position)
                clears.bitCount += state.writtenBitCount + state.closingBitCount
                codeCount += state.codeCount
                state = fresh
                swap(&table, &otherTable)
            } else if stride == 1 || fresh.position == end {
                state = kept
            } else {
                let step = Int(stride * Double(fresh.position - state.position))
                try run(&state, indices, upTo: state.position + max(1, step), &work)
            }
        }
        clears.bitCount += state.writtenBitCount + state.closingBitCount
        return (clears, codeCount + state.codeCount)
    }
}

// MARK: - Planning

extension ClearSearch {
    /// The cheapest way to cut the indices at lines of a grid.
    ///
    ///     field      0        1        2        3
    ///             |--------|--------|--------|----|
    ///     line    0        1        2        3    4
    ///
    /// From each line a table is begun, and followed over as many fields as one may serve: the bits up to each line on its way, and
    /// the least that the indices before cost, are what they cost up to there.
    private mutating func plan(
        _ indices: RawSpan, _ minimumCodeSize: Int, fieldCount: Int, longestRun: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        let width = (indices.byteCount + fieldCount - 1) / fieldCount
        let lineCount = (indices.byteCount + width - 1) / width + 1
        // For each line, the least bits before it, and the line where the table was begun that it is reached with.
        var leastBits = try NumberBuffer<Int>(count: lineCount, meter: meter)
        var begins = try NumberBuffer<Int>(count: lineCount, meter: meter)
        leastBits.withMutableSpan { bits in
            for line in 0..<lineCount { bits[line] = line == 0 ? minimumCodeSize + 1 : .max }
        }
        for first in 0..<lineCount - 1 {
            let before = leastBits.withSpan { $0[first] }
            var state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
            state.position = first * width
            clearTable()
            for line in first + 1...min(lineCount - 1, first + longestRun) {
                try run(&state, indices, upTo: min(indices.byteCount, line * width), &work)
                let bits = before + state.writtenBitCount + state.closingBitCount
                guard bits < leastBits.withSpan({ $0[line] }) else { continue }
                leastBits.withMutableSpan { $0[line] = bits }
                begins.withMutableSpan { $0[line] = first }
            }
        }
        var clears = LZWClears(bitCount: leastBits.withSpan { $0[lineCount - 1] })
        var line = begins.withSpan { $0[lineCount - 1] }
        while line > 0 {
            clears.places.append(line * width)
            line = begins.withSpan { $0[line] }
        }
        clears.places.reverse()
        return clears
    }
}
