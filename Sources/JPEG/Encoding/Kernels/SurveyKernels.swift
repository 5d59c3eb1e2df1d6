// What the survey before an encode measures on rows of words: errors, and neighbours that are equal.

import ImageCodecsCore

#if !ReferenceKernels
package enum SurveyKernels {
    /// The sum of squared differences of two rows of samples with 4 fractional bits, in 1/16: two bits are dropped first.
    ///
    /// - Parameters:
    ///   - first, second: Byte offsets of `count` words.
    package static func squaredDifference(_ first: Int, _ second: Int, count: Int, in workspace: RawSpan) -> Int {
        precondition(min(first, second) >= 0 && count >= 0 && max(first, second) + 2 * count <= workspace.byteCount)
        return unsafe workspace.withUnsafeBytes { workspace in
            let (a, b) = unsafe (workspace.baseAddress! + first, workspace.baseAddress! + second)
            var total = 0
            var x = 0
            while x &+ 8 <= count {
                // At most 2 * 2048^2 a lane and step: 128 steps fit.
                let end = min(x &+ 1024, count &- 7)
                var sum = Longs(repeating: 0)
                while x < end {
                    // SAFETY: `x + 8 <= count`.
                    let (left, right) = unsafe (
                        a.loadUnaligned(fromByteOffset: 2 &* x, as: Words.self),
                        b.loadUnaligned(fromByteOffset: 2 &* x, as: Words.self)
                    )
                    let difference = (left &- right) &>> 2
                    sum = sum &+ multiplyAdd(difference, difference)
                    x &+= 8
                }
                total &+= (Int(sum[0]) &+ Int(sum[1])) &+ (Int(sum[2]) &+ Int(sum[3]))
            }
            while x < count {
                // SAFETY: `x < count`.
                let (left, right) = unsafe (
                    a.loadUnaligned(fromByteOffset: 2 &* x, as: Int16.self),
                    b.loadUnaligned(fromByteOffset: 2 &* x, as: Int16.self)
                )
                let difference = Int((left &- right) &>> 2)
                total &+= difference &* difference
                x &+= 1
            }
            return total
        }
    }

    /// How many of `count` words have an equal word after them; the one after the last is read.
    package static func equalNeighbours(_ row: Int, count: Int, in workspace: RawSpan) -> Int {
        precondition(row >= 0 && count >= 0 && row + 2 * count + 2 <= workspace.byteCount)
        return unsafe workspace.withUnsafeBytes { workspace in
            let base = unsafe workspace.baseAddress! + row
            var total = 0
            var x = 0
            while x &+ 8 <= count {
                // A lane counts down by one a step.
                let end = min(x &+ 8 &* 16384, count &- 7)
                var sum = Words(repeating: 0)
                while x < end {
                    // SAFETY: `x + 9 <= count + 1`.
                    let (here, next) = unsafe (
                        base.loadUnaligned(fromByteOffset: 2 &* x, as: Words.self),
                        base.loadUnaligned(fromByteOffset: 2 &* x &+ 2, as: Words.self)
                    )
                    sum = sum &+ asWords(here .== next)
                    x &+= 8
                }
                let wide = widenedHalves(sum)
                let lanes = wide.low &+ wide.high
                total &-= (Int(lanes[0]) &+ Int(lanes[1])) &+ (Int(lanes[2]) &+ Int(lanes[3]))
            }
            while x < count {
                // SAFETY: `x + 1 <= count`.
                let (here, next) = unsafe (
                    base.loadUnaligned(fromByteOffset: 2 &* x, as: Int16.self),
                    base.loadUnaligned(fromByteOffset: 2 &* x &+ 2, as: Int16.self)
                )
                total &+= here == next ? 1 : 0
                x &+= 1
            }
            return total
        }
    }
}
#endif
