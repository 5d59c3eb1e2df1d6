// Reconstruction by the book: whole planes of numbers, one sample at a time, formulas as the standard has them. The kernels'
// plain twins, which go by rows of macroblocks, are in `MacroblockRowKernelReference.swift` and
// `UpsamplingKernelsReference.swift`; what becomes of a sample they have in common.

/// Predicts, transforms and filters whole pictures.
package struct ReconstructionReference {
    /// One plane, as large as the macroblocks need.
    package struct Plane {
        package let width: Int
        private var samples: [UInt8]

        init(width: Int, height: Int) {
            self.width = width
            samples = [UInt8](repeating: 0, count: width * height)
        }

        /// A sample, 0...255; what is above the picture is 127, what is to its left 129.
        package subscript(_ x: Int, _ y: Int) -> Int {
            get { y < 0 ? 127 : x < 0 ? 129 : Int(samples[y * width + x]) }
            set { samples[y * width + x] = UInt8(newValue) }
        }
    }

    /// Y, U and V.
    package private(set) var planes: [Plane]
    /// What they were predicted as, if that is kept; else none.
    package private(set) var predictions: [Plane] = []
    private let columns: Int

    /// - Parameter keepsPredictions: whether ``predictions`` are wanted, which take as much again.
    package init(columns: Int, rows: Int, keepsPredictions: Bool = false) {
        self.columns = columns
        planes = [16, 8, 8].map { Plane(width: $0 * columns, height: $0 * rows) }
        if keepsPredictions { predictions = planes }
    }

    /// Bytes of the planes of this many macroblocks.
    package static func byteCount(macroblockCount: Int, keepsPredictions: Bool = false) -> Int {
        macroblockCount * (keepsPredictions ? 768 : 384)
    }

    /// Reconstructs and filters a picture.
    ///
    /// - Parameters:
    ///   - infos: of all macroblocks.
    ///   - coefficients: of each macroblock, sixteen for each block whose code is not 0.
    package mutating func reconstruct(_ infos: [MacroblockInfo], coefficients: [[Int16]], filter: FilterPlan) {
        for index in infos.indices {
            var rest = coefficients[index][...]
            reconstruct(infos[index], index % columns, index / columns, &rest)
        }
        guard filter.kind != .none else { return }
        for index in infos.indices { self.filter(infos[index], index % columns, index / columns, filter) }
    }

    /// Predicts a macroblock and adds its residue; those above and to the left come first, and none is filtered yet.
    ///
    /// - Parameter rest: sixteen coefficients for each block whose code is not 0, which are taken out.
    package mutating func reconstruct(
        _ info: MacroblockInfo, _ column: Int, _ row: Int, _ rest: inout ArraySlice<Int16>
    ) {
        if info.hasSubblockModes == 0 { predict(0, 16, info.modes[0], column, row) }
        for index in 0..<16 {
            let (x, y) = (16 * column + 4 * (index % 4), 16 * row + 4 * (index / 4))
            if info.hasSubblockModes != 0 { predictSubblock(info.modes[index], x, y) }
            add(0, x, y, info.lumaCodes >> UInt32(2 * index) & 3, &rest)
        }
        for plane in 1...2 {
            predict(plane, 8, info.chromaMode, column, row)
            for index in 0..<4 {
                let code = UInt32(info.chromaCodes) >> UInt32(8 * (plane - 1) + 2 * index) & 3
                add(plane, 8 * column + 4 * (index % 2), 8 * row + 4 * (index / 2), code, &rest)
            }
        }
    }

    /// - Source: RFC 6386 section 12.2 "Chroma Prediction", section 12.3 "Luma Prediction"
    private mutating func predict(_ plane: Int, _ side: Int, _ mode: UInt8, _ column: Int, _ row: Int) {
        let source = planes[plane]
        let (left, top) = (side * column, side * row)
        // The corner is 127 above the picture, 129 to its left.
        let corner = source[left - 1, top - 1]
        var known: [Int] = []
        if row > 0 { known += (0..<side).map { source[left + $0, top - 1] } }
        if column > 0 { known += (0..<side).map { source[left - 1, top + $0] } }
        let mean = known.isEmpty ? 128 : (known.reduce(0, +) + known.count / 2) / known.count
        for y in 0..<side {
            for x in 0..<side {
                let (above, beside) = (source[left + x, top - 1], source[left - 1, top + y])
                planes[plane][left + x, top + y] =
                    switch mode {
                    case MacroblockMode.vertical: above
                    case MacroblockMode.horizontal: beside
                    case MacroblockMode.trueMotion: min(max(above + beside - corner, 0), 255)
                    default: mean
                    }
            }
        }
    }

    /// - Source: RFC 6386 section 12.3 "Luma Prediction", subblock_intra_predict: E is the edge, from the lower left over the
    ///   corner to the upper right
    private mutating func predictSubblock(_ mode: UInt8, _ left: Int, _ top: Int) {
        let luma = planes[0]
        // Above and to the right of the right column stand samples from above the macroblock, for all of its rows; at the
        // right edge of the picture the last one again.
        let isRight = left % 16 == 12
        let above = (0..<8).map { x -> Int in
            let y = isRight && x > 3 ? top / 16 * 16 - 1 : top - 1
            return luma[y < 0 ? 0 : min(left + x, luma.width - 1), y]
        }
        var e = Edge()
        for index in 0..<4 { e[index] = luma[left - 1, top + 3 - index] }
        e[4] = luma[left - 1, top - 1]
        for index in 0..<8 { e[5 + index] = above[index] }
        for y in 0..<4 {
            for x in 0..<4 { planes[0][left + x, top + y] = Self.predicted(mode, e, x, y) }
        }
    }

    /// The samples around a subblock, from the lower left over the corner, which is the fifth, to the upper right.
    typealias Edge = SIMD16<Int>

    /// A sample of a subblock.
    static func predicted(_ mode: UInt8, _ e: Edge, _ x: Int, _ y: Int) -> Int {
        func mean(_ i: Int) -> Int { (e[i - 1] + 2 * e[i] + e[min(i + 1, 12)] + 2) >> 2 }
        func mean2(_ i: Int) -> Int { (e[i] + e[i + 1] + 1) >> 1 }
        func l(_ i: Int) -> Int { e[3 - i] }
        switch mode {
        case SubblockMode.trueMotion: return min(max(e[5 + x] + l(y) - e[4], 0), 255)
        case SubblockMode.vertical: return mean(5 + x)
        case SubblockMode.horizontal: return y < 3 ? mean(3 - y) : (l(2) + 3 * l(3) + 2) >> 2
        case SubblockMode.leftDown: return x + y < 6 ? mean(6 + x + y) : (e[11] + 3 * e[12] + 2) >> 2
        case SubblockMode.rightDown: return mean(4 + x - y)
        case SubblockMode.verticalRight:
            if 2 * x < y - 1 { return mean(5 - y + x) }
            return y % 2 == 0 && 2 * x >= y ? mean2(4 + x - y / 2) : mean(4 + x - y / 2)
        case SubblockMode.verticalLeft:
            if x == 3 && y > 1 { return mean(8 + y) }
            return y % 2 == 0 ? mean2(5 + x + y / 2) : mean(6 + x + y / 2)
        case SubblockMode.horizontalDown:
            if x > 2 * y + 1 { return mean(3 + x - 2 * y) }
            return x % 2 == 0 ? mean2(3 - y + x / 2) : mean(4 - y + x / 2)
        case SubblockMode.horizontalUp:
            let i = y + x / 2
            if x + 2 * y > 5 { return l(3) }
            if x + 2 * y == 5 { return (l(2) + 3 * l(3) + 2) >> 2 }
            return x % 2 == 0 ? (l(i) + l(i + 1) + 1) >> 1 : (l(i) + 2 * l(i + 1) + l(i + 2) + 2) >> 2
        default:
            var sum = 4
            for index in 0..<4 { sum += e[index] + e[5 + index] }
            return sum >> 3
        }
    }

    private mutating func add(_ plane: Int, _ left: Int, _ top: Int, _ code: UInt32, _ rest: inout ArraySlice<Int16>) {
        if !predictions.isEmpty {
            for index in 0..<16 {
                let (x, y) = (left + index % 4, top + index / 4)
                predictions[plane][x, y] = planes[plane][x, y]
            }
        }
        guard code > 0 else { return }
        let residue = Self.inverseDCT(rest.prefix(16).map(Int.init))
        rest = rest.dropFirst(16)
        for index in 0..<16 {
            let (x, y) = (left + index % 4, top + index / 4)
            planes[plane][x, y] = min(max(planes[plane][x, y] + residue[index], 0), 255)
        }
    }

    /// - Source: RFC 6386 section 14.4 "Implementation of the DCT Inversion"
    package static func inverseDCT(_ c: [Int]) -> [Int] {
        func pass(_ i: [Int]) -> [Int] {
            func sine(_ a: Int) -> Int { (a * 35468) >> 16 }
            func cosine(_ a: Int) -> Int { a + (a * 20091) >> 16 }
            let (a, b) = (i[0] + i[2], i[0] - i[2])
            let (s, t) = (sine(i[1]) - cosine(i[3]), cosine(i[1]) + sine(i[3]))
            return [a + t, b + s, b - s, a - t]
        }
        var columns = (0..<4).map { x in pass((0..<4).map { c[4 * $0 + x] }) }
        var result: [Int] = []
        for y in 0..<4 { result += pass((0..<4).map { columns[$0][y] + ($0 == 0 ? 4 : 0) }).map { $0 >> 3 } }
        columns = []
        return result
    }

    /// - Source: RFC 6386 section 14.3 "Implementation of the WHT Inversion"
    package static func inverseWHT(_ c: [Int16], end: Int) -> [Int16] {
        let i = c.map(Int.init)
        func pass(_ i: [Int]) -> [Int] {
            let (a, b, c, d) = (i[0] + i[3], i[1] + i[2], i[1] - i[2], i[0] - i[3])
            return [a + b, d + c, a - b, d - c]
        }
        let columns = (0..<4).map { x in pass((0..<4).map { i[4 * $0 + x] }) }
        return (0..<4).flatMap { y in
            pass((0..<4).map { columns[$0][y] + ($0 == 0 ? 3 : 0) }).map { Int16(truncatingIfNeeded: $0 >> 3) }
        }
    }
}

