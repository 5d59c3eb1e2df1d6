// Plain twin of MacroblockRowKernel and of all that it calls: one sample at a time, every access checked.

import ImageCodecsCore

package enum MacroblockRowKernelReference {
    /// See ``MacroblockRowKernel/reconstruct(row:_:infos:coefficients:filter:planes:above:below:)``.
    package static func reconstruct(
        row: Int, _ workspace: MacroblockWorkspace, infos: Span<MacroblockInfo>, coefficients: Span<Int16>,
        filter: FilterPlan, planes: inout MutableRawSpan, above: RawSpan, below: inout MutableRawSpan
    ) {
        var next = 0
        for column in 0..<workspace.columnCount {
            let info = infos[column]
            for plane in PlainPlane.all(workspace, column) {
                predict(info, plane, coefficients, &next, &planes, above, (row > 0, column > 0))
                for x in 0..<plane.side {
                    below.setByte(planes.byte(at: plane.place(x, plane.side - 1)), at: plane.edge + x)
                }
            }
            // A macroblock is filtered when the one to its right is there, which is predicted from what is not filtered.
            if column > 0 { self.filter(infos[column - 1], workspace, column - 1, filter, &planes, hasAbove: row > 0) }
        }
        let last = workspace.columnCount - 1
        self.filter(infos[last], workspace, last, filter, &planes, hasAbove: row > 0)
        finishEdge(workspace, &below)
    }

    /// What stands beside the picture in the line that the next row is predicted from.
    private static func finishEdge(_ workspace: MacroblockWorkspace, _ below: inout MutableRawSpan) {
        let end = MacroblockWorkspace.edgeLuma + 16 * workspace.columnCount
        let last = below.byte(at: end - 1)
        for x in end..<end + 4 { below.setByte(last, at: x) }
        for start in [MacroblockWorkspace.edgeLuma, workspace.edgeU, workspace.edgeV] {
            below.setByte(MacroblockWorkspace.leftValue, at: start - 1)
        }
    }

    // MARK: Prediction and residue

    private static func predict(
        _ info: MacroblockInfo, _ plane: PlainPlane, _ coefficients: Span<Int16>, _ next: inout Int,
        _ planes: inout MutableRawSpan, _ above: RawSpan, _ has: (above: Bool, left: Bool)
    ) {
        let isLuma = plane.kind == .luma
        let hasSubblocks = isLuma && info.hasSubblockModes != 0
        if !hasSubblocks { predict(isLuma ? info.modes[0] : info.chromaMode, plane, &planes, above, has) }
        let codes =
            switch plane.kind {
            case .luma: info.lumaCodes
            case .u: UInt32(info.chromaCodes & 255)
            case .v: UInt32(info.chromaCodes >> 8)
            }
        // If one of four chroma subblocks has more than a DC coefficient, all are transformed alike.
        let isWhole = !isLuma && codes & 0xAA != 0
        for index in 0..<plane.side * plane.side / 16 {
            let (x, y) = (4 * index % plane.side, 4 * index / plane.side * 4)
            if hasSubblocks { predictSubblock(info.modes[index], plane, x, y, &planes, above) }
            let code = codes >> UInt32(2 * index) & 3
            guard code != ResidueCode.none else { continue }
            var block = SIMD16<Int16>()
            for place in 0..<16 { block[place] = coefficients[next + place] }
            next += 16
            let isExact = !isWhole && code != ResidueCode.full
            add(PlainResidue.residue(of: block, isExact: isExact), plane, x, y, &planes)
        }
    }

    private static func add(
        _ residue: SIMD16<Int32>, _ plane: PlainPlane, _ x: Int, _ y: Int, _ planes: inout MutableRawSpan
    ) {
        for index in 0..<16 {
            let place = plane.place(x + index % 4, y + index / 4)
            planes.setByte(UInt8(clamping: Int32(planes.byte(at: place)) + residue[index]), at: place)
        }
    }

    /// - Source: RFC 6386 section 12.2 "Chroma Prediction", section 12.3 "Luma Prediction"
    private static func predict(
        _ mode: UInt8, _ plane: PlainPlane, _ planes: inout MutableRawSpan, _ above: RawSpan,
        _ has: (above: Bool, left: Bool)
    ) {
        let corner = Int(above.byte(at: plane.edge - 1))
        var (sum, count) = (0, 0)
        for index in 0..<plane.side where mode == MacroblockMode.dc {
            if has.above { (sum, count) = (sum + Int(above.byte(at: plane.edge + index)), count + 1) }
            if has.left { (sum, count) = (sum + Int(planes.byte(at: plane.place(-1, index))), count + 1) }
        }
        let mean = count == 0 ? 128 : (sum + count / 2) / count
        for y in 0..<plane.side {
            let left = Int(planes.byte(at: plane.place(-1, y)))
            for x in 0..<plane.side {
                let top = Int(above.byte(at: plane.edge + x))
                let sample =
                    switch mode {
                    case MacroblockMode.vertical: top
                    case MacroblockMode.horizontal: left
                    case MacroblockMode.trueMotion: top + left - corner
                    default: mean
                    }
                planes.setByte(UInt8(clamping: sample), at: plane.place(x, y))
            }
        }
    }

    private static func predictSubblock(
        _ mode: UInt8, _ plane: PlainPlane, _ x: Int, _ y: Int, _ planes: inout MutableRawSpan, _ above: RawSpan
    ) {
        var edge = ReconstructionReference.Edge()
        for index in 0..<4 { edge[index] = Int(planes.byte(at: plane.place(x - 1, y + 3 - index))) }
        for index in 0..<9 {
            // What is above and to the right of the macroblock serves all subblocks of its right column.
            let column = x + index - 1
            let isAbove = y == 0 || column >= plane.side
            edge[4 + index] = Int(
                isAbove ? above.byte(at: plane.edge + column) : planes.byte(at: plane.place(column, y - 1)))
        }
        for index in 0..<16 {
            let sample = ReconstructionReference.predicted(mode, edge, index % 4, index / 4)
            planes.setByte(UInt8(clamping: sample), at: plane.place(x + index % 4, y + index / 4))
        }
    }

    // MARK: Loop filter

    /// Filters the edges of one macroblock: left, inside vertical, upper, inside horizontal.
    ///
    /// - Source: RFC 6386 section 15.1 "Filter Geometry and Overall Procedure"
    private static func filter(
        _ info: MacroblockInfo, _ workspace: MacroblockWorkspace, _ column: Int, _ plan: FilterPlan,
        _ planes: inout MutableRawSpan, hasAbove: Bool
    ) {
        let strength = plan.strengths[2 * Int(info.segment & 3) + Int(info.hasSubblockModes & 1)]
        guard plan.kind != .none, strength.edgeLimit > 0 else { return }
        let isSimple = plan.kind == .simple
        for plane in PlainPlane.all(workspace, column) where plane.kind == .luma || !isSimple {
            for isHorizontal in [false, true] {
                let (across, along) = isHorizontal ? (plane.stride, 1) : (1, plane.stride)
                for edge in stride(from: 0, to: plane.side, by: 4) {
                    if edge == 0 ? !(isHorizontal ? hasAbove : column > 0) : !info.filtersInside { continue }
                    for index in 0..<plane.side {
                        let place = plane.start + edge * across + index * along
                        filter(&planes, place, across, isOuter: edge == 0, isSimple: isSimple, strength)
                    }
                }
            }
        }
    }

    /// One position along an edge: `place` is that of q0.
    private static func filter(
        _ planes: inout MutableRawSpan, _ place: Int, _ step: Int, isOuter: Bool, isSimple: Bool,
        _ strength: FilterStrength
    ) {
        var samples = ReconstructionReference.Across()
        for index in 0..<8 { samples[index] = Int32(planes.byte(at: place + (index - 4) * step)) }
        let result = ReconstructionReference.filtered(
            samples, isOuter: isOuter, isSimple: isSimple, strength)
        for index in 1..<7 { planes.setByte(UInt8(clamping: result[index]), at: place + (index - 4) * step) }
    }
}

