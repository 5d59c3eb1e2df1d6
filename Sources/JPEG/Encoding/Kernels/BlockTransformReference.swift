// Plain twin of BlockTransform: sums of products, one coefficient at a time.

/// See the functions of the same names in ``BlockTransform``. Blocks are 64 numbers, row by row.
package enum BlockTransformReference {
    /// The square root of 2 times the cosine of `index` sixteenths of half a turn, with 13 fractional bits; of 4, 1.
    private static let factors: [Int32] = [11585, 11363, 10703, 9633, 8192, 6436, 4433, 2260, 0]

    /// The factor of sample `x` in coefficient `u`.
    private static func factor(_ u: Int, _ x: Int) -> Int32 {
        guard u > 0 else { return 8192 }
        let angle = u * (2 * x + 1) % 32
        let folded = angle <= 16 ? angle : 32 - angle
        return folded <= 8 ? factors[folded] : -factors[16 - folded]
    }

    package static func forward(_ samples: [Int16]) -> [Int16] {
        forwardPass(transposed(forwardPass(samples, 3)), 0)
    }

    package static func inverse(_ coefficients: [Int16]) -> [Int16] {
        inversePass(transposed(inversePass(coefficients)))
    }

    private static func transposed(_ block: [Int16]) -> [Int16] { (0..<64).map { block[$0 % 8 * 8 + $0 / 8] } }

    /// Of all columns.
    private static func forwardPass(_ block: [Int16], _ drop: Int32) -> [Int16] {
        var result = block
        for column in 0..<8 {
            let x = (0..<8).map { block[8 * $0 + column] }
            for u in 0..<8 {
                if u % 4 == 0 {
                    // Sums and differences alone.
                    let sum = (0..<8).reduce(Int32(0)) { $0 + Int32(x[$1]) * (factor(u, $1) > 0 ? 1 : -1) }
                    let half = drop == 0 ? 0 : Int32(1) << (drop - 1)
                    result[8 * u + column] = Int16(truncatingIfNeeded: (sum + half) >> drop)
                } else {
                    var sum = Int32(1) << (12 + drop)
                    for k in 0..<4 {
                        let pair = u % 2 == 0 ? x[k] &+ x[7 - k] : x[k] &- x[7 - k]
                        sum &+= Int32(pair) &* factor(u, k)
                    }
                    result[8 * u + column] = Int16(clamping: sum >> (13 + drop))
                }
            }
        }
        return result
    }

    private static func inversePass(_ block: [Int16]) -> [Int16] {
        var result = block
        for column in 0..<8 {
            for x in 0..<4 {
                func part(_ first: Int) -> Int16 {
                    let sum = stride(from: first, to: 8, by: 2).reduce(Int32(0)) {
                        $0 &+ Int32(block[8 * $1 + column]) &* factor($1, x)
                    }
                    return Int16(clamping: (sum &+ 8192) >> 14)
                }
                result[8 * x + column] = part(0) &+ part(1)
                result[8 * (7 - x) + column] = part(0) &- part(1)
            }
        }
        return result
    }
}
