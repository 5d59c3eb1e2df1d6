// What the scan procedures carry from block to block.

package import JPEGBaselineCodec

/// The state of a progressive scan: a plain value, so that a copy is a checkpoint.
package struct ProgressiveState: EntropyDecodingState {
    package var reader = EntropyBitReader()
    /// DC predictors of the components of the scan, in units of the scan's precision.
    package var predictors = SIMD4<Int32>(repeating: 0)
    /// Blocks, the next one included, that have no further symbols in this band.
    package var endOfBandRun = 0
    /// Whether the last block had a code that is in no table, or coefficients beyond the band.
    package var isDamaged = false

    package init() {}

    package mutating func beginInterval() {
        predictors = SIMD4(repeating: 0)
        endOfBandRun = 0
    }
}

/// The coefficients that an AC scan carries: zig-zag positions `start...end`, down to bit `low`.
package struct Band: Hashable, Sendable {
    package var start: Int
    package var end: Int
    package var low: Int

    package init(start: Int, end: Int, low: Int) {
        self.start = start
        self.end = end
        self.low = low
    }

    /// Bits `start...end`, for masks of coefficients.
    package var mask: UInt64 { (.max << UInt64(start)) & (.max >> UInt64(63 - end)) }
}
