// Overshoot at white and black: a decoder clamps, so what lies beyond the limits costs nothing to see and may save bits.
//
//   luma 235 is white, 16 black; samples go on to 255 and 0
//
//   wanted   ████████▁▁▁▁████████      text on white: its edges ring, and the ringing beyond white is cut off by every decoder, so a
//   decoded  ██▇██▆█▇▁▂▁▁▇█▆██▇██      target that rings as well needs fewer coefficients

import ImageCodecsCore

/// Luma that may be whiter than white.
enum LumaOvershoot {
    static let white: UInt8 = 235
    static let black: UInt8 = 16

    /// Whether some samples of the sixteen subblocks are at a limit, but not all.
    static func isWorthIt(_ source: [BlockSamples]) -> Bool {
        var count = 0
        for block in 0..<16 { count += SubblockKernels.countOfLimits(source[block]) }
        return count > 0 && count < 256
    }
}

extension MacroblockCoder {
    /// What a subblock of luma is coded from, and compared with, once it was decoded as `samples`.
    @inline(__always)
    func target(_ block: Int, _ samples: BlockSamples) -> BlockSamples {
        mayOvershoot ? SubblockKernels.overshooting(source[block], samples) : source[block]
    }
}
