// From rows of pixels to a VP8 key frame.
//
//   1. planes      rows -> Y, U, V in whole macroblocks                EncoderPlanes, FittedRows
//   2. segments    which macroblocks may be coarser                    ActivitySegments, SegmentPlan
//   3. choose      modes and levels, macroblock by macroblock          MacroblockCoder
//   4. count       the bools that levels are; probabilities that pay   TokenStatistics
//   5. write       header and modes, then levels in partitions         FrameWriter
//
// Levels and modes are kept between 3 and 5.

package import ImageCodecsCore

/// Writes one picture as a VP8 key frame, the payload of a `VP8 ` chunk. Alpha is not in it.
///
/// - Source: RFC 6386 (2011)
package struct VP8Encoder: Sendable {
    /// How a picture is written.
    package struct Settings: Hashable, Sendable {
        /// 0...100, as libwebp counts.
        package var quality: Double
        package var effort: EncodingOptions.Effort
        package var tuning = Tuning.usual
        /// How many partitions tokens are in: 1, 2, 4 or 8.
        package var partitionCount = 1
        /// Whether chroma is fitted to how decoders enlarge it, and luma makes up for what it loses, if there is time. Not for frames of
        /// animations: they are compared with what is shown, as it is.
        package var fitsColors = true

        var isFitted: Bool { fitsColors && effort != .fast }

        package init(quality: Double, effort: EncodingOptions.Effort) {
            self.quality = quality
            self.effort = effort
        }
    }

    /// The longest side of a picture.
    package static let largestSide = 16383

    private let settings: Settings
    private let meter: MemoryMeter?
    private let size: PixelSize
    /// `nil` until there is a row.
    private var planes: EncoderPlanes?
    /// Counts the bitstream.
    private var reservation: MemoryReservation?
    /// The squared error of all samples of all macroblocks, before the loop filter, as the encoder knows it.
    package private(set) var squaredError = 0
    /// Whether each macroblock was left out, row by row; empty if none might be.
    package private(set) var leftOut: [Bool] = []

    /// Allocates nothing.
    ///
    /// - Precondition: sides are 1...``largestSide``.
    package init(_ size: PixelSize, _ settings: Settings, meter: MemoryMeter?) {
        precondition(!size.isEmpty && max(size.width, size.height) <= Self.largestSide, "no VP8 picture")
        self.size = size
        self.settings = settings
        self.meter = meter
    }

    /// Bytes that encoding holds at most, the bitstream included. Saturates.
    package static func byteCount(_ size: PixelSize, _ settings: Settings) -> Int {
        let (quality, isFitted) = (settings.quality, settings.isFitted)
        let count = ((size.width + 15) / 16).multipliedSaturated(by: (size.height + 15) / 16)
        let kept = count.multipliedSaturated(by: CodedKeyFrame.byteCountOfMacroblock)
        // Rows are fitted before anything is kept, and the bitstream is made when the planes are gone. Of noise it takes more than they,
        // with the finest steps.
        let most = (quality > 90 ? 640 : 384).multipliedSaturated(by: count).addingSaturated(2048)
        let coding = kept.addingSaturated(max(EncoderPlanes.byteCount(size, isFitted: false), most))
        return max(coding, EncoderPlanes.byteCount(size, isFitted: isFitted))
    }

    /// Takes the next row.
    ///
    /// - Parameter row: red, green, blue and alpha, which is ignored.
    package mutating func add(_ row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        try work.spend(size.width)
        if planes == nil { planes = try EncoderPlanes(size, isFitted: settings.isFitted, meter: meter) }
        planes?.add(row)
    }

    /// Makes the bitstream, after the last row.
    ///
    /// - Parameters:
    ///   - alpha: one byte a pixel, if some are transparent: what those would show may change.
    ///   - shownErrors: of each macroblock of a frame that is laid over another picture, row by row, the squared error of what that
    ///     shows, 0 if it is small enough to stay; ``MacroblockErrors/unbearable`` if it may not stay. ``leftOut`` says what did.
    /// - Throws: `limitExceeded`, `cancelled`.
    package mutating func finish(
        alpha: RawSpan? = nil, shownErrors: [UInt32] = [], _ work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        guard var planes = planes.take() else { return [] }
        if let alpha { try planes.smoothInvisible(alpha, work: &work) }
        var frame = try CodedKeyFrame(planes, settings, shownErrors, meter: meter, work: &work)
        let probabilities = try frame.code(planes, work: &work)
        squaredError = frame.squaredError
        leftOut = shownErrors.isEmpty ? [] : frame.records.map(\.isLeftOut)
        // Its memory is given back before the bitstream is made.
        _ = consume planes
        let coded = try FrameWriter(frame, probabilities).bitstream(size, meter: meter, work: &work)
        reservation = coded.reservation
        return coded.bytes
    }
}

