// Token decoding, the hottest loop of the decoder.
//
// In: a token partition, the frame's probabilities and the modes of a row of macroblocks. Out: dequantised coefficients of
// the subblocks that have any, one after the other, and for each subblock how many there are.

/// What token decoding carries from macroblock to macroblock: a plain value, so that a copy is a checkpoint.
package struct TokenState: Hashable, Sendable {
    /// Of the partition the row's tokens are in.
    package var reader: BooleanState
    /// Which subblocks at the right edge of the macroblock to the left had coefficients; see `TokenKernel`.
    package var left: UInt16 = 0
    /// The macroblock that comes next.
    package var column = 0
    /// Coefficients stored for the row so far.
    package var coefficientCount = 0

    package init(reader: BooleanState) { self.reader = reader }
}

/// Why token decoding stopped.
package enum TokenPause: Hashable, Sendable {
    /// The row is complete.
    case rowComplete
    /// The macroblocks before the one that was asked for are decoded, and there are more.
    case reachedStop
    /// The macroblock at the state's column needs more bytes, or may need them.
    case dry
}

/// What a row of coefficients takes.
package protocol TokenBuffers {}

extension TokenBuffers {
    package typealias Pause = TokenPause

    /// Coefficients that a macroblock stores at most: 24 subblocks of 16.
    package static var largestCount: Int { 24 * 16 }
    /// Coefficients after those of a row that the kernel works with: Y2 and its transform.
    package static var scratchCount: Int { 32 }
}