// MARK: - Loop filter

extension ReconstructionReference {
    /// - Source: RFC 6386 section 15.1 "Filter Geometry and Overall Procedure"
    private mutating func filter(_ info: MacroblockInfo, _ column: Int, _ row: Int, _ plan: FilterPlan) {
        let strength = plan.strengths[2 * Int(info.segment) + Int(info.hasSubblockModes)]
        guard strength.edgeLimit > 0 else { return }
        let isSimple = plan.kind == .simple
        for isHorizontal in [false, true] {
            for (plane, side) in [(0, 16), (1, 8), (2, 8)] where plane == 0 || !isSimple {
                for edge in stride(from: 0, to: side, by: 4) {
                    if edge == 0 ? (isHorizontal ? row : column) == 0 : !info.filtersInside { continue }
                    for along in 0..<side {
                        let (x, y) = (
                            side * column + (isHorizontal ? along : edge), side * row + (isHorizontal ? edge : along)
                        )
                        filterAcross(plane, x, y, isHorizontal, edge == 0, isSimple, strength)
                    }
                }
            }
        }
    }

    /// One position along an edge: `x` and `y` are those of q0.
    private mutating func filterAcross(
        _ plane: Int, _ x: Int, _ y: Int, _ isHorizontal: Bool, _ isOuter: Bool, _ isSimple: Bool,
        _ strength: FilterStrength
    ) {
        func place(_ offset: Int) -> (Int, Int) { isHorizontal ? (x, y + offset) : (x + offset, y) }
        var samples = Across()
        for offset in -4..<4 {
            let (x, y) = place(offset)
            samples[offset + 4] = Int32(planes[plane][x, y])
        }
        samples = Self.filtered(samples, isOuter: isOuter, isSimple: isSimple, strength)
        for offset in -4..<4 {
            let (x, y) = place(offset)
            planes[plane][x, y] = Int(samples[offset + 4])
        }
    }

