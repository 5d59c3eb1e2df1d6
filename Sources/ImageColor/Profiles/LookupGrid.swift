// The grid of colours in a profile's table, read where it stands in the profile.

import ImageCodecsCore

/// Colours of three channels, or inks of four, at points of equal distance, for one to four channels.
///
/// The last channel varies fastest. Example: 17 points for each of cyan, magenta, yellow and black are 83,521 colours of three numbers.
struct LookupGrid: Hashable, Sendable {
    /// Points along each channel, two at least.
    let pointCounts: [Int]
    /// Numbers of a colour: one to four.
    private let numberCount: Int
    /// The profile, which is not copied.
    private let bytes: [UInt8]
    /// Where the first number is.
    private let start: Int
    /// Bytes of a number, 1 or 2; all ones is 1.
    private let wordByteCount: Int
    /// For each channel, how many colours it is from a point to the next.
    private let steps: SIMD4<Int32>

    /// - Returns: `nil` if the numbers of points make no grid, or the bytes end before it does.
    init?(pointCounts: [Int], numberCount: Int, bytes: [UInt8], start: Int, wordByteCount: Int) {
        guard (1...4).contains(pointCounts.count), pointCounts.allSatisfy({ (2...255).contains($0) }) else {
            return nil
        }
        // At most 8 * 255^4 bytes; they have to be there.
        guard (1...4).contains(numberCount), start >= 0, (1...2).contains(wordByteCount), start <= bytes.count,
            bytes.count - start >= pointCounts.reduce(numberCount, *) * wordByteCount
        else { return nil }
        self.pointCounts = pointCounts
        self.numberCount = numberCount
        self.bytes = bytes
        self.start = start
        self.wordByteCount = wordByteCount
        var steps = SIMD4<Int32>.zero
        var step = 1
        for channel in pointCounts.indices.reversed() {
            steps[channel] = Int32(step)
            step *= pointCounts[channel]
        }
        self.steps = steps
    }

    /// The colour between points: on the last three channels a tetrahedron of the cell, on the first of four a line.
    func color(at v: SIMD4<Float>) -> SIMD4<Float> {
        var (bases, fractions) = (SIMD4<Int32>.zero, SIMD4<Float>.zero)
        for (channel, count) in pointCounts.enumerated() {
            let place = min(1, max(0, v[channel])) * Float(count - 1)
            let index = min(Int32(place), Int32(count - 2))
            bases[channel] = index * steps[channel]
            fractions[channel] = place - Float(index)
        }
        let cell = Int(bases.wrappedSum())
        guard pointCounts.count == 4 else { return tetrahedron(cell, fractions, steps) }
        let (rest, restSteps) = (
            SIMD4(fractions.y, fractions.z, fractions.w, 0), SIMD4(steps.y, steps.z, steps.w, 0)
        )
        let low = tetrahedron(cell, rest, restSteps)
        guard fractions.x > 0 else { return low }
        return low + (tetrahedron(cell + Int(steps.x), rest, restSteps) - low) * fractions.x
    }

    /// Goes from the lowest corner of the cell to the highest, along the channel with the greatest fraction first.
    private func tetrahedron(_ cell: Int, _ fractions: SIMD4<Float>, _ steps: SIMD4<Int32>) -> SIMD4<Float> {
        var (f, s) = (fractions, steps)
        func exchange(_ i: Int, _ j: Int) {
            guard f[i] < f[j] else { return }
            (f[i], f[j], s[i], s[j]) = (f[j], f[i], s[j], s[i])
        }
        exchange(0, 1)
        exchange(1, 2)
        exchange(0, 1)
        let (a, b, c) = (cell + Int(s.x), cell + Int(s.x) + Int(s.y), cell + Int(s.wrappedSum()))
        var sum = point(cell) * (1 - f.x)
        if f.x > 0 { sum += point(a) * (f.x - f.y) }
        if f.y > 0 { sum += point(b) * (f.y - f.z) }
        if f.z > 0 { sum += point(c) * f.z }
        return sum
    }

    /// The first three numbers of all points in their order, 0...65535 less 2^15.
    var points: [SIMD4<Int16>] {
        let step = numberCount * wordByteCount
        return bytes.withSpan { bytes in
            (0..<pointCounts.reduce(1, *)).map { index in
                func number(_ channel: Int) -> Int16 {
                    let at = start + index * step + channel * wordByteCount
                    let word =
                        wordByteCount == 1 ? UInt16(bytes[at]) * 257 : UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
                    return Int16(bitPattern: word &- 32768)
                }
                return SIMD4(number(0), number(1), number(2), 0)
            }
        }
    }

    private func point(_ index: Int) -> SIMD4<Float> {
        let at = start + index * numberCount * wordByteCount
        var numbers = SIMD4<Float>.zero
        for channel in 0..<numberCount {
            numbers[channel] =
                wordByteCount == 1
                ? Float(bytes[at + channel])
                : Float(UInt16(bytes[at + 2 * channel]) << 8 | UInt16(bytes[at + 2 * channel + 1]))
        }
        return numbers / (wordByteCount == 1 ? 255 : 65535)
    }
}