#if !ReferenceKernels
/// Decodes the tokens of macroblocks.
///
/// Contexts from one macroblock to the next are nine bits: 0...3 luma, 4...5 U, 6...7 V, 8 Y2.
///
/// - Source: RFC 6386 section 13 "DCT Coefficient Decoding"
package enum TokenKernel: TokenBuffers {
    /// Decodes macroblocks of a row from the state's column on, up to a column or to the first that needs bytes which are not
    /// there.
    ///
    /// - Parameters:
    ///   - state: where decoding stands; after a macroblock that is decoded whole. Its reader counts from the start of
    ///     `input`.
    ///   - isExact: whether bytes are asked for only when a bool needs them, which is slow. Otherwise the last macroblocks
    ///     of a partition, whose bools may need all of its bytes, are not decoded.
    ///   - stop: the column before which decoding ends; beyond the row's last, with the row.
    ///   - infos: the row's macroblocks; their residue codes are set.
    ///   - top: contexts from the row above, in each column.
    ///   - probabilities: as ``TokenProbabilities`` lays them out.
    ///   - steps: six dequantization factors for each of four segments, as ``DequantizationFactors`` lays them out.
    ///   - input: bytes up to the end of the partition, or as far as they are there.
    ///   - coefficients: room for ``largestCount`` for each macroblock and ``scratchCount`` after them.
    /// - Precondition: the counts of all of these go together.
    package static func decodeRow(
        _ state: inout TokenState, isExact: Bool, to stop: Int, infos: inout MutableSpan<MacroblockInfo>,
        top: inout MutableSpan<UInt16>, probabilities: [UInt16], steps: [Int32], input: RawSpan,
        coefficients: inout MutableSpan<Int16>
    ) -> Pause {
        let count = infos.count
        precondition(top.count == count && coefficients.count == count * largestCount + scratchCount)
        precondition(probabilities.count == TokenProbabilities.count && steps.count == DequantizationFactors.count)
        precondition(state.column >= 0 && state.coefficientCount >= 0 && state.reader.next >= 0)
        precondition(state.coefficientCount <= state.column * largestCount && state.reader.next <= input.byteCount)
        precondition((0...63).contains(state.reader.count) && (128...255).contains(state.reader.range))
        return unsafe infos.withUnsafeMutableBufferPointer { infos in
            unsafe top.withUnsafeMutableBufferPointer { top in
                unsafe probabilities.withUnsafeBufferPointer { probabilities in
                    unsafe steps.withUnsafeBufferPointer { steps in
                        unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
                            guard let infos = infos.baseAddress, let top = top.baseAddress,
                                let table = probabilities.baseAddress, let steps = steps.baseAddress,
                                let coefficients = coefficients.baseAddress
                            else { return .rowComplete }
                            let row = unsafe Row(
                                count: count, stop: min(stop, count), infos: infos, top: top, table: table,
                                steps: steps, coefficients: coefficients)
                            return isExact || state.reader.isOverfull
                                ? decodeExactly(&state, row, input) : decode(&state, row, input)
                        }
                    }
                }
            }
        }
    }

    // SAFETY: for everything below, `decodeRow` has checked that the buffers go together: columns are below `stop`, which is
    // at most `count`, each has a context and a macroblock, and coefficients are stored below `column * largestCount + largestCount`.

    @safe
    struct Row {
        let count: Int
        let stop: Int
        let infos: UnsafeMutablePointer<MacroblockInfo>
        let top: UnsafeMutablePointer<UInt16>
        let table: UnsafePointer<UInt16>
        let steps: UnsafePointer<Int32>
        let coefficients: UnsafeMutablePointer<Int16>
    }

    private static func decode(_ state: inout TokenState, _ row: Row, _ input: RawSpan) -> Pause {
        unsafe input.withUnsafeBytes { input in
            unsafe BooleanRanges.table.withUnsafeBufferPointer { ranges in
                guard let ranges = ranges.baseAddress else { return .dry }
                // An empty buffer may have no address, and none of its bytes are read.
                let base = unsafe input.baseAddress ?? UnsafeRawPointer(ranges)
                let reader = unsafe FastBooleanReader(state.reader, base, limit: input.count, ranges: ranges)
                return decode(&state, row, reader)
            }
        }
    }

    @inline(never)
    private static func decode(_ state: inout TokenState, _ row: Row, _ start: FastBooleanReader) -> Pause {
        var reader = start
        var (left, column) = (UInt32(state.left), state.column)
        var stored = state.coefficientCount
        while column < row.stop {
            let before = reader
            let (above, count) = unsafe (UInt32(row.top[column]), stored)
            let leftBefore = left
            var aboveAfter = above
            decodeMacroblock(&reader, row, column, &aboveAfter, &left, &stored)
            if reader.mayBeDry {
                state.reader = before.state
                (state.left, state.column) = (UInt16(truncatingIfNeeded: leftBefore), column)
                state.coefficientCount = count
                return .dry
            }
            unsafe row.top[column] = UInt16(truncatingIfNeeded: aboveAfter)
            column &+= 1
        }
        state.reader = reader.state
        (state.left, state.column) = (UInt16(truncatingIfNeeded: left), column)
        state.coefficientCount = stored
        return column < row.count ? .reachedStop : .rowComplete
    }

    @inline(never)
    private static func decodeExactly(_ state: inout TokenState, _ row: Row, _ input: RawSpan) -> Pause {
        unsafe input.withUnsafeBytes { input in
            while state.column < row.stop {
                // An empty buffer may have no address, and none of its bytes are read.
                let base = unsafe input.baseAddress ?? UnsafeRawPointer(row.table)
                var reader = unsafe ExactBooleanReader(state.reader, base, limit: input.count)
                var left = UInt32(state.left)
                var above = unsafe UInt32(row.top[state.column])
                var stored = state.coefficientCount
                decodeMacroblock(&reader, row, state.column, &above, &left, &stored)
                if reader.isDry { return .dry }
                unsafe row.top[state.column] = UInt16(truncatingIfNeeded: above)
                state.reader = reader.state
                (state.left, state.coefficientCount) = (UInt16(truncatingIfNeeded: left), stored)
                state.column &+= 1
            }
            return state.column < row.count ? .reachedStop : .rowComplete
        }
    }

    /// Decodes one macroblock; contexts and what is stored are the caller's to put back.
    @inline(__always)
    private static func decodeMacroblock<Reader: BooleanReader>(
        _ reader: inout Reader, _ row: Row, _ column: Int, _ top: inout UInt32, _ left: inout UInt32,
        _ stored: inout Int
    ) {
        // SAFETY: the column is below `count`.
        let info = unsafe row.infos + column
        let hasSubblockModes = unsafe info.pointee.hasSubblockModes != 0
        if unsafe info.pointee.isSkipped != 0 {
            // The Y2 contexts stay where there is no Y2.
            let kept: UInt32 = hasSubblockModes ? 1 << 8 : 0
            (top, left) = (top & kept, left & kept)
            unsafe info.pointee.lumaCodes = 0
            unsafe info.pointee.chromaCodes = 0
            return
        }
        // SAFETY: a segment is 0...3, and there are six steps for each; coefficients are within the row's.
        let steps = unsafe row.steps + Int(info.pointee.segment & 3) &* DequantizationFactors.countPerSegment
        let scratch = unsafe row.coefficients + row.count &* largestCount
        var out = unsafe row.coefficients + stored
        // Two bits for each block, the newest on top of 48.
        var codes: UInt64 = 0
        var dcs = unsafe UnsafePointer(scratch) + 16
        var plane = Plane(hasSubblockModes: hasSubblockModes)
        // One loop for all planes, so that there is one copy of what decodes a block.
        while true {
            let (dc, ac) = unsafe (steps[plane.steps], steps[plane.steps &+ 1])
            let table = unsafe row.table + plane.table
            let isY2 = plane.kind == .y2
            let last = plane.side &- 1
            var above = (top &>> plane.contexts) & plane.mask
            var beside = (left &>> plane.contexts) & plane.mask
            var line: UInt32 = 0
            while line <= last {
                var flag = beside & 1
                var column: UInt32 = 0
                while column <= last {
                    // SAFETY: the context is 0...2; no more than 24 blocks are stored, and `scratch` has room for two.
                    let block = unsafe isY2 ? scratch : out
                    let count = unsafe decodeBlock(
                        &reader, table, Int(truncatingIfNeeded: flag &+ (above & 1)), first: plane.first, dc: dc,
                        ac: ac, block)
                    flag = count > plane.first ? 1 : 0
                    above = above &>> 1 | flag &<< 3
                    if isY2 {
                        unsafe TransformKernels.inverseWHT(scratch, count: count, into: scratch + 16)
                    } else {
                        let code = unsafe finish(block, count, first: plane.first, dcs)
                        codes = codes &>> 2 | code &<< 46
                        unsafe dcs += 1
                        if code != 0 { unsafe out += 16 }
                    }
                    column &+= 1
                }
                beside = beside &>> 1 | flag &<< last
                // New contexts come in at bit 3.
                above &>>= 3 &- last
                line &+= 1
            }
            let mask = plane.mask &<< plane.contexts
            top = top & ~mask | above &<< plane.contexts
            left = left & ~mask | beside &<< plane.contexts
            if plane.kind == .v { break }
            plane.advance()
        }
        unsafe info.pointee.lumaCodes = UInt32(truncatingIfNeeded: codes)
        unsafe info.pointee.chromaCodes = UInt16(truncatingIfNeeded: codes &>> 32)
        stored = unsafe out - row.coefficients
    }

    /// What differs between the planes of a macroblock, in the order in which they are coded.
    private struct Plane {
        enum Kind { case y2, luma, u, v }
        var kind: Kind
        /// Blocks in a line, and lines of them.
        var side: UInt32
        /// Where the plane's contexts begin, and as many bits as it has.
        var contexts: UInt32
        var mask: UInt32
        /// The first position that is coded.
        var first: Int
        /// Where probabilities and dequantization factors begin.
        var table: Int
        var steps: Int

        @inline(__always)
        init(hasSubblockModes: Bool) {
            first = 0
            if hasSubblockModes {
                (kind, side, contexts, mask) = (.luma, 4, 0, 15)
                (table, steps) = (3 &* TokenProbabilities.typeStride, 0)
            } else {
                (kind, side, contexts, mask) = (.y2, 1, 8, 1)
                (table, steps) = (TokenProbabilities.typeStride, 2)
            }
        }

        @inline(__always)
        mutating func advance() {
            switch kind {
            case .y2:
                // Luma without its DC coefficients.
                (kind, side, contexts, mask) = (.luma, 4, 0, 15)
                (first, table, steps) = (1, 0, 0)
            case .luma:
                (kind, side, contexts, mask) = (.u, 2, 4, 3)
                (first, table, steps) = (0, 2 &* TokenProbabilities.typeStride, 4)
            case .u, .v:
                (kind, contexts) = (.v, 6)
            }
        }
    }

    /// How much of a block is stored; a DC coefficient that comes from Y2 is put in its place.
    ///
    /// - Parameter dc: that coefficient, where `first` is 1.
    @inline(__always)
    private static func finish(
        _ block: UnsafeMutablePointer<Int16>, _ count: Int, first: Int, _ dc: UnsafePointer<Int16>
    ) -> UInt64 {
        // SAFETY: a block has sixteen places.
        if first == 1 {
            let value = unsafe dc.pointee
            unsafe block[0] = value
            if count <= 1 { return value != 0 ? UInt64(ResidueCode.dc) : 0 }
        } else if count <= 1 {
            if count == 0 { return 0 }
            return unsafe block[0] != 0 ? UInt64(ResidueCode.dc) : 0
        }
        return UInt64(count > 3 ? ResidueCode.full : ResidueCode.short)
    }

    @inline(__always)
    private static func clear(_ block: UnsafeMutablePointer<Int16>) {
        // SAFETY: a block is 32 bytes.
        unsafe TransformKernels.fill(block, 0)
    }

    /// Decodes the coefficients of one subblock and stores them in raster order, dequantised.
    ///
    /// Each bool takes up to seven bits and needs eight: three bools and a sign take 22 and leave eight of thirty.
    ///
    /// - Returns: the position after the last token; `first` if there is none.
    @inline(__always)
    private static func decodeBlock<Reader: BooleanReader>(
        _ reader: inout Reader, _ table: UnsafePointer<UInt16>, _ context: Int, first: Int, dc: Int32, ac: Int32,
        _ out: UnsafeMutablePointer<Int16>
    ) -> Int {
        // SAFETY: a type's probabilities are 17 rows of three contexts; a context is 0...2, and no row is entered from
        // the seventeenth, which says that it is the end. Positions in a row are 0...15.
        var row = unsafe table + first &* TokenProbabilities.rowStride
        var node = unsafe row + context &* TokenProbabilities.contextStride
        var step = first == 0 ? dc : ac
        unsafe clear(out)
        while true {
            reader.ensure(30)
            if unsafe !reader.bit(node[0]) { return unsafe Int(row[TokenProbabilities.positionOffset]) }
            while unsafe !reader.bit(node[1]) {
                unsafe row += TokenProbabilities.rowStride
                if unsafe row[TokenProbabilities.endOffset] != 0 { return 16 }
                unsafe node = row
                step = ac
                reader.ensure(23)
            }
            let next = unsafe row + TokenProbabilities.rowStride
            var value: Int32 = 1
            if unsafe reader.bit(node[2]) {
                value = unsafe decodeLarge(&reader, node)
                unsafe node = next + 2 &* TokenProbabilities.contextStride
            } else {
                unsafe node = next + TokenProbabilities.contextStride
            }
            let sign = reader.sign()
            let place = unsafe Int(row[TokenProbabilities.placeOffset])
            unsafe out[place] = Int16(truncatingIfNeeded: ((value ^ sign) &- sign) &* step)
            step = ac
            unsafe row = next
            if unsafe row[TokenProbabilities.endOffset] != 0 { return 16 }
        }
    }

    /// A value of two or more. Leaves eight bits or more.
    ///
    /// - Source: RFC 6386 section 13.2 "Coding of Individual Coefficient Values"
    @inline(__always)
    private static func decodeLarge<Reader: BooleanReader>(
        _ reader: inout Reader, _ node: UnsafePointer<UInt16>
    ) -> Int32 {
        // Three bools and eight more. No more than that: where it is rarely needed, it is foreseen.
        reader.ensure(29)
        // SAFETY: a context has eleven probabilities.
        if unsafe !reader.bit(node[3]) {
            if unsafe !reader.bit(node[4]) { return 2 }
            return unsafe 3 &+ (reader.bit(node[5]) ? 1 : 0)
        }
        if unsafe !reader.bit(node[6]) {
            let isSecond = unsafe reader.bit(node[7])
            reader.ensure(22)
            if !isSecond { return 5 &+ (reader.bit(159 << 8) ? 1 : 0) }
            let high: Int32 = reader.bit(165 << 8) ? 2 : 0
            return 7 &+ high &+ (reader.bit(145 << 8) ? 1 : 0)
        }
        let high = unsafe reader.bit(node[8]) ? 1 : 0
        let low = unsafe reader.bit(node[9 &+ high]) ? 1 : 0
        let category = 2 &* high &+ low
        // Probabilities of the extra bits of categories 3...6, the first one lowest: 3, 4, 5 and 11 of them.
        var rest: UInt64 =
            switch category {
            case 0: 0x8C_94AD
            case 1: 0x878C_9BB0
            case 2: 0x82_868D_9DB4
            default: 0x8C99_B1C4_E6F3_FEFE
            }
        var isFirst = category == 3
        var value: Int32 = 0
        while rest != 0 {
            reader.ensure(16)
            value = value &+ value &+ (reader.bit(UInt16(truncatingIfNeeded: rest &<< 8)) ? 1 : 0)
            rest &>>= 8
            if rest == 0 && isFirst {
                rest = 0x81_8285
                isFirst = false
            }
        }
        return 3 &+ (8 &<< Int32(truncatingIfNeeded: category)) &+ value
    }
}
#endif
