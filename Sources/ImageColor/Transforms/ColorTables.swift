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
        let one = Double(1 << (Self.lightBitCount + Self.restBitCount))
        // Three of them are in an `Int32`. Light of a channel is 2.2 at most in profiles of displays.
        let limit = Double(1 << 28)
        contributions = []
        for channel in 0..<3 {
            for number in 0..<256 {
                var v = SIMD4<Double>.zero
                v[channel] = curves[channel](Double(number) / 255)
                let light = mapping.linearLight(v) * one
                contributions.append(
                    SIMD4(Self.word(light.x, limit), Self.word(light.y, limit), Self.word(light.z, limit), 0))
            }
        }
        // Half of a step is added once, so that cutting off the rest rounds.
        for number in 0..<256 { contributions[number] &+= SIMD4(repeating: 1 << Int32(Self.restBitCount - 1)) }
        numbers = mapping.destination.lightTable.bytes
    }

    /// What is not a number is 0.
    private static func word(_ value: Double, _ limit: Double) -> Int32 {
        value == value ? Int32(min(limit, max(-limit, value)).rounded()) : 0
    }
}

extension ColorMapping {
    /// Light of the destination for light of a source that has a matrix.
    func linearLight(_ v: SIMD4<Double>) -> SIMD4<Double> {
        guard case .matrix(_, let matrix) = source.model else { return v }
        return destination.inverseMatrix * ((matrix * v) * blackScale)
    }
}

extension GridColorTables {
    /// A grid of the mapping's colours. The curves that the table begins with are in the places of numbers, and points lie where those of
    /// the table do if they are not too many: there the result is the table's own.
    ///
    /// - Parameter table: that of the mapping, of three or four channels; the last channel varies fastest.
    init(_ mapping: ColorMapping, _ table: ProfileTable) {
        var stages = table.stages[...]
        var curves: [ToneCurve] = []
        if case .curves(let first)? = stages.first {
            curves = first
            stages.removeFirst()
        }
        let channelCount = mapping.source.channels.rawValue
        let pointCounts = Self.pointCounts(stages.first, channelCount: channelCount)
        let isInk = channelCount == 4
        let steps = Self.steps(pointCounts)
        self.steps = steps
        (offsets, fractions) = ([], [])
        for (channel, count) in pointCounts.enumerated() {
            for number in 0..<256 {
                // Adobe's files say how much paper is left.
                let x = Double(isInk ? 255 - number : number) / 255
                let value = curves.isEmpty ? x : min(1, max(0, curves[channel](x)))
                let place = Int((value * Double((count - 1) * 256)).rounded())
                let index = min(place / 256, count - 2)
                offsets.append(Int32(index) * steps[channel])
                fractions.append(Int16(place - index * 256))
            }
        }
        let ends = pointCounts.map { Float($0 - 1) }
        var colors = (0..<pointCounts.reduce(1, *)).map { point in
            var v = SIMD4<Float>.zero
            for (channel, count) in pointCounts.enumerated() {
                v[channel] = Float(point / Int(steps[channel]) % count) / ends[channel]
            }
            return v
        }
        for stage in stages { stage.apply(to: &colors) }
        points = colors.map { color in
            let color = mapping.unlimitedNumbers(ofTable: SIMD4<Double>(color), table.connection)
            return SIMD4(Self.point(color.x), Self.point(color.y), Self.point(color.z), 0)
        }
        precondition(isComplete, "a place beyond the grid")
    }

    /// A number of -2...2 as points have it.
    private static func point(_ number: Double) -> Int16 {
        Int16((min(2, max(-2, number)) * Double(255 << pointBitCount)).rounded())
    }

    /// Points along each channel: as in the table, or each of its intervals divided, at most 33 for three channels and 17 for four.
    private static func pointCounts(_ stage: LookupStage?, channelCount: Int) -> [Int] {
        let most = channelCount == 4 ? 17 : 33
        guard case .grid(let grid)? = stage else { return Array(repeating: most, count: channelCount) }
        return grid.pointCounts.map { $0 > most ? most : (most - 1) / ($0 - 1) * ($0 - 1) + 1 }
    }

    private static func steps(_ pointCounts: [Int]) -> [Int32] {
        var steps = Array(repeating: Int32(0), count: pointCounts.count)
        var step = 1
        for channel in pointCounts.indices.reversed() {
            steps[channel] = Int32(step)
            step *= pointCounts[channel]
        }
        return steps
    }
}

extension ColorMapping {
    /// Numbers of the destination for what a table of the source gives, also beyond 0...1: between points these are interpolated, and a number that
    /// was cut has a bend there.
    fileprivate func unlimitedNumbers(ofTable value: SIMD4<Double>, _ connection: ConnectionSpace) -> SIMD4<Double> {
        let light = destination.inverseMatrix * (connection.tristimulus(value) * blackScale + blackShift)
        let table = destination.lightTable
        return SIMD4(table.unlimitedNumber(light.x), table.unlimitedNumber(light.y), table.unlimitedNumber(light.z), 0)
    }
}