/// Where a macroblock's samples of a plane are.
private struct PlainPlane {
    enum Kind { case luma, u, v }

    let kind: Kind
    /// Samples of a row, and rows.
    let side: Int
    /// The first sample in the work rows, and bytes from line to line.
    let start: Int
    let stride: Int
    /// The first sample in the unfiltered lines above and below.
    let edge: Int

    func place(_ x: Int, _ y: Int) -> Int { start + y * stride + x }

    /// The planes in the order of their residue.
    static func all(_ workspace: MacroblockWorkspace, _ column: Int) -> [PlainPlane] {
        let (luma, chroma) = (workspace.lumaStride, workspace.chromaStride)
        let (x16, x8) = (16 * column, 8 * column)
        return [
            PlainPlane(
                kind: .luma, side: 16, start: workspace.luma(line: 0) + x16, stride: luma,
                edge: MacroblockWorkspace.edgeLuma + x16),
            PlainPlane(
                kind: .u, side: 8, start: workspace.u(line: 0) + x8, stride: chroma, edge: workspace.edgeU + x8),
            PlainPlane(
                kind: .v, side: 8, start: workspace.v(line: 0) + x8, stride: chroma, edge: workspace.edgeV + x8),
        ]
    }
}

/// The inverse transform with sums that wrap at sixteen bits, as the kernel's do; see `TransformKernels`.
private enum PlainResidue {
    private typealias Four = SIMD4<Int16>

