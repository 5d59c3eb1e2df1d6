// The boolean entropy decoder of VP8, against the standard's own, which shifts bit by bit.

import CodecTestSupport
import ImageCodecsCore
import WebPLossyCodec

/// - Source: RFC 6386 section 7.3 "Actual Implementation".
enum BooleanCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        var input = source.bytes(2 + source.below(60))
        // A first byte of 255 makes a value that no encoder can make; the standard's decoder is not defined for it.
        if input[0] == 255 { input[0] = 254 }
        var (decoder, plain) = (BooleanDecoder(), PlainDecoder(input))
        for step in 0..<8 * input.count {
            let probability = UInt8(source.oneIn(8) ? source.pick([1, 2, 128, 254, 255]) : 1 + source.below(255))
            let answer = input.withSpan { decoder.bool(probability, $0) }
            let expected = plain.bool(probability)
            if answer != expected { return ["bool \(step) of \(input): \(answer)"] }
        }
        return []
    }

    private struct PlainDecoder {
        private var rest: ArraySlice<UInt8>
        private var value: UInt32
        private var range: UInt32 = 255
        private var bitCount = 0

        init(_ input: [UInt8]) {
            value = UInt32(input[0]) << 8 | UInt32(input[1])
            rest = input[2...]
        }

        mutating func bool(_ probability: UInt8) -> Bool {
            let split = 1 + ((range - 1) * UInt32(probability)) >> 8
            let isSet = value >= split << 8
            range = isSet ? range - split : split
            if isSet { value -= split << 8 }
            while range < 128 {
                (value, range) = (value << 1, range << 1)
                bitCount += 1
                if bitCount == 8 {
                    bitCount = 0
                    value |= UInt32(rest.popFirst() ?? 0)
                }
            }
            return isSet
        }
    }
}
