// What arithmetic decoding carries from MCU to MCU, and where its statistics lie.

import ImageCodecsCore
import JPEGBaselineCodec

/// The state of an arithmetic-coded scan. A copy is a checkpoint; its statistics are copied when decoding goes on.
struct ArithmeticState: EntropyDecodingState {
    var decoder = ArithmeticDecoder()
    /// DC predictors of the components of the scan, in units of the scan's precision.
    var predictors = SIMD4<Int32>(repeating: 0)
    /// Of each component of the scan, the first of the four bins that its next DC difference uses: 0, 4, 8, 12 or 16, as the last
    /// difference was zero, small or large, and of which sign (§F.1.4.4.1.2).
    var contexts = SIMD4<UInt8>(repeating: 0)
    /// Whether the last MCU had more coefficients than may be, or a magnitude of too many bits.
    var isDamaged = false
    /// Whether damage has made the rest of the restart interval unreadable: its MCUs bring nothing.
    var isStopped = false
    /// All bins: see ``StatisticsLayout``.
    var statistics = [UInt8](repeating: 0, count: StatisticsLayout.count)

    var reader: EntropyBitReader {
        get { decoder.reader }
        set { decoder.reader = newValue }
    }

    /// - Source: ITU-T T.81 (1992) §F.2.4.4 "Decoding the binary decision sequence": statistics begin anew with each interval.
    mutating func beginInterval() {
        predictors = SIMD4(repeating: 0)
        contexts = SIMD4(repeating: 0)
        isStopped = false
        decoder.reset()
        for index in statistics.indices { statistics[index] = 0 }
    }
}

/// Where the bins of each table lie: four DC tables of 64 bins, then four AC tables of 256.
///
///     DC   0-19     S0, SS, SP, SN of five contexts       tables F.4 of §F.1.4.4.1
///          20-34    X1 ... X15     35-48   M2 ... M15
///     AC   3(k-1)   SE, S0, SN/SP/X1 of coefficient k     table F.5 of §F.1.4.4.2
///          189-202  X2 ... X15 up to Kx                   203-216   M2 ... M15
///          217-230  X2 ... X15 above Kx                   231-244   M2 ... M15
package enum StatisticsLayout {
    package static let count = 4 * dcCount + 4 * acCount
    private static let dcCount = 64
    private static let acCount = 256

    /// `X1` of a DC table.
    package static let dcMagnitude = 20
    /// `X2` of an AC table, for coefficients up to `Kx` and above.
    package static let lowMagnitude = 189
    package static let highMagnitude = 217
    /// From a bin of the number of a magnitude's bits to that of its bits.
    package static let bits = 14

    /// Where a table begins.
    package static func dc(_ slot: Int) -> Int { slot * dcCount }
    package static func ac(_ slot: Int) -> Int { 4 * dcCount + slot * acCount }
}
