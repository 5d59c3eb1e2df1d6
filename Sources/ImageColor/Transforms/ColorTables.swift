// A mapping compiled into the tables of the kernels for eight bits.

import ImageCodecsCore

extension ColorMapping {
    /// Whether no colour changes by more than 1/255: each channel alone, all grays, and a grid of nine numbers a channel.
    var isIdentity: Bool {
        guard source.channels != .cmyk else { return false }
        func stays(_ v: SIMD4<Double>) -> Bool {
            let changed = self(v) - v
            return max(abs(changed.x), abs(changed.y), abs(changed.z)) <= 1 / 255.0
        }
        for number in stride(from: 255, through: 0, by: -1) {
            let x = Double(number) / 255
            if source.channels == .rgb {
                guard stays(SIMD4(x, 0, 0, 0)), stays(SIMD4(0, x, 0, 0)), stays(SIMD4(0, 0, x, 0)) else { return false }
            }
            guard stays(SIMD4(x, x, x, 0)) else { return false }
        }
        guard source.channels == .rgb else { return true }
        for point in 0..<729 {
            let v = SIMD4(Double(point % 9), Double(point / 9 % 9), Double(point / 81), 0) / 8
            guard stays(v) else { return false }
        }
        return true
    }

    /// What a gray number becomes, 0...1 to 0...255.
    func byte(ofGray x: Double) -> UInt8 { UInt8((self(SIMD4(x, x, x, 0)).y * 255).rounded()) }

    /// What a gray number becomes, 0...1 to 0...65535.
    func word(ofGray x: Double) -> UInt16 { UInt16((self(SIMD4(x, x, x, 0)).y * 65535).rounded()) }
}

extension MatrixColorTables {
    /// - Parameter curves: those of red, green and blue of the mapping's source, which has a matrix.
    package init(_ mapping: ColorMapping, _ curves: [ToneCurve]) {
        let one = Double(1 << Self.lightBitCount)
        let linear = mapping.linearLight
        let light = (0..<3).map { channel in
            (0..<256).map { number in
                var v = SIMD4<Double>.zero
                v[channel] = curves[channel](Double(number) / 255)
                return linear.matrix * v * one
            }
        }
        let offset = linear.offset * one
        // Light of displays is within -2 and 4. What is beyond comes of nonsense, of which each part is cut.
        let isWithin = Self.isWithin(light, offset, Double(1 << (Self.channelBitCount - 1)) - 64)
        let limit = isWithin ? Double.infinity : Double(1 << (Self.channelBitCount - 3)) - 64
        contributions = light.joined().map { Self.packed($0, limit) }
        // Once what is added, 4 because sums begin at -4, and half of a step, so that cutting off the rest rounds.
        let start: Int64 = 1 << Int64(Self.channelBitCount - 1) + 1 << Int64(Self.restBitCount - 1)
        let once = Self.packed(offset, limit) &+ Self.packed(start, start, start)
        for number in 0..<256 { contributions[number] &+= once }
        numbers = mapping.destination.lightTable.wideBytes
    }

    /// Whether all sums are within a limit either way.
    private static func isWithin(_ light: [[SIMD4<Double>]], _ offset: SIMD4<Double>, _ limit: Double) -> Bool {
        (0..<3).allSatisfy { lane in
            func sum(_ extreme: ([Double]) -> Double?) -> Double {
                light.reduce(offset[lane]) { $0 + (extreme($1.map { $0[lane] }) ?? 0) }
            }
            return sum { $0.min() } > -limit && sum { $0.max() } < limit
        }
    }

    private static func packed(_ light: SIMD4<Double>, _ limit: Double) -> Int64 {
        packed(word(light.x, limit), word(light.y, limit), word(light.z, limit))
    }

    /// What is not a number is 0.
    private static func word(_ value: Double, _ limit: Double) -> Int64 {
        value == value ? Int64(min(limit, max(-limit, value)).rounded()) : 0
    }
}

