// What bools cost.

import ImageCodecsCore

/// Costs of bools in 256ths of a bit.
package enum BitCosts {
    /// 256 of them are a bit.
    package static let unit = 256

    /// Of a bool that is 0, by its probability in 256ths; of the probability 0, which there is not, as of 1.
    static let ofFalse: [UInt16] = (0...255).map { probability in
        UInt16((-Double(unit) * ReproduciblePowers.log2(Double(max(probability, 1)) / 256)).rounded())
    }

    /// Of a bool.
    @inline(__always)
    package static func cost(_ isSet: Bool, _ probability: UInt8) -> Int {
        Int(ofFalse[isSet ? 256 - Int(max(probability, 1)) : Int(probability)])
    }

    /// Of `count` bools, of which `setCount` are 1, with the probability that suits them best, or with another.
    package static func cost(setCount: Int, of count: Int, _ probability: UInt8) -> Int {
        setCount * cost(true, probability) + (count - setCount) * cost(false, probability)
    }

    /// The probability of 0 that suits `count` bools best of which `setCount` are 1.
    package static func probability(setCount: Int, of count: Int) -> UInt8 {
        guard count > 0 else { return 255 }
        return UInt8(min(max((256 * (count - setCount) + count / 2) / count, 1), 255))
    }
}
