// Reconstruction of a row of macroblocks: prediction, residue and loop filter, macroblock by macroblock.
//
// In: modes and coefficients of the row. Out: filtered samples in the work rows. A macroblock is filtered when the one to
// its right is reconstructed, for that one is predicted from samples that are not filtered.

import ImageCodecsCore

/// How strongly the edges of a macroblock are filtered.
package struct FilterStrength: Hashable, Sendable {
    /// Limit of the step across an edge inside of a macroblock, 0 if nothing is filtered; 4 more between macroblocks.
    package var edgeLimit: UInt8 = 0
    /// Limit of any other step.
    package var interiorLimit: UInt8 = 0
    /// Beyond this, variance beside the edge is high.
    package var varianceThreshold: UInt8 = 0

    package init() {}
}

/// The loop filter of a frame.
package struct FilterPlan: Hashable, Sendable {
    /// The loop filter's kind.
    package enum Kind: Hashable, Sendable { case none, simple, normal }

    package var kind = Kind.none
    /// For each of four segments: macroblocks with one luma mode, then with sixteen.
    package var strengths = [FilterStrength](repeating: FilterStrength(), count: 8)

    package init() {}
}

#if !ReferenceKernels
/// Reconstructs rows of macroblocks.
package enum MacroblockRowKernel {
    /// Reconstructs and filters one row.
    ///
    /// - Parameters:
    ///   - row: its number.
    ///   - infos: its macroblocks.
    ///   - coefficients: of all subblocks with residue, as the token kernel stores them.
    ///   - planes: the work rows, with what is carried from the row above in place.
    ///   - above: unfiltered samples above the row; below the row, `below` receives those of its own lower edge.
    /// - Precondition: the buffers are as large as the workspace says, and `coefficients` has sixteen for each residue code
    ///   that is not 0.
    package static func reconstruct(
        row: Int, _ workspace: MacroblockWorkspace, infos: Span<MacroblockInfo>, coefficients: Span<Int16>,
        filter: FilterPlan, planes: inout MutableRawSpan, above: RawSpan, below: inout MutableRawSpan
    ) {
        precondition(infos.count == workspace.columnCount && filter.strengths.count == 8)
        precondition(planes.byteCount >= workspace.planeByteCount)
        precondition(above.byteCount >= workspace.edgeByteCount && below.byteCount >= workspace.edgeByteCount)
        precondition(coefficients.count >= infos.count * TokenKernel.largestCount)
        unsafe infos.withUnsafeBufferPointer { infos in
            unsafe coefficients.withUnsafeBufferPointer { coefficients in
                unsafe planes.withUnsafeMutableBytes { planes in
                    unsafe above.withUnsafeBytes { above in
                        unsafe below.withUnsafeMutableBytes { below in
                            unsafe filter.strengths.withUnsafeBufferPointer { strengths in
                                guard let infos = infos.baseAddress, let coefficients = coefficients.baseAddress,
                                    let planes = planes.baseAddress, let above = above.baseAddress,
                                    let below = below.baseAddress, let strengths = strengths.baseAddress
                                else { return }
                                let place = unsafe Place(
                                    workspace, planes: planes, above: above, below: below, hasAbove: row > 0)
                                unsafe run(place, infos, coefficients, filter.kind, strengths)
                            }
                        }
                    }
                }
            }
        }
    }

    // SAFETY: below, columns are below the workspace's; its planes have the samples of each macroblock, four more columns and
    // lines to the left and above, and four to the right; its edges have those of each macroblock, one in front and sixteen
    // after. Strengths are those of a segment, 0...3.

    /// Where the samples of the row are; what the workspace computes is computed once.
    @safe
    struct Place {
        let columnCount: Int
        let hasAbove: Bool
        /// The first sample of each plane, and bytes from line to line.
        let luma: UnsafeMutableRawPointer
        let u: UnsafeMutableRawPointer
        let v: UnsafeMutableRawPointer
        let lumaStride: Int
        let chromaStride: Int
        /// The same in the unfiltered lines above the row and below it.
        let aboveLuma: UnsafeRawPointer
        let aboveU: UnsafeRawPointer
        let aboveV: UnsafeRawPointer
        let belowLuma: UnsafeMutableRawPointer
        let belowU: UnsafeMutableRawPointer
        let belowV: UnsafeMutableRawPointer

        init(
            _ workspace: MacroblockWorkspace, planes: UnsafeMutableRawPointer, above: UnsafeRawPointer,
            below: UnsafeMutableRawPointer, hasAbove: Bool
        ) {
            columnCount = workspace.columnCount
            self.hasAbove = hasAbove
            unsafe luma = planes + workspace.luma(line: 0)
            unsafe u = planes + workspace.u(line: 0)
            unsafe v = planes + workspace.v(line: 0)
            (lumaStride, chromaStride) = (workspace.lumaStride, workspace.chromaStride)
            unsafe aboveLuma = above + MacroblockWorkspace.edgeLuma
            unsafe aboveU = above + workspace.edgeU
            unsafe aboveV = above + workspace.edgeV
            unsafe belowLuma = below + MacroblockWorkspace.edgeLuma
            unsafe belowU = below + workspace.edgeU
            unsafe belowV = below + workspace.edgeV
        }
    }

    @unsafe @inline(__always)
    private static func run(
        _ place: Place, _ infos: UnsafePointer<MacroblockInfo>, _ coefficients: UnsafePointer<Int16>,
        _ kind: FilterPlan.Kind, _ strengths: UnsafePointer<FilterStrength>
    ) {
        let count = place.columnCount
        unsafe withUnsafeTemporaryAllocation(byteCount: 24 * 16 + 32, alignment: 16) { scratch in
            guard let turned = scratch.baseAddress else { return }
            // A subblock without residue, beside one that has some.
            let zeros = unsafe (turned + 24 * 16).assumingMemoryBound(to: Int16.self)
            unsafe (turned + 24 * 16).storeBytes(of: SIMD16<Int16>(repeating: 0), as: SIMD16<Int16>.self)
            var next = unsafe coefficients
            for column in 0..<count {
                unsafe reconstruct(place, infos + column, column, &next, zeros)
                if kind != .none, column > 0 {
                    unsafe filter(place, infos + (column - 1), column &- 1, kind, strengths, turned)
                }
            }
            if kind != .none { unsafe filter(place, infos + (count - 1), count &- 1, kind, strengths, turned) }
        }
        unsafe finishEdge(place)
    }

    /// What stands beside the picture in the line that the next row is predicted from.
    ///
    /// - Source: RFC 6386 section 12.3 "Luma Prediction" for what is above and to the right of the last macroblock
    @unsafe @inline(__always)
    private static func finishEdge(_ place: Place) {
        let end = 16 &* place.columnCount
        // SAFETY: lines have a margin of sixteen bytes on both sides.
        let last = unsafe place.belowLuma.load(fromByteOffset: end &- 1, as: UInt8.self)
        unsafe place.belowLuma.storeBytes(of: UInt32(last) &* 0x0101_0101, toByteOffset: end, as: UInt32.self)
        let left = MacroblockWorkspace.leftValue
        unsafe place.belowLuma.storeBytes(of: left, toByteOffset: -1, as: UInt8.self)
        unsafe place.belowU.storeBytes(of: left, toByteOffset: -1, as: UInt8.self)
        unsafe place.belowV.storeBytes(of: left, toByteOffset: -1, as: UInt8.self)
    }

    @unsafe @inline(__always)
    private static func reconstruct(
        _ place: Place, _ info: UnsafePointer<MacroblockInfo>, _ column: Int, _ next: inout UnsafePointer<Int16>,
        _ zeros: UnsafePointer<Int16>
    ) {
        let stride = place.lumaStride
        let target = unsafe place.luma + 16 &* column
        let above = unsafe place.aboveLuma + 16 &* column
        let mode = unsafe UnsafeRawPointer(info).load(as: UInt8.self)
        if unsafe info.pointee.hasSubblockModes != 0 {
            unsafe reconstructSubblocks(info, target, stride, above, &next, zeros)
        } else {
            unsafe PredictionKernels.predictLuma(
                mode, target, stride: stride, above: above, hasAbove: place.hasAbove, hasLeft: column > 0)
            var codes = unsafe info.pointee.lumaCodes
            var line = unsafe target
            while codes != 0 {
                if codes & 0xAA == 0 {
                    if codes & 0xFF != 0 { unsafe next = addFlatRow(codes, line, stride, next) }
                } else {
                    unsafe next = addPair(codes & 15, false, line, stride, next, zeros)
                    unsafe next = addPair(codes &>> 4 & 15, false, line + 8, stride, next, zeros)
                }
                codes &>>= 8
                unsafe line += 4 &* stride
            }
        }
        unsafe (place.belowLuma + 16 &* column).storeBytes(
            of: target.loadUnaligned(fromByteOffset: 15 &* stride, as: Bytes16.self), as: Bytes16.self)
        let codes = unsafe UInt32(info.pointee.chromaCodes)
        let (x, chromaMode) = unsafe (8 &* column, info.pointee.chromaMode)
        unsafe reconstructChroma(
            place, chromaMode, codes & 255, place.u + x, above: place.aboveU + x, below: place.belowU + x,
            hasLeft: column > 0, &next, zeros)
        unsafe reconstructChroma(
            place, chromaMode, codes &>> 8, place.v + x, above: place.aboveV + x, below: place.belowV + x,
            hasLeft: column > 0, &next, zeros)
    }

    @unsafe @inline(__always)
    private static func reconstructChroma(
        _ place: Place, _ mode: UInt8, _ codes: UInt32, _ target: UnsafeMutableRawPointer, above: UnsafeRawPointer,
        below: UnsafeMutableRawPointer, hasLeft: Bool, _ next: inout UnsafePointer<Int16>,
        _ zeros: UnsafePointer<Int16>
    ) {
        let stride = place.chromaStride
        unsafe PredictionKernels.predictChroma(
            mode, target, stride: stride, above: above, hasAbove: place.hasAbove, hasLeft: hasLeft)
        if codes != 0 {
            // If one of four has more than a DC coefficient, all are transformed alike.
            if codes & 0xAA != 0 {
                unsafe next = addPair(codes & 15, true, target, stride, next, zeros)
                unsafe next = addPair(codes &>> 4, true, target + 4 &* stride, stride, next, zeros)
            } else {
                unsafe next = addFlatPairs(codes, target, stride, next)
            }
        }
        unsafe below.storeBytes(
            of: target.loadUnaligned(fromByteOffset: 7 &* stride, as: UInt64.self), as: UInt64.self)
    }

    /// Adds the residue of two subblocks side by side.
    ///
    /// - Returns: where the coefficients of the next subblock are.
    @unsafe @inline(never)
    private static func addPair(
        _ codes: UInt32, _ isWhole: Bool, _ target: UnsafeMutableRawPointer, _ stride: Int,
        _ start: UnsafePointer<Int16>, _ zeros: UnsafePointer<Int16>
    ) -> UnsafePointer<Int16> {
        if codes == 0 { return unsafe start }
        var next = unsafe start
        var left = unsafe nextCoefficients(codes & 3, &next, zeros)
        var right = unsafe nextCoefficients(codes &>> 2, &next, zeros)
        if !isWhole {
            if unsafe needsCare(codes & 3, left) {
                unsafe TransformKernels.addShort(left, to: target, stride: stride)
                unsafe left = zeros
            }
            if unsafe needsCare(codes &>> 2, right) {
                unsafe TransformKernels.addShort(right, to: target + 4, stride: stride)
                unsafe right = zeros
            }
        }
        unsafe TransformKernels.add(TransformKernels.residue(left, right), to: target, stride: stride)
        return unsafe next
    }

    // SAFETY, for the next five: a subblock without residue leaves sixteen coefficients of the macroblock's room unused, so
    // that there are sixteen at `next` whether they are its own or not.

    /// What the DC coefficient of a subblock that has no other adds to its samples, and what it takes from them: four times
    /// the same byte, of which one is zero.
    @unsafe @inline(__always)
    private static func flatResidue(_ code: UInt32, _ next: inout UnsafePointer<Int16>) -> (plus: UInt32, minus: UInt32)
    {
        let isThere = 0 &- Int32(truncatingIfNeeded: code & 1)
        let value = unsafe ((Int32(next.pointee) &+ 4) &>> 3) & isThere
        unsafe next += 16 & Int(isThere)
        return (
            UInt32(truncatingIfNeeded: min(max(value, 0), 255)) &* 0x0101_0101,
            UInt32(truncatingIfNeeded: min(max(0 &- value, 0), 255)) &* 0x0101_0101
        )
    }

    /// The same for four subblocks, four bytes each.
    @unsafe @inline(__always)
    private static func flatResidues(
        _ codes: UInt32, _ next: inout UnsafePointer<Int16>
    ) -> (plus: Bytes16, minus: Bytes16) {
        let (a, b) = unsafe (flatResidue(codes, &next), flatResidue(codes &>> 2, &next))
        let (c, d) = unsafe (flatResidue(codes &>> 4, &next), flatResidue(codes &>> 6, &next))
        return (
            asBytes(SIMD4(a.plus, b.plus, c.plus, d.plus)), asBytes(SIMD4(a.minus, b.minus, c.minus, d.minus))
        )
    }

    /// Adds the residue of four subblocks side by side that have a DC coefficient at most.
    ///
    /// - Parameter codes: of these four in the lowest eight bits.
    /// - Returns: where the coefficients of the next subblock are.
    @unsafe @inline(never)
    private static func addFlatRow(
        _ codes: UInt32, _ target: UnsafeMutableRawPointer, _ stride: Int, _ start: UnsafePointer<Int16>
    ) -> UnsafePointer<Int16> {
        var next = unsafe start
        let (plus, minus) = unsafe flatResidues(codes, &next)
        for y in 0..<4 {
            // SAFETY: sixteen samples of each of four lines.
            let samples = unsafe target.loadUnaligned(fromByteOffset: y &* stride, as: Bytes16.self)
            unsafe target.storeBytes(
                of: subtractSaturating(addSaturating(samples, plus), minus), toByteOffset: y &* stride, as: Bytes16.self
            )
        }
        return unsafe next
    }

    /// The same for the four subblocks of a chroma plane.
    @unsafe @inline(never)
    private static func addFlatPairs(
        _ codes: UInt32, _ target: UnsafeMutableRawPointer, _ stride: Int, _ start: UnsafePointer<Int16>
    ) -> UnsafePointer<Int16> {
        var next = unsafe start
        let (plus, minus) = unsafe flatResidues(codes, &next)
        for y in 0..<4 {
            // SAFETY: eight samples of each of eight lines.
            let (upper, lower) = unsafe (target + y &* stride, target + (y &+ 4) &* stride)
            let samples = unsafe asBytes(
                UnsignedQuads(upper.loadUnaligned(as: UInt64.self), lower.loadUnaligned(as: UInt64.self)))
            let sums = asQuads(subtractSaturating(addSaturating(samples, plus), minus))
            unsafe upper.storeBytes(of: sums[0], as: UInt64.self)
            unsafe lower.storeBytes(of: sums[1], as: UInt64.self)
        }
        return unsafe next
    }

    /// A subblock with the residue of a DC coefficient, if it has that.
    @unsafe @inline(__always)
    private static func addFlat(
        _ code: UInt32, to rows: TransformKernels.FourRows, _ next: inout UnsafePointer<Int16>
    ) -> TransformKernels.FourRows {
        let (plus, minus) = unsafe flatResidue(code, &next)
        let sums = subtractSaturating(
            addSaturating(asBytes(rows), asBytes(SIMD4(repeating: plus))), asBytes(SIMD4(repeating: minus)))
        return unsafe unsafeBitCast(sums, to: TransformKernels.FourRows.self)
    }

    /// The next subblock's coefficients.
    @unsafe @inline(__always)
    private static func nextCoefficients(
        _ code: UInt32, _ next: inout UnsafePointer<Int16>, _ zeros: UnsafePointer<Int16>
    ) -> UnsafePointer<Int16> {
        if code == 0 { return unsafe zeros }
        let block = unsafe next
        unsafe next += 16
        return unsafe block
    }

    /// Whether a subblock has few coefficients, but large ones.
    @unsafe @inline(__always)
    private static func needsCare(_ code: UInt32, _ block: UnsafePointer<Int16>) -> Bool {
        if code == ResidueCode.full || code == ResidueCode.none { return false }
        return unsafe TransformKernels.isLarge(block)
    }

    /// Predicts and adds residue subblock by subblock, for each is predicted from those before it.
    @unsafe @inline(__always)
    private static func reconstructSubblocks(
        _ info: UnsafePointer<MacroblockInfo>, _ target: UnsafeMutableRawPointer, _ stride: Int,
        _ above: UnsafeRawPointer,
        _ next: inout UnsafePointer<Int16>, _ zeros: UnsafePointer<Int16>
    ) {
        let modes = unsafe UnsafeRawPointer(info)
        // What is above and to the right of the macroblock serves all subblocks of its right column.
        let beyond = unsafe UInt64(above.loadUnaligned(fromByteOffset: 16, as: UInt32.self)) &<< 32
        var codes = unsafe info.pointee.lumaCodes
        var index = 0
        while index < 16 {
            let (x, y) = (4 &* (index & 3), index &>> 2)
            let block = unsafe target + (4 &* y &* stride &+ x)
            let top = unsafe y == 0 ? above + x : UnsafeRawPointer(block - stride)
            let first = unsafe top.loadUnaligned(as: UInt64.self)
            var second = unsafe top.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
            if x == 8 { second = second & 0xFFFF_FFFF | beyond }
            let (corner1, corner2) = unsafe (
                top.load(fromByteOffset: -1, as: UInt8.self), top.load(fromByteOffset: 3, as: UInt8.self)
            )
            let (mode1, mode2) = unsafe (
                modes.load(fromByteOffset: index, as: UInt8.self),
                modes.load(fromByteOffset: index &+ 1, as: UInt8.self)
            )
            let both = codes & 15
            codes &>>= 4
            var left = unsafe PredictionKernels.predictSubblock(
                mode1, top: first, corner: corner1, left: column(block, stride))
            if both == 0 {
                unsafe store(left, block, stride)
                let right = PredictionKernels.predictSubblock(
                    mode2, top: second, corner: corner2, left: lastColumn(left))
                unsafe store(right, block + 4, stride)
            } else if both & 10 == 0 {
                unsafe left = addFlat(both, to: left, &next)
                unsafe store(left, block, stride)
                let right = PredictionKernels.predictSubblock(
                    mode2, top: second, corner: corner2, left: lastColumn(left))
                unsafe store(addFlat(both &>> 2, to: right, &next), block + 4, stride)
            } else {
                var leftBlock = unsafe nextCoefficients(both & 3, &next, zeros)
                var rightBlock = unsafe nextCoefficients(both &>> 2, &next, zeros)
                let leftCare = unsafe needsCare(both & 3, leftBlock) ? leftBlock : nil
                let rightCare = unsafe needsCare(both &>> 2, rightBlock) ? rightBlock : nil
                if unsafe leftCare != nil { unsafe leftBlock = zeros }
                if unsafe rightCare != nil { unsafe rightBlock = zeros }
                let residue = unsafe TransformKernels.residue(leftBlock, rightBlock)
                left = TransformKernels.addLeft(residue, to: left)
                unsafe store(left, block, stride)
                if let care = unsafe leftCare {
                    unsafe TransformKernels.addShort(care, to: block, stride: stride)
                    left = unsafe rows(block, stride)
                }
                let right = PredictionKernels.predictSubblock(
                    mode2, top: second, corner: corner2, left: lastColumn(left))
                unsafe store(TransformKernels.addRight(residue, to: right), block + 4, stride)
                if let care = unsafe rightCare { unsafe TransformKernels.addShort(care, to: block + 4, stride: stride) }
            }
            index &+= 2
        }
    }

    /// The samples to the left of a subblock, the first one lowest.
    @unsafe @inline(__always)
    private static func column(_ block: UnsafeMutableRawPointer, _ stride: Int) -> UInt32 {
        // SAFETY: there is a byte to the left of each line.
        let (a, b) = unsafe (
            UInt32(block.load(fromByteOffset: -1, as: UInt8.self)),
            UInt32(block.load(fromByteOffset: stride &- 1, as: UInt8.self))
        )
        let (c, d) = unsafe (
            UInt32(block.load(fromByteOffset: 2 &* stride &- 1, as: UInt8.self)),
            UInt32(block.load(fromByteOffset: 3 &* stride &- 1, as: UInt8.self))
        )
        return (a | b &<< 8) | (c &<< 16 | d &<< 24)
    }

    /// The last samples of four rows, the first one lowest.
    @inline(__always)
    private static func lastColumn(_ rows: TransformKernels.FourRows) -> UInt32 {
        let (a, b) = (rows[0] &>> 24, (rows[1] &>> 24) &<< 8)
        let (c, d) = ((rows[2] &>> 24) &<< 16, rows[3] & 0xFF00_0000)
        return (a | b) | (c | d)
    }

    @unsafe @inline(__always)
    private static func rows(_ block: UnsafeMutableRawPointer, _ stride: Int) -> TransformKernels.FourRows {
        // SAFETY: four bytes of each of four lines.
        unsafe TransformKernels.FourRows(
            block.loadUnaligned(as: UInt32.self), block.loadUnaligned(fromByteOffset: stride, as: UInt32.self),
            block.loadUnaligned(fromByteOffset: 2 &* stride, as: UInt32.self),
            block.loadUnaligned(fromByteOffset: 3 &* stride, as: UInt32.self))
    }

    @unsafe @inline(__always)
    private static func store(_ rows: TransformKernels.FourRows, _ block: UnsafeMutableRawPointer, _ stride: Int) {
        // SAFETY: four bytes of each of four lines.
        unsafe block.storeBytes(of: rows[0], as: UInt32.self)
        unsafe block.storeBytes(of: rows[1], toByteOffset: stride, as: UInt32.self)
        unsafe block.storeBytes(of: rows[2], toByteOffset: 2 &* stride, as: UInt32.self)
        unsafe block.storeBytes(of: rows[3], toByteOffset: 3 &* stride, as: UInt32.self)
    }
}
#endif