extension ColorMapping {
    /// From light of a source that has a matrix to light of the destination.
    var linearLight: (matrix: Matrix3, offset: SIMD4<Double>) {
        guard case .matrix(_, let matrix) = source.model else { return (.identity, .zero) }
        return (
            destination.inverseMatrix * Matrix3.diagonal(blackScale) * matrix, destination.inverseMatrix * blackShift
        )
    }
}

extension GridColorTables {
    /// The grid of a profile's table, with the curves before it in the places of numbers and those after it as tables of 4097 values. A
    /// table of another shape (none or more than one of these steps) becomes a grid first: 33 points for each of three channels, 17 for each
    /// of four.
    ///
    /// - Parameter table: that of the mapping, of three or four channels; the last channel varies fastest.
    init(_ mapping: ColorMapping, _ table: ProfileTable) {
        let (curves, stages) = Self.firstCurves(table)
        let channelCount = mapping.source.channels.rawValue
        let pointCounts: [Int]
        let line: Line
        (pointCounts, points, self.curves, line) = Self.grid(stages, channelCount: channelCount)
        let isInk = channelCount == 4
        let steps = Self.steps(pointCounts)
        places = []
        for (channel, count) in pointCounts.enumerated() {
            for number in 0..<256 {
                // Adobe's files say how much paper is left.
                let x = Double(isInk ? 255 - number : number) / 255
                let value = curves.isEmpty ? x : min(1, max(0, curves[channel](x)))
                let place = Int((value * Double((count - 1) * GridPlace.one)).rounded())
                let index = min(place / GridPlace.one, count - 2)
                places.append(
                    GridPlace(
                        offset: index * steps[channel], step: steps[channel], distance: place - index * GridPlace.one))
            }
        }
        isLab = table.connection != .xyz
        let (roots, number) = (table.connection.roots, Matrix3.diagonal(SIMD4(repeating: 1 / Self.sumScale)))
        let middle = SIMD4<Double>(repeating: 32768.0 / 65535)
        toSpace = AffineColors(
            roots.matrix * Matrix3.diagonal(line.slope) * number,
            roots.offset + roots.matrix * (line.start + line.slope * middle))
        toLight = mapping.tableLight(isLab: isLab)
        numbers = mapping.destination.lightTable.bytes
        precondition(isComplete, "a place beyond the grid")
    }

    /// Bytes that are held at most while tables are made of a profile's table, and by these.
    static func peakByteCount(_ table: ProfileTable, channelCount: Int) -> Int {
        let stages = firstCurves(table).rest
        // Places, curves while they are collected, and numbers.
        let others = 1 << 17
        if let (grid, _) = ownGrid(stages) { return grid.pointCounts.reduce(pointByteCount, *) + others }
        // Colours are kept until all of them are points.
        let byteCount = pointByteCount + MemoryLayout<SIMD4<Float>>.stride
        return pointCounts(channelCount: channelCount).reduce(byteCount, *) + others
    }

    private static let pointByteCount = MemoryLayout<SIMD4<Int16>>.stride

    /// How many bytes they take.
    var byteCount: Int {
        points.count * Self.pointByteCount + places.count * 8 + curves.count * 4 + numbers.count
    }

    /// The curves that a table begins with, none if it begins with something else, and what follows.
    private static func firstCurves(_ table: ProfileTable) -> (curves: [ToneCurve], rest: ArraySlice<LookupStage>) {
        guard case .curves(let curves)? = table.stages.first else { return ([], table.stages[...]) }
        return (curves, table.stages.dropFirst())
    }

    /// The grid that tables can keep, and the curves after it; `nil` if something else follows.
    private static func ownGrid(_ stages: ArraySlice<LookupStage>) -> (grid: LookupGrid, curves: [ToneCurve])? {
        guard stages.count <= 2, case .grid(let grid)? = stages.first else { return nil }
        if stages.count == 1 { return (grid, []) }
        if case .curves(let curves)? = stages.last { return (grid, curves) }
        return nil
    }

