// Logarithms and powers that come out the same on every machine.
//
// Only additions, multiplications and divisions of `Double`, which IEEE 754 defines to the last bit; the functions of the
// system's library differ from system to system, and a table that is rounded from them would too.

/// Real powers and logarithms of positive numbers, within some units of the last place but one.
package enum ReproduciblePowers {
    private static let naturalLogarithmOf2 = 0.693147180559945309417

    /// The logarithm to base 2 of a positive, normal number.
    package static func log2(_ x: Double) -> Double {
        var mantissa = x.significand  // 1 ..< 2
        var exponent = Double(x.exponent)
        if mantissa > 1.4142135623730951 {
            mantissa /= 2
            exponent += 1
        }
        // ln m = 2 (t + t^3/3 + t^5/5 + ...), t = (m - 1) / (m + 1), at most 0.172 here.
        let t = (mantissa - 1) / (mantissa + 1)
        var sum = 0.0
        var power = t
        for k in 0..<12 {
            sum = sum + power / Double(2 * k + 1)
            power = power * (t * t)
        }
        return exponent + 2 * sum / naturalLogarithmOf2
    }

    /// Two to the power of a number within -1000...1000.
    package static func exp2(_ x: Double) -> Double {
        let whole = x.rounded()
        let rest = (x - whole) * naturalLogarithmOf2  // at most 0.347 either way
        var sum = 1.0
        for k in stride(from: 14, through: 1, by: -1) { sum = 1 + sum * rest / Double(k) }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }

    /// A non-negative number to the power of a number.
    package static func power(_ base: Double, _ exponent: Double) -> Double {
        base == 0 ? (exponent == 0 ? 1 : 0) : exp2(exponent * log2(base))
    }
}
