// Plain twin of QuantizingKernels: one coefficient at a time.

import ImageCodecsCore
import JPEGBaselineCodec

/// See the function of the same name in ``QuantizingKernels``.
package enum QuantizingReference {
    package static func code(
        samples: Int, stride: Int, blockCount: Int, numbers: Span<Int16>, use: BlockUse,
        into coefficients: inout MutableRawSpan, at offset: Int, in workspace: inout MutableRawSpan
    ) {
        for block in 0..<blockCount {
            let source = (0..<64).map { workspace.word(samples + 16 * block + $0 / 8 * stride, $0 % 8) }
            var levels = quantized(BlockTransformReference.forward(source), numbers)
            switch use {
            case .plain: break
            case .luma:
                guard touchesLimits(source) else { break }
                for _ in 0..<Overshoot.rounds {
                    let decoded = BlockTransformReference.inverse(dequantized(levels, numbers))
                    let wanted = zip(source, decoded).map { target($0, $1) }
                    levels = quantized(BlockTransformReference.forward(wanted), numbers)
                }
            case .chroma(let decoded):
                let result = BlockTransformReference.inverse(dequantized(levels, numbers))
                for place in 0..<64 {
                    let sample = max(-2048, min(2032, result[place]))
                    workspace.setWord(sample, decoded + 16 * block + place / 8 * stride, place % 8)
                }
            }
            for index in 0..<64 {
                let natural = Int(ZigZagOrder.natural[index])
                coefficients.setWord(levels[natural % 8 * 8 + natural / 8], offset + 128 * block, index)
            }
        }
    }

    private static func quantized(_ coefficients: [Int16], _ numbers: Span<Int16>) -> [Int16] {
        (0..<64).map { place in
            let magnitude = coefficients[place].magnitude
            let reciprocal = UInt32(UInt16(bitPattern: numbers[DeadZone.Group.reciprocal + place]))
            let rounding = UInt32(numbers[DeadZone.Group.rounding + place])
            let factor = UInt32(numbers[DeadZone.Group.factor + place])
            guard magnitude >= UInt16(numbers[DeadZone.Group.threshold + place]) else { return 0 }
            let level = Int16(
                truncatingIfNeeded: ((((UInt32(magnitude) * reciprocal) >> 16) + rounding) * factor) >> 16)
            return coefficients[place] < 0 ? -level : level
        }
    }

    private static func dequantized(_ levels: [Int16], _ numbers: Span<Int16>) -> [Int16] {
        (0..<64).map { (levels[$0] &* numbers[DeadZone.Group.step + $0]) &<< 3 }
    }

    private static func touchesLimits(_ samples: [Int16]) -> Bool {
        let (low, top) = samples.reduce((Int16.max, Int16.min)) { (min($0.0, $1), max($0.1, $1)) }
        return (top >= Overshoot.white && low < Overshoot.white) || (low <= Overshoot.black && top > Overshoot.black)
    }

    private static func target(_ sample: Int16, _ decoded: Int16) -> Int16 {
        var wanted = sample
        if sample >= Overshoot.white { wanted = max(sample, decoded) }
        if sample <= Overshoot.black { wanted = min(sample, decoded) }
        return max(-Overshoot.limit, min(Overshoot.limit, wanted))
    }
}

#if ReferenceKernels
package typealias QuantizingKernels = QuantizingReference
#endif