    /// Samples across an edge: p3 p2 p1 p0 q0 q1 q2 q3.
    typealias Across = SIMD8<Int32>

    /// What becomes of them.
    static func filtered(_ samples: Across, isOuter: Bool, isSimple: Bool, _ strength: FilterStrength) -> Across {
        var s = samples &- Across(repeating: 128)
        let (p1, p0, q0, q1) = (s[2], s[3], s[4], s[5])
        let limit = Int32(strength.edgeLimit) + (isOuter ? 4 : 0)
        guard abs(p0 - q0) * 2 + abs(p1 - q1) / 2 <= limit else { return samples }
        func clamp(_ v: Int32) -> Int32 { min(max(v, -128), 127) }
        func common(_ outer: Int32) -> Int32 {
            let a = clamp(outer + 3 * (q0 - p0))
            let (b, c) = (clamp(a + 3) >> 3, clamp(a + 4) >> 3)
            (s[3], s[4]) = (clamp(p0 + b), clamp(q0 - c))
            return c
        }
        if isSimple {
            _ = common(clamp(p1 - q1))
        } else {
            for index in 0..<7 where index != 3 {
                if abs(s[index] - s[index + 1]) > Int32(strength.interiorLimit) { return samples }
            }
            let isSteep = max(abs(p1 - p0), abs(q1 - q0)) > Int32(strength.varianceThreshold)
            if isOuter && !isSteep {
                let w = clamp(clamp(p1 - q1) + 3 * (q0 - p0))
                for index in 1...3 {
                    let a = clamp((9 * Int32(index) * w + 63) >> 7)
                    (s[index], s[7 - index]) = (clamp(s[index] + a), clamp(s[7 - index] - a))
                }
            } else {
                let c = common(isOuter || isSteep ? clamp(p1 - q1) : 0)
                if !isSteep {
                    let a = (c + 1) >> 1
                    (s[2], s[5]) = (clamp(p1 + a), clamp(q1 - a))
                }
            }
        }
        return s &+ Across(repeating: 128)
    }
}

