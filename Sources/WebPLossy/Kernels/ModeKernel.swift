// Segments, skipping and intra modes of macroblocks: the first partition, a row at a time.

/// What mode decoding carries from row to row.
package struct ModeState: Hashable, Sendable {
    /// Of the first partition.
    package var reader: BooleanState
    /// Whether the partition ended too early.
    package var isDry = false

    package init(reader: BooleanState) { self.reader = reader }
}

/// What the frame header says about the macroblocks' headers.
package struct ModeParameters: Hashable, Sendable {
    /// Whether each macroblock names its segment, and the probabilities of the tree that it does so with.
    package var hasSegmentMap = false
    package var segmentProbabilities = SIMD4<UInt8>(repeating: 255)
    /// The probability that a macroblock has residue; `nil` if all have.
    package var skipProbability: UInt8?

    package init() {}
}

#if !ReferenceKernels
/// Decodes the headers of macroblocks.
///
/// - Source: RFC 6386 section 19.3 "Macroblock Header", section 11 "Key Frame Macroblock Prediction Records"
package enum ModeKernel {
    /// Decodes the headers of one row.
    ///
    /// - Parameters:
    ///   - input: the first partition, in which the state's reader counts.
    ///   - probabilities: ``SubblockModeProbabilities/scaled``.
    ///   - top: modes of the subblocks at the lower edge of the row above, four for each macroblock; becomes this row's.
    ///   - infos: receives modes and segments.
    /// - Precondition: `top` has four modes, 0...9, for each macroblock.
    package static func decodeRow(
        _ state: inout ModeState, parameters: ModeParameters, input: RawSpan, probabilities: [UInt16],
        top: inout MutableRawSpan, infos: inout MutableSpan<MacroblockInfo>
    ) {
        let count = infos.count
        precondition(top.byteCount == 4 * count && probabilities.count == SubblockModeProbabilities.scaled.count)
        precondition(state.reader.next >= 0 && state.reader.next <= input.byteCount)
        precondition((0...63).contains(state.reader.count) && (128...255).contains(state.reader.range))
        unsafe infos.withUnsafeMutableBufferPointer { infos in
            unsafe top.withUnsafeMutableBytes { top in
                unsafe probabilities.withUnsafeBufferPointer { probabilities in
                    unsafe input.withUnsafeBytes { input in
                        unsafe BooleanRanges.table.withUnsafeBufferPointer { ranges in
                            guard let infos = infos.baseAddress, let top = top.baseAddress,
                                let table = probabilities.baseAddress, let ranges = ranges.baseAddress
                            else { return }
                            // An empty buffer may have no address, and none of its bytes are read.
                            let base = unsafe input.baseAddress ?? UnsafeRawPointer(table)
                            let row = unsafe Row(
                                parameters: parameters, count: count, infos: infos, top: top, table: table)
                            let reader = unsafe FastBooleanReader(
                                state.reader, base, limit: input.count, ranges: ranges)
                            var place = Place()
                            if !state.reader.isOverfull { state.reader = decode(row, reader, &place) }
                            if place.column < count { unsafe decodeExactly(row, &state, base, input.count, place) }
                        }
                    }
                }
            }
        }
    }

    // SAFETY: below, columns are below the count of macroblocks, each of which has four modes of `top`.

    @safe
    private struct Row {
        let parameters: ModeParameters
        let count: Int
        let infos: UnsafeMutablePointer<MacroblockInfo>
        let top: UnsafeMutableRawPointer
        let table: UnsafePointer<UInt16>
    }

    /// The macroblock that comes next.
    private struct Place {
        var column = 0
        /// Modes to the left, the first row's lowest: outside of the picture they are B_DC_PRED, which is 0.
        var left: UInt32 = 0
    }

    /// Decodes up to the first macroblock that may need bytes which are not there.
    @inline(never)
    private static func decode(_ row: Row, _ start: FastBooleanReader, _ place: inout Place) -> BooleanState {
        var reader = start
        var (column, left) = (place.column, place.left)
        while column < row.count {
            // SAFETY: the column is below the count.
            let above = unsafe (row.top + 4 &* column).loadUnaligned(as: UInt32.self)
            let before = reader
            let after = decodeMacroblock(&reader, row, column, left)
            if reader.mayBeDry {
                unsafe (row.top + 4 &* column).storeBytes(of: above, as: UInt32.self)
                place = Place(column: column, left: left)
                return before.state
            }
            left = after
            column &+= 1
        }
        place.column = column
        return reader.state
    }

    /// Decodes the rest of the row.
    @inline(never)
    private static func decodeExactly(
        _ row: Row, _ state: inout ModeState, _ base: UnsafeRawPointer, _ limit: Int, _ start: Place
    ) {
        var reader = unsafe ExactBooleanReader(state.reader, base, limit: limit)
        var place = start
        while place.column < row.count {
            place.left = decodeMacroblock(&reader, row, place.column, place.left)
            place.column &+= 1
        }
        state.reader = reader.state
        if reader.isDry { state.isDry = true }
    }

    /// Decodes the header of a macroblock; its modes at the right edge.
    @inline(__always)
    private static func decodeMacroblock<Reader: BooleanReader>(
        _ reader: inout Reader, _ row: Row, _ column: Int, _ left: UInt32
    ) -> UInt32 {
        // SAFETY: the column is below the count.
        let info = unsafe row.infos + column
        let above = unsafe row.top + 4 &* column
        var left = left
        // Up to six bools, 42 bits, and eight more.
        reader.ensure(50)
        unsafe info.pointee.segment = segment(&reader, row.parameters)
        var isSkipped = false
        if let probability = row.parameters.skipProbability { isSkipped = reader.bit(UInt16(probability) &<< 8) }
        unsafe info.pointee.isSkipped = isSkipped ? 1 : 0
        if reader.bit(145 << 8) {
            unsafe info.pointee.hasSubblockModes = 0
            let mode = lumaMode(&reader)
            // SAFETY: the modes stand first in a macroblock.
            unsafe UnsafeMutableRawPointer(info).storeBytes(of: mode, as: UInt8.self)
            left = UInt32(subblockMode(of: mode)) &* 0x0101_0101
            unsafe above.storeBytes(of: left, as: UInt32.self)
        } else {
            unsafe info.pointee.hasSubblockModes = 1
            unsafe left = subblockModes(&reader, UnsafeMutableRawPointer(info), above, left, row.table)
        }
        reader.ensure(29)
        unsafe info.pointee.chromaMode = chromaMode(&reader)
        return left
    }

    @inline(__always)
    private static func segment<Reader: BooleanReader>(
        _ reader: inout Reader, _ parameters: ModeParameters
    ) -> UInt8 {
        guard parameters.hasSegmentMap else { return 0 }
        let probabilities = parameters.segmentProbabilities
        if reader.bit(UInt16(probabilities[0]) &<< 8) { return reader.bit(UInt16(probabilities[2]) &<< 8) ? 3 : 2 }
        return reader.bit(UInt16(probabilities[1]) &<< 8) ? 1 : 0
    }

    /// - Source: RFC 6386 section 11.2 "Luma Modes"
    @inline(__always)
    private static func lumaMode<Reader: BooleanReader>(_ reader: inout Reader) -> UInt8 {
        if reader.bit(156 << 8) { return reader.bit(128 << 8) ? MacroblockMode.trueMotion : MacroblockMode.horizontal }
        return reader.bit(163 << 8) ? MacroblockMode.vertical : MacroblockMode.dc
    }

    /// - Source: RFC 6386 section 11.4 "Chroma Modes"
    @inline(__always)
    private static func chromaMode<Reader: BooleanReader>(_ reader: inout Reader) -> UInt8 {
        guard reader.bit(142 << 8) else { return MacroblockMode.dc }
        guard reader.bit(114 << 8) else { return MacroblockMode.vertical }
        return reader.bit(183 << 8) ? MacroblockMode.trueMotion : MacroblockMode.horizontal
    }

    /// What a macroblock's mode counts as in the contexts of its neighbours' subblocks.
    ///
    /// - Source: RFC 6386 section 11.3 "Subblock Mode Contexts"
    @inline(__always)
    private static func subblockMode(of mode: UInt8) -> UInt8 {
        switch mode {
        case MacroblockMode.vertical: SubblockMode.vertical
        case MacroblockMode.horizontal: SubblockMode.horizontal
        case MacroblockMode.trueMotion: SubblockMode.trueMotion
        default: SubblockMode.dc
        }
    }

    /// Sixteen modes; the right column of them.
    @inline(__always)
    private static func subblockModes<Reader: BooleanReader>(
        _ reader: inout Reader, _ modes: UnsafeMutableRawPointer, _ above: UnsafeMutableRawPointer,
        _ left: UInt32, _ table: UnsafePointer<UInt16>
    ) -> UInt32 {
        var (top, beside, right) = (unsafe above.loadUnaligned(as: UInt32.self), left, UInt32(0))
        var row = 0
        while row < 4 {
            var mode = beside & 255
            var line: UInt32 = 0
            var column: UInt32 = 0
            while column < 32 {
                let context = Int(truncatingIfNeeded: ((top &>> column) & 255) &* 10 &+ mode)
                // SAFETY: modes are 0...9, so the context is 0...99.
                mode = unsafe subblockMode(&reader, table + context &* SubblockModeProbabilities.nodeCount)
                line |= mode &<< column
                column &+= 8
            }
            // SAFETY: a macroblock begins with sixteen modes.
            unsafe modes.storeBytes(of: line, toByteOffset: 4 &* row, as: UInt32.self)
            top = line
            right = right &>> 8 | mode &<< 24
            beside &>>= 8
            row &+= 1
        }
        unsafe above.storeBytes(of: top, as: UInt32.self)
        return right
    }

    /// - Source: RFC 6386 section 11.2 "Luma Modes", bmode_tree
    @inline(__always)
    private static func subblockMode<Reader: BooleanReader>(
        _ reader: inout Reader, _ node: UnsafePointer<UInt16>
    ) -> UInt32 {
        // Four bools, 28 bits, and eight more; then up to three.
        reader.ensure(36)
        // SAFETY: a context has nine probabilities.
        if unsafe !reader.bit(node[0]) { return UInt32(SubblockMode.dc) }
        if unsafe !reader.bit(node[1]) { return UInt32(SubblockMode.trueMotion) }
        if unsafe !reader.bit(node[2]) { return UInt32(SubblockMode.vertical) }
        let isLater = unsafe reader.bit(node[3])
        reader.ensure(29)
        if !isLater {
            if unsafe !reader.bit(node[4]) { return UInt32(SubblockMode.horizontal) }
            return UInt32(unsafe reader.bit(node[5]) ? SubblockMode.verticalRight : SubblockMode.rightDown)
        }
        if unsafe !reader.bit(node[6]) { return UInt32(SubblockMode.leftDown) }
        if unsafe !reader.bit(node[7]) { return UInt32(SubblockMode.verticalLeft) }
        return UInt32(unsafe reader.bit(node[8]) ? SubblockMode.horizontalUp : SubblockMode.horizontalDown)
    }
}
#endif
