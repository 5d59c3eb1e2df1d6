// Joined sub-blocks in, rows of palette indices out; the window of earlier output moves on with them.
//
//   before   [ literals | passed rows | strings with codes ........ | row that is not whole ]   full
//   after    [ literals | strings with codes ........ | row that is not whole |        room  ]

package import ImageCodecsCore

/// Decodes the LZW data of one frame.
///
/// Memory: table and window, some 160 KB; more only if strings get long, for those that have codes have to stay in the
/// window: 16 MiB at most. A value: a copy is a checkpoint.
///
/// Source: GIF89a Appendix F "Variable-Length-Code LZW Compression", section 22 "Table Based Image Data".
package struct LZWDecoder: Sendable {
    /// How the data ended.
    package enum Ending: Hashable, Sendable {
        /// The end code came.
        case ended
        /// A code came that has no string.
        case invalidCode
    }

    /// Why no more is decoded; `nil` while more may come.
    package private(set) var ending: Ending?
    /// Bytes of the last input that the codes so far take, where the data have ended.
    package private(set) var usedByteCount = 0
    private var state: LZWState
    private var table: NumberBuffer<UInt64>
    private var window: ScratchBuffer
    /// Where the first index lies that was not handed out.
    private var rowStart = LZWKernel.literalCount
    private var largestWindow: Int
    private let meter: MemoryMeter?

    /// Windows have a multiple of this many bytes: there are few sizes, and the one of a frame is enough for most others.
    private static let windowStep = 1 << 14
    /// A window is no larger at first than this, and two rows.
    private static let usualWindowByteCount = 1 << 16
    /// Strings with codes are no longer than this in sum, 1 + 2 + ... + 4096; with a row and some room.
    private static let mostWindowByteCount = 1 << 24
    /// Indices that there is room for, at least, when a window has moved.
    private static let leastRoom = 1 << 14

    /// - Parameters:
    ///   - minimumCodeSize: 1...8.
    ///   - size: of the frame, whose sides have at most 16 bits.
    package init(minimumCodeSize: Int, size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        state = LZWState(minimumCodeSize: minimumCodeSize)
        self.meter = meter
        largestWindow = Self.largestWindow(size)
        table = try NumberBuffer(uninitializedCount: LZWKernel.entryCount, meter: meter)
        window = try ScratchBuffer(byteCount: Self.firstWindow(size), meter: meter)
        Self.prepare(state, &table, &window)
    }

    /// Begins another frame, in the memory of this one if that is large enough.
    ///
    /// Frames are many and small: new buffers for each, with what is kept of each between them, leave holes in the heap
    /// that nothing fits into.
    package mutating func restart(minimumCodeSize: Int, size: PixelSize) throws(ImageError) {
        state = LZWState(minimumCodeSize: minimumCodeSize)
        (ending, usedByteCount, rowStart) = (nil, 0, LZWKernel.literalCount)
        largestWindow = Self.largestWindow(size)
        // Their contents are not needed: a window that is shared with a copy of this value is replaced, not copied.
        try table.makeUnique()
        if !window.isUnique() || window.byteCount < Self.firstWindow(size) {
            // The old one goes first: two at a time are not in the estimate.
            _ = window.handedOver()
            window = try ScratchBuffer(byteCount: Self.firstWindow(size), meter: meter)
        }
        Self.prepare(state, &table, &window)
    }

    private static func prepare(_ state: LZWState, _ table: inout NumberBuffer<UInt64>, _ window: inout ScratchBuffer) {
        table.withMutableSpan { table in
            window.withMutableBytes { LZWKernel.prepare(state, table: &table, window: &$0) }
        }
    }

    /// Runs the kernel; the parts are passed apart from each other, so that none is copied while another changes.
    private static func run(
        _ state: inout LZWState, _ table: inout NumberBuffer<UInt64>, _ window: inout ScratchBuffer, _ input: RawSpan,
        _ position: inout Int
    ) -> LZWPause {
        table.withMutableSpan { table in
            window.withMutableBytes { window in
                LZWKernel.decode(&state, table: &table, window: &window, input: input, inputPosition: &position)
            }
        }
    }

    /// All indices of a frame, and the string that goes beyond the last; no more is ever needed.
    private static func largestWindow(_ size: PixelSize) -> Int {
        // At most 65535 * 65535 indices.
        let byteCount =
            min(size.width * size.height, mostWindowByteCount) + LZWKernel.literalCount + 2 * LZWKernel.margin
        return steps(byteCount)
    }

    private static func steps(_ byteCount: Int) -> Int { (byteCount + windowStep - 1) / windowStep * windowStep }

    private static func firstWindow(_ size: PixelSize) -> Int {
        min(largestWindow(size), steps(usualWindowByteCount + 2 * size.width + 2 * LZWKernel.margin))
    }

    /// The most memory that decoding a frame takes: while a window grows, there are two.
    package static func byteCount(_ size: PixelSize) -> Int {
        let tableByteCount = LZWKernel.entryCount * MemoryLayout<UInt64>.stride
        let (first, largest) = (firstWindow(size), largestWindow(size))
        return tableByteCount + (first == largest ? first : 2 * largest)
    }

    /// Rows are handed out in runs of about as many bytes: between two of them the clock is asked.
    private static let mostRowBytes = 1 << 16

    /// Makes the buffers this value's own, so that decoding does not copy them.
    package mutating func makeUnique() throws(ImageError) {
        try table.makeUnique()
        try window.makeUnique()
    }

    /// Decodes, and hands out rows as they are complete.
    ///
    /// - Parameters:
    ///   - input: joined bytes of sub-blocks; all are used unless the data end.
    ///   - width: indices of a row.
    ///   - take: gets rows, one or more of them one after another; answers whether it wants more.
    package mutating func decode(
        _ input: RawSpan, width: Int, work: inout WorkGuard, take: (RawSpan) throws(ImageError) -> Bool
    ) throws(ImageError) {
        var position = 0
        while ending == nil {
            let (before, usedBefore) = (state.position, position)
            let pause = Self.run(&state, &table, &window, input, &position)
            try work.spend(state.position - before + position - usedBefore + 1)
            let rowsEnd = rowStart + (state.position - rowStart) / width * width
            while rowsEnd > rowStart {
                let end = min(rowsEnd, rowStart + max(1, Self.mostRowBytes / width) * width)
                let wantsMore = try window.withBytes(rowStart..<end) { (rows) throws(ImageError) in try take(rows) }
                rowStart = end
                guard wantsMore else { return }
                if rowsEnd > rowStart { try work.check() }
            }
            switch pause {
            case .inputUsed: return
            case .ended: ending = .ended
            case .invalidCode: ending = .invalidCode
            case .windowFull: try moveWindow()
            }
            usedByteCount = max(0, position - state.bitCount / 8)
        }
    }

    /// The indices of the row that is not whole, at the end of the data.
    package func withRest<R>(_ body: (RawSpan) -> R) -> R { window.withBytes(rowStart..<state.position, body) }

    /// Makes room after the output: what is not needed any more goes, and where that is little, the window grows.
    private mutating func moveWindow() throws(ImageError) {
        // After a full table, only the strings that have codes stay, however far back they are.
        let isApart = state.isFull && rowStart >= state.strings.upperBound
        let first = state.strings.isEmpty ? rowStart : min(state.strings.lowerBound, rowStart)
        let keptStrings = isApart ? state.strings : first..<state.position
        let rest = isApart ? rowStart..<state.position : state.position..<state.position
        let needed = LZWKernel.literalCount + keptStrings.count + rest.count + Self.leastRoom + LZWKernel.margin
        if needed > window.byteCount { try growWindow(to: needed) }
        let target = LZWKernel.literalCount
        window.withMutableBytes { bytes in
            if keptStrings.lowerBound > target {
                bytes.move(from: keptStrings.lowerBound, to: target, count: keptStrings.count)
            }
            bytes.move(from: rest.lowerBound, to: target + keptStrings.count, count: rest.count)
        }
        let distance = keptStrings.lowerBound - target
        moveStrings(by: distance)
        rowStart = isApart ? target + keptStrings.count : rowStart - distance
        state.position = target + keptStrings.count + rest.count
    }

    private mutating func growWindow(to needed: Int) throws(ImageError) {
        // `needed` never exceeds the largest but for room that is not used then: no more indices come.
        let byteCount = max(window.byteCount, min(Self.steps(max(needed, 2 * window.byteCount)), largestWindow))
        guard byteCount > window.byteCount else { return }
        var larger = try ScratchBuffer(byteCount: byteCount, meter: meter)
        window.withBytes(0..<state.position) { old in larger.withMutableBytes { $0.copy(old) } }
        window = larger
    }

    /// Puts right where strings lie.
    private mutating func moveStrings(by distance: Int) {
        guard distance > 0, !state.strings.isEmpty else { return }
        state.strings = state.strings.lowerBound - distance..<state.strings.upperBound - distance
        let codes = state.clearCode + 2..<min(state.nextCode + 1, LZWKernel.tableCount)
        table.withMutableSpan { table in
            // The place is in the low half, and at least as large as the distance.
            for code in codes { table[code] &-= UInt64(distance) }
        }
    }
}