// MARK: - Colour

extension ReconstructionReference {
    /// The pixel at `x`, `y` of a picture of `width` columns and `height` rows: B, G, R, 255.
    ///
    /// - Source: ITU-R BT.601 in fixed point of 14 bits; chroma 9/16, 3/16, 3/16 and 1/16
    package func pixel(_ x: Int, _ y: Int, width: Int, height: Int) -> [UInt8] {
        func chroma(_ plane: Int) -> Int {
            let (w, h) = ((width + 1) / 2, (height + 1) / 2)
            let (near, next) = (
                (x / 2, y / 2), (x % 2 == 0 ? x / 2 - 1 : x / 2 + 1, y % 2 == 0 ? y / 2 - 1 : y / 2 + 1)
            )
            func at(_ x: Int, _ y: Int) -> Int { planes[plane][min(max(x, 0), w - 1), min(max(y, 0), h - 1)] }
            return (9 * at(near.0, near.1) + 3 * at(next.0, near.1) + 3 * at(near.0, next.1) + at(next.0, next.1) + 8)
                >> 4
        }
        let (b, g, r) = Self.color(luma: planes[0][x, y], chroma(1), chroma(2))
        return [b, g, r, 255]
    }

    /// The colour of a pixel.
    static func color(luma: Int, _ u: Int, _ v: Int) -> (blue: UInt8, green: UInt8, red: UInt8) {
        func limited(_ value: Int) -> UInt8 { UInt8(min(max(value >> 6, 0), 255)) }
        let l = (luma * 19077) >> 8
        return (
            limited(l + (u * 33050) >> 8 - 17685), limited(l - (u * 6419) >> 8 - (v * 13320) >> 8 + 8708),
            limited(l + (v * 26149) >> 8 - 14234)
        )
    }
}
