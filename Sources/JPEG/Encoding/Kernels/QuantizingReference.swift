// Plain twin of QuantizingKernels: one coefficient at a time.

import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec

/// See the functions of the same names in ``QuantizingKernels``.
package enum QuantizingReference {
    package static func code(
        samples: Int, stride: Int, blockCount: Int, numbers: Span<Int16>, use: BlockUse,
        into coefficients: inout MutableRawSpan, at offset: Int, in workspace: inout MutableRawSpan
    ) {
        for block in 0..<blockCount {
            let source = (0..<64).map { workspace.word(samples + 16 * block + $0 / 8 * stride, $0 % 8) }
            let levels = quantized(transformed(source, numbers, use), numbers)
            if let decoded = use.decoded {
                store(levels, numbers, at: decoded + 16 * block, stride, in: &workspace)
            }
            storeZigZag(levels, &coefficients, at: offset + 128 * block)
        }
    }

    package static func transform(
        samples: Int, stride: Int, blockCount: Int, numbers: Span<Int16>, use: BlockUse,
        into coefficients: inout MutableRawSpan, at offset: Int, in workspace: inout MutableRawSpan
    ) {
        for block in 0..<blockCount {
            let source = (0..<64).map { workspace.word(samples + 16 * block + $0 / 8 * stride, $0 % 8) }
            storeZigZag(transformed(source, numbers, use), &coefficients, at: offset + 128 * block)
        }
    }

    package static func decode(
        coefficients: inout MutableRawSpan, at offset: Int, blockCount: Int, numbers: Span<Int16>, samples: Int,
        stride: Int, in workspace: inout MutableRawSpan
    ) {
        for block in 0..<blockCount {
            var levels = [Int16](repeating: 0, count: 64)
            for index in 0..<64 {
                levels[place(index)] = coefficients.word(offset + 128 * block, index)
            }
            store(levels, numbers, at: samples + 16 * block, stride, in: &workspace)
        }
    }

    /// The place of a coefficient in the order `8 u + v`.
    private static func place(_ index: Int) -> Int {
        let natural = Int(ZigZagOrder.natural[index])
        return natural % 8 * 8 + natural / 8
    }

    private static func storeZigZag(_ block: [Int16], _ coefficients: inout MutableRawSpan, at offset: Int) {
        for index in 0..<64 { coefficients.setWord(block[place(index)], offset, index) }
    }

    private static func store(
        _ levels: [Int16], _ numbers: Span<Int16>, at offset: Int, _ stride: Int, in workspace: inout MutableRawSpan
    ) {
        let result = BlockTransformReference.inverse(dequantized(levels, numbers))
        for place in 0..<64 {
            workspace.setWord(max(-2048, min(2032, result[place])), offset + place / 8 * stride, place % 8)
        }
    }

    private static func transformed(_ source: [Int16], _ numbers: Span<Int16>, _ use: BlockUse) -> [Int16] {
        var coefficients = BlockTransformReference.forward(source)
        guard case .luma = use, touchesLimits(source) else { return coefficients }
        for _ in 0..<Overshoot.rounds {
            let decoded = BlockTransformReference.inverse(dequantized(quantized(coefficients, numbers), numbers))
            coefficients = BlockTransformReference.forward(zip(source, decoded).map { target($0, $1) })
        }
        return coefficients
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