    /// Points of a grid that is made for stages of another shape.
    private static func pointCounts(channelCount: Int) -> [Int] {
        Array(repeating: channelCount == 4 ? 17 : 33, count: channelCount)
    }

    /// For each channel of a grid's colours: what 0 becomes, and how much more each number.
    private struct Line {
        var start = SIMD4<Double>.zero
        var slope = SIMD4<Double>(repeating: 1)
    }

    /// Points along each channel, the colours there, and what follows: curves, or lines.
    private static func grid(
        _ stages: ArraySlice<LookupStage>, channelCount: Int
    ) -> (pointCounts: [Int], points: [SIMD4<Int16>], curves: [Float], line: Line) {
        if let (grid, curves) = ownGrid(stages) {
            let line = line(curves)
            return (grid.pointCounts, grid.points, line == nil ? values(curves) : [], line ?? Line())
        }
        let pointCounts = pointCounts(channelCount: channelCount)
        let steps = steps(pointCounts)
        var colors = (0..<pointCounts.reduce(1, *)).map { point in
            var v = SIMD4<Float>.zero
            for (channel, count) in pointCounts.enumerated() {
                v[channel] = Float(point / steps[channel] % count) / Float(count - 1)
            }
            return v
        }
        for stage in stages { stage.apply(to: &colors) }
        return (pointCounts, colors.map { SIMD4(point($0.x), point($0.y), point($0.z), 0) }, [], Line())
    }

    /// A number of 0...1 as points have it; what is not a number is 0.
    private static func point(_ number: Float) -> Int16 {
        Int16((number > 0 ? min(1, number) * 65535 : 0).rounded() - 32768)
    }

    /// Number 1 in sums.
    private static let sumScale = Double(65535 * GridPlace.one)

    /// Curves after a grid in the scale of sums.
    private static func values(_ curves: [ToneCurve]) -> [Float] {
        curves.flatMap { curve in
            (0..<curveCount).map { index in
                // Sums go from -2^29 to 2^29 - 2^14.
                let x = min(1, Double(index << curveStepBitCount) / sumScale)
                return Float(curve(x) * sumScale - Double(sumLimit))
            }
        }
    }

    /// Curves as lines; `nil` if one of them is bent by more than 2^-14.
    private static func line(_ curves: [ToneCurve]) -> Line? {
        var line = Line()
        for (channel, curve) in curves.enumerated() {
            let (start, slope) = (curve(0), curve(1) - curve(0))
            for index in 1..<256 {
                let x = Double(index) / 256
                guard abs(curve(x) - start - slope * x) < 1.0 / 16384 else { return nil }
            }
            (line.start[channel], line.slope[channel]) = (start, slope)
        }
        return line
    }

    private static func steps(_ pointCounts: [Int]) -> [Int] {
        var steps = Array(repeating: 1, count: pointCounts.count)
        for channel in pointCounts.indices.dropLast().reversed() {
            steps[channel] = steps[channel + 1] * pointCounts[channel + 1]
        }
        return steps
    }
}

extension AffineColors {
    fileprivate init(_ matrix: Matrix3, _ offset: SIMD4<Double>) {
        let (x, y, z) = matrix.columns
        self.init(x: SIMD4<Float>(x), y: SIMD4<Float>(y), z: SIMD4<Float>(z), offset: SIMD4<Float>(offset))
    }
}

extension ColorMapping {
    /// From X, Y and Z, relative to the white of profiles for Lab, to light of the destination.
    fileprivate func tableLight(isLab: Bool) -> AffineColors {
        let one = Double(1 << GridColorTables.lightBitCount)
        let white = isLab ? Whites.d50 : SIMD4(1, 1, 1, 0)
        return AffineColors(
            destination.inverseMatrix * Matrix3.diagonal(white * blackScale * one),
            destination.inverseMatrix * (blackShift * one))
    }
}