/// A picture whose modes and levels are chosen.
struct CodedKeyFrame: Sendable {
    let settings: VP8Encoder.Settings
    let columnCount: Int
    let rowCount: Int
    let index: Int
    private(set) var segments: ActivitySegments
    private(set) var plans: [SegmentPlan]
    private(set) var records: [MacroblockRecord] = []
    /// Levels of blocks that have some, one after the other.
    private(set) var levels: ScratchBuffer
    private var levelCount = 0
    private(set) var squaredError = 0
    /// Bytes that tokens take, as far as is known before they are written.
    private(set) var tokenByteCount = 0
    /// Of each macroblock, the error that it may keep; or none.
    private let shownErrors: [UInt32]
    /// Counts records and segments.
    private let reservation: MemoryReservation

    /// Bytes of levels.
    private static let levelsByteCount = 25 * 32
    private static let recordByteCount = MemoryLayout<MacroblockRecord>.stride + 1
    /// Bytes that are held of a macroblock.
    static let byteCountOfMacroblock = levelsByteCount + recordByteCount

    init(
        _ planes: EncoderPlanes, _ settings: VP8Encoder.Settings, _ shownErrors: [UInt32] = [], meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) {
        precondition(
            shownErrors.isEmpty || shownErrors.count == planes.columnCount * planes.rowCount, "other macroblocks")
        self.settings = settings
        self.shownErrors = shownErrors
        (columnCount, rowCount) = (planes.columnCount, planes.rowCount)
        let count = columnCount * rowCount
        let tuning = settings.tuning
        levels = try ScratchBuffer(zeroedByteCount: Self.levelsByteCount * count, meter: meter)
        reservation = try MemoryReservation(byteCount: Self.recordByteCount * count, meter: meter)
        let base = QualityIndex.index(settings.quality)
        index = Int(base.rounded())
        let mayDivide = settings.effort != .fast && count > 16 && count < 1 << 18 && tuning.masking > 0
        let segments = try ActivitySegments(planes, areDivided: mayDivide, work: &work)
        plans = segments.offsets.map { offset in
            SegmentPlan(
                index: Self.index(base, octaves: Double(offset * tuning.masking) / 65536), activity: segments.mean,
                tuning)
        }
        self.segments = segments
        records.reserveCapacity(count)
    }

    /// The index whose step is this many octaves from that of another.
    private static func index(_ index: Double, octaves: Double) -> Int {
        let base = min(max(index, 0), 127)
        let whole = Int(base)
        let (low, high) = (QuantizerTables.ac[whole], QuantizerTables.ac[min(whole + 1, 127)])
        let step = Double(low) + (base - Double(whole)) * Double(high - low)
        let wanted = step * ReproduciblePowers.exp2(octaves)
        var best = 0
        for candidate in QuantizerTables.ac.indices
        where abs(Double(QuantizerTables.ac[candidate]) - wanted) < abs(Double(QuantizerTables.ac[best]) - wanted) {
            best = candidate
        }
        return best
    }

    private var depth: SearchDepth {
        switch settings.effort {
        case .fast: SearchDepth(wholeModes: 1, subblockModes: 1, searchesLevels: false)
        case .best: SearchDepth(wholeModes: 4, subblockModes: 6, searchesLevels: true, searchesLevelsOnTrial: true)
        default: SearchDepth(wholeModes: 3, subblockModes: 4, searchesLevels: true)
        }
    }

