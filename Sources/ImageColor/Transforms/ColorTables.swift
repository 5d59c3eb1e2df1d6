// A mapping compiled into the tables of the kernels for eight bits.

import ImageCodecsCore

extension ColorMapping {
    /// Whether no colour changes by more than 1/255: all grays, each channel alone, and a grid of nine numbers a channel.
    var isIdentity: Bool {
        guard source.channels != .cmyk else { return false }
        func stays(_ v: SIMD4<Double>) -> Bool {
            let changed = self(v) - v
            return max(abs(changed.x), abs(changed.y), abs(changed.z)) <= 1 / 255.0
        }
        for number in 0..<256 {
            let x = Double(number) / 255
            guard stays(SIMD4(x, x, x, 0)) else { return false }
            guard source.channels == .rgb else { continue }
            guard stays(SIMD4(x, 0, 0, 0)), stays(SIMD4(0, x, 0, 0)), stays(SIMD4(0, 0, x, 0)) else { return false }
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
    init(_ mapping: ColorMapping, _ curves: [ToneCurve]) {
        let unit = Double(1 << (Self.lightBitCount + Self.restBitCount))
        // Three of them are in an `Int32`. Light of a channel is 2.2 at most in profiles of displays.
        let limit = Double(1 << 28)
        contributions = []
        for channel in 0..<3 {
            for number in 0..<256 {
                var v = SIMD4<Double>.zero
                v[channel] = curves[channel](Double(number) / 255)
                let light = mapping.linearLight(v) * unit
                contributions.append(
                    SIMD4(Self.word(light.x, limit), Self.word(light.y, limit), Self.word(light.z, limit), 0))
            }
        }
        // Half of a step is added once, so that cutting off the rest rounds.
        for number in 0..<256 { contributions[number] &+= SIMD4(repeating: 1 << Int32(Self.restBitCount - 1)) }
        numbers = (0..<Self.numberCount).map {
            UInt8((mapping.number(Double($0) / Double(1 << Self.lightBitCount)) * 255).rounded())
        }
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
        return destination.inverseMatrix * ((matrix * v) * scaleOfWhite)
    }
}

extension GridColorTables {
    /// - Parameter pointCounts: points along each channel, at most 33 of three and 17 of four; the last channel of three varies fastest, and black
    ///   of four slowest.
    init(_ mapping: ColorMapping, pointCounts: [Int]) {
        let isCMYK = pointCounts.count == 4
        let order = isCMYK ? [3, 0, 1, 2] : [0, 1, 2]
        var steps = Array(repeating: Int32(0), count: pointCounts.count)
        var step = 1
        for channel in order.reversed() {
            steps[channel] = Int32(step)
            step *= pointCounts[channel]
        }
        self.steps = steps
        (offsets, fractions) = ([], [])
        for (channel, count) in pointCounts.enumerated() {
            for number in 0..<256 {
                let place = number * (count - 1)
                let index = min(place / 255, count - 2)
                offsets.append(Int32(index) * steps[channel])
                fractions.append(Int16(((place - index * 255) * 256 + 127) / 255))
            }
        }
        points = (0..<step).map { point in
            var v = SIMD4<Double>.zero
            for (channel, count) in pointCounts.enumerated() {
                let x = Double(point / Int(steps[channel]) % count) / Double(count - 1)
                // Adobe's files say how much paper is left.
                v[channel] = isCMYK ? 1 - x : x
            }
            let color = mapping(v) * Double(255 << Self.pointBitCount)
            return SIMD4(Int16(color.x.rounded()), Int16(color.y.rounded()), Int16(color.z.rounded()), 0)
        }
        precondition(isComplete, "a place beyond the grid")
    }
}