    /// - Parameter isExact: whether sums of a block with up to three coefficients do not wrap.
    static func residue(of block: SIMD16<Int16>, isExact: Bool) -> SIMD16<Int32> {
        var result = SIMD16<Int32>()
        if isExact {
            let (dc, right, down) = (Int32(block[0]) + 4, Int32(block[1]), Int32(block[4]))
            let across = SIMD4(cosine(right), sine(right), -sine(right), -cosine(right))
            let along = SIMD4(cosine(down), sine(down), -sine(down), -cosine(down))
            for index in 0..<16 { result[index] = (dc + across[index % 4] + along[index / 4]) >> 3 }
            return result
        }
        var columns = SIMD16<Int16>()
        for x in 0..<4 {
            let column = pass(Four(block[x], block[4 + x], block[8 + x], block[12 + x]))
            for y in 0..<4 { columns[4 * y + x] = column[y] }
        }
        for y in 0..<4 {
            let first = columns[4 * y] &+ 4
            let row = pass(Four(first, columns[4 * y + 1], columns[4 * y + 2], columns[4 * y + 3]))
            for x in 0..<4 { result[4 * y + x] = Int32(row[x] >> 3) }
        }
        return result
    }

    /// One dimension.
    ///
    /// - Source: RFC 6386 section 14.4 "Implementation of the DCT Inversion"
    private static func pass(_ i: Four) -> Four {
        let (a, b) = (i[0] &+ i[2], i[0] &- i[2])
        let s = short(sine(Int32(i[1]))) &- short(cosine(Int32(i[3])))
        let t = short(cosine(Int32(i[1]))) &+ short(sine(Int32(i[3])))
        return Four(a &+ t, b &+ s, b &- s, a &- t)
    }

    private static func short(_ a: Int32) -> Int16 { Int16(truncatingIfNeeded: a) }

    /// sqrt(2) * cos(pi / 8) = 1 + 20091 / 65536.
    private static func cosine(_ a: Int32) -> Int32 { (a * 20091) >> 16 + a }

    /// sqrt(2) * sin(pi / 8) = 35468 / 65536.
    private static func sine(_ a: Int32) -> Int32 { (a * 35468) >> 16 }
}

#if ReferenceKernels
package typealias MacroblockRowKernel = MacroblockRowKernelReference
#endif