    /// Chooses modes and levels.
    ///
    /// - Returns: the probabilities of tokens.
    mutating func code(_ planes: EncoderPlanes, work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        var coder = MacroblockCoder(
            columnCount: columnCount, plans: plans, depth: depth, tuning: settings.tuning,
            costs: TokenCosts(CoefficientProbabilityTables.defaults), repairsLuma: settings.isFitted)
        var statistics = TokenStatistics()
        var contexts = [BlockContexts](repeating: BlockContexts(), count: columnCount)
        var budget = ModeBudget(count: columnCount * rowCount)
        // What levels cost is known better and better.
        let renewal = max(4, rowCount / 8)
        for row in 0..<rowCount {
            if row > 0, row % renewal == 0 { coder.costs = TokenCosts(statistics.probabilities()) }
            coder.beginRow(row)
            var left = BlockContexts()
            for column in 0..<columnCount {
                try work.spend(1024)
                let segment = Int(segments.segments[row * columnCount + column])
                let mayDivide = budget.mayDivide
                let shownError = shownError(row * columnCount + column)
                let record = planes.bytes.withBytes { bytes in
                    coder.code(
                        column: column, planes: planes, bytes, row: row, segment: segment, mayDivide: mayDivide,
                        shownError: shownError)
                }
                budget.spend(record)
                squaredError += coder.squaredError(record)
                keep(record, coder, &statistics, &contexts[column], &left)
            }
        }
        let probabilities = statistics.probabilities()
        tokenByteCount = statistics.byteCount(probabilities)
        return probabilities
    }

    /// The error that a macroblock may keep; `nil` if it may not.
    private func shownError(_ index: Int) -> Int? {
        guard !shownErrors.isEmpty, shownErrors[index] != MacroblockErrors.unbearable else { return nil }
        return Int(shownErrors[index])
    }

    private mutating func keep(
        _ record: MacroblockRecord, _ coder: MacroblockCoder, _ statistics: inout TokenStatistics,
        _ above: inout BlockContexts, _ left: inout BlockContexts
    ) {
        records.append(record)
        guard record.coded != 0 else {
            above.skip(hasY2: !record.hasSubblockModes)
            left.skip(hasY2: !record.hasSubblockModes)
            return
        }
        var count = levelCount
        levels.withMutableBytes { memory in
            record.forEachBlock(above: &above, left: &left) { block, type, first, context in
                guard record.coded >> UInt32(block) & 1 == 1 else {
                    return TokenTree.code(
                        BlockValues(), first: first, last: -1, context: context, type: type, into: &statistics)
                }
                let levels = coder.levels(of: block, record)
                SampleGatheringKernels.store(levels, at: count, in: &memory)
                count += 1
                TokenTree.code(
                    levels, first: first, last: SubblockKernels.last(levels), context: context, type: type,
                    into: &statistics)
            }
        }
        levelCount = count
    }
}

extension MacroblockCoder {
    /// The squared error of the macroblock that was coded last.
    func squaredError(_ record: MacroblockRecord) -> Int {
        (record.hasSubblockModes ? split.error : bestWhole.error) + bestChroma.error
    }

    /// The levels of a block of the macroblock that was coded last.
    @inline(__always)
    func levels(of block: Int, _ record: MacroblockRecord) -> BlockValues {
        if block >= 16, block < 24 { return bestChroma.levels[block - 16] }
        return record.hasSubblockModes ? split.levels[block] : bestWhole.levels[block == 24 ? 16 : block]
    }
}

/// Keeps modes from filling the first partition, whose length has 19 bits.
struct ModeBudget: Sendable {
    /// 256ths of a bit for each macroblock, and those left so far.
    private let share: Int
    private var left = 0

    private static let all = 520_000 * 8 * 256

    init(count: Int) { share = Self.all / count }

    /// Whether the subblocks of the next macroblock may have modes of their own, which cost ten bits each at most.
    var mayDivide: Bool { left + share >= 16 * 10 * 256 || share >= 16 * 10 * 256 }

    mutating func spend(_ record: MacroblockRecord) {
        // Segment, skipping and chroma take four or five bits.
        let luma = record.hasSubblockModes ? 16 * 4 * 256 : 3 * 256
        left = min(left + share - luma - 5 * 256, Self.all)
    }
}
