// A frame put together: header and modes in the first partition, levels in those that follow.

import ImageCodecsCore

/// Writes a frame.
struct FrameWriter: Sendable {
    private let frame: CodedKeyFrame
    private let probabilities: [UInt8]
    private let skipProbability: UInt8?
    private let treeProbabilities: [UInt8]
    private let partitionCount: Int

    init(_ frame: CodedKeyFrame, _ probabilities: [UInt8]) {
        self.frame = frame
        self.probabilities = probabilities
        let skipped = frame.records.reduce(0) { $0 + ($1.coded == 0 ? 1 : 0) }
        skipProbability =
            skipped == 0 ? nil : BitCosts.probability(setCount: skipped, of: frame.records.count)
        var counts = [Int](repeating: 0, count: 4)
        for record in frame.records { counts[Int(record.segment)] += 1 }
        treeProbabilities = [
            BitCosts.probability(setCount: counts[2] + counts[3], of: frame.records.count),
            BitCosts.probability(setCount: counts[1], of: counts[0] + counts[1]),
            BitCosts.probability(setCount: counts[3], of: counts[2] + counts[3]),
        ]
        partitionCount = frame.settings.partitionCount
    }

    /// The frame, and what counts it.
    ///
    /// - Source: RFC 6386 section 9.1 "Uncompressed Data Chunk", section 9.5 "Token Partition and Partition Data Offsets"
    /// - Throws: `unsupported` if the modes take more bytes than a frame can say.
    func bitstream(
        _ size: PixelSize, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> (bytes: [UInt8], reservation: MemoryReservation) {
        let first = try firstPartition(work: &work)
        guard first.count < 1 << 19 else {
            throw .unsupported(.webP, feature: "a lossy picture whose modes take \(first.count) bytes")
        }
        // What the coder loses by rounding intervals is less than a thirtieth.
        let tokenByteCount = frame.tokenByteCount + frame.tokenByteCount / 30 + 64
        let table = TokenPartitions.tableByteCount(partitionCount: partitionCount)
        let byteCount = VP8Header.byteCount + first.count + table + tokenByteCount
        let reservation = try MemoryReservation(byteCount: byteCount, meter: meter)
        let tag = first.count << 5 | 1 << 4
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes += [UInt8(tag & 255), UInt8(tag >> 8 & 255), UInt8(tag >> 16), 0x9D, 0x01, 0x2A]
        for side in [size.width, size.height] { bytes += [UInt8(side & 255), UInt8(side >> 8)] }
        bytes += first
        var place = bytes.count
        bytes += [UInt8](repeating: 0, count: table)
        for partition in 0..<partitionCount {
            let start = bytes.count
            // Handed over, so that what is reserved is not copied.
            bytes = try appendingTokens(of: partition, to: consume bytes, work: &work)
            guard partition < partitionCount - 1 else { break }
            let length = bytes.count - start
            guard length < 1 << 24 else {
                throw .unsupported(.webP, feature: "a token partition of \(length) bytes")
            }
            for shift in [0, 8, 16] {
                bytes[place] = UInt8(length >> shift & 255)
                place += 1
            }
        }
        let coded = bytes
        if coded.count > byteCount { try reservation.grow(by: coded.count - byteCount) }
        return (coded, reservation)
    }

    /// Appends the tokens of every row of macroblocks whose turn it is.
    private func appendingTokens(
        of partition: Int, to bytes: consuming [UInt8], work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        var writer = TokenWriter(probabilities, after: consume bytes)
        var contexts = [BlockContexts](repeating: BlockContexts(), count: frame.columnCount)
        var next = 0
        for row in 0..<frame.rowCount {
            var left = BlockContexts()
            let isWritten = row & (partitionCount - 1) == partition
            for column in 0..<frame.columnCount {
                try work.spend(256)
                let record = frame.records[row * frame.columnCount + column]
                guard record.coded != 0 else {
                    contexts[column].skip(hasY2: !record.hasSubblockModes)
                    left.skip(hasY2: !record.hasSubblockModes)
                    continue
                }
                guard isWritten else {
                    record.forEachBlock(above: &contexts[column], left: &left) { _, _, _, _ in }
                    next += record.coded.nonzeroBitCount
                    continue
                }
                frame.levels.withBytes { memory in
                    record.forEachBlock(above: &contexts[column], left: &left) { block, type, first, context in
                        var (levels, last) = (BlockValues(), -1)
                        if record.coded >> UInt32(block) & 1 == 1 {
                            levels = SampleGatheringKernels.load(at: next, from: memory)
                            last = SubblockKernels.last(levels)
                            next += 1
                        }
                        TokenTree.code(
                            levels, first: first, last: last, context: context, type: type, into: &writer)
                    }
                }
            }
        }
        return writer.encoder.finish()
    }

    /// - Source: RFC 6386 section 9.2 to section 9.11, section 19.2 "Frame Header"
    private func firstPartition(work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        var encoder = BooleanEncoder()
        // The colour space, and that samples need to be clamped.
        encoder.append(literal: 0, 2)
        appendSegments(to: &encoder)
        appendFilter(to: &encoder)
        encoder.append(literal: partitionCount.trailingZeroBitCount, 2)
        let tuning = frame.settings.tuning
        encoder.append(literal: frame.plans[0].index, 7)
        for delta in [tuning.lumaDCDelta, 0, 0, tuning.chromaDCDelta, 0] { encoder.append(optionalSigned: delta, 4) }
        // Probabilities would stay for no further frame.
        encoder.append(flag: false)
        for (index, probability) in probabilities.enumerated() {
            let isNew = probability != CoefficientProbabilityTables.defaults[index]
            encoder.append(isNew, CoefficientProbabilityTables.updates[index])
            if isNew { encoder.append(literal: Int(probability), 8) }
        }
        encoder.append(flag: skipProbability != nil)
        if let skipProbability { encoder.append(literal: Int(skipProbability), 8) }
        var above = [SIMD4<UInt8>](repeating: SIMD4(repeating: SubblockMode.dc), count: frame.columnCount)
        for row in 0..<frame.rowCount {
            var left = SIMD4<UInt8>(repeating: SubblockMode.dc)
            try work.spend(64 * frame.columnCount)
            for column in 0..<frame.columnCount {
                append(frame.records[row * frame.columnCount + column], &above[column], &left, to: &encoder)
            }
        }
        return encoder.finish()
    }

    private var hasSegments: Bool { frame.plans.count > 1 }

    /// - Source: RFC 6386 section 9.3 "Segment-Based Adjustments"
    private func appendSegments(to encoder: inout BooleanEncoder) {
        encoder.append(flag: hasSegments)
        guard hasSegments else { return }
        // A map, and values, which are absolute.
        encoder.append(literal: 0b111, 3)
        for plan in frame.plans { encoder.append(optionalSigned: plan.index, 7) }
        for plan in frame.plans { encoder.append(optionalSigned: plan.filterLevel, 6) }
        for probability in treeProbabilities {
            encoder.append(flag: probability != 255)
            if probability != 255 { encoder.append(literal: Int(probability), 8) }
        }
    }

    /// - Source: RFC 6386 section 9.4 "Loop Filter Type and Levels"
    private func appendFilter(to encoder: inout BooleanEncoder) {
        // The normal one.
        encoder.append(flag: false)
        // Zero would switch it off in all segments.
        let level = frame.plans.reduce(0) { max($0, $1.filterLevel) }
        encoder.append(literal: level, 6)
        encoder.append(literal: frame.settings.tuning.sharpness, 3)
        let delta = level > 0 ? frame.settings.tuning.subblockFilterDelta : 0
        encoder.append(flag: delta != 0)
        guard delta != 0 else { return }
        encoder.append(flag: true)
        encoder.append(literal: 0, 4)
        encoder.append(optionalSigned: delta, 6)
        encoder.append(literal: 0, 3)
    }

    /// - Source: RFC 6386 section 19.3 "Macroblock Header"
    private func append(
        _ record: MacroblockRecord, _ above: inout SIMD4<UInt8>, _ left: inout SIMD4<UInt8>,
        to encoder: inout BooleanEncoder
    ) {
        if hasSegments {
            encoder.append(record.segment > 1, treeProbabilities[0])
            encoder.append(record.segment % 2 == 1, treeProbabilities[record.segment > 1 ? 2 : 1])
        }
        if let skipProbability { encoder.append(record.coded == 0, skipProbability) }
        encoder.append(!record.hasSubblockModes, 145)
        if record.hasSubblockModes {
            for index in 0..<16 {
                let (x, y) = (index & 3, index >> 2)
                let mode = record.modes[index]
                ModeTree.append(Int(mode), context: 10 * Int(above[x]) + Int(left[y])) { encoder.append($0, $1) }
                above[x] = mode
                left[y] = mode
            }
        } else {
            let mode = record.modes[0]
            encoder.append(mode > 1, 156)
            if mode > 1 { encoder.append(mode == 3, 128) } else { encoder.append(mode == 1, 163) }
            above = SIMD4(repeating: ModeCosts.implied[Int(mode)])
            left = above
        }
        let mode = record.chromaMode
        encoder.append(mode > 0, 142)
        guard mode > 0 else { return }
        encoder.append(mode > 1, 114)
        if mode > 1 { encoder.append(mode > 2, 183) }
    }
}
