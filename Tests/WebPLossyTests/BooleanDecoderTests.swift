import CodecTestSupport
import ImageCore
import Testing
import WebPLossy

/// - Source: RFC 6386 section 7.3 "Actual Implementation", the encoder
struct BooleanEncoder {
    private(set) var bytes: [UInt8] = []
    private var (range, bottom, bitCount): (UInt32, UInt32, Int) = (255, 0, 24)

    mutating func write(_ isSet: Bool, _ probability: UInt8) {
        let split = 1 + ((range - 1) * UInt32(probability)) >> 8
        if isSet {
            bottom += split
            range -= split
        } else {
            range = split
        }
        while range < 128 {
            range <<= 1
            if bottom >> 31 != 0 { carry() }
            bottom <<= 1
            bitCount -= 1
            if bitCount == 0 {
                bytes.append(UInt8(bottom >> 24))
                bottom &= 0xFF_FFFF
                bitCount = 8
            }
        }
    }

    private mutating func carry() {
        var index = bytes.count - 1
        while bytes[index] == 255 {
            bytes[index] = 0
            index -= 1
        }
        bytes[index] += 1
    }

    mutating func finish() -> [UInt8] {
        for _ in 0..<32 { write(false, 128) }
        return bytes
    }
}

@Suite struct BooleanDecoderTests {
    @Test func boolsComeBackAsTheyWereEncoded() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20 {
            let bools = (0..<4000).map { _ in
                let probability = UInt8(truncatingIfNeeded: random.next())
                return (UInt8(truncatingIfNeeded: random.next() >> 8) >= probability, probability)
            }
            var encoder = BooleanEncoder()
            for (isSet, probability) in bools { encoder.write(isSet, probability) }
            let bytes = encoder.finish()
            var decoder = BooleanDecoder()
            bytes.withSpan { input in
                #expect(bools.allSatisfy { decoder.bool($0.1, input) == $0.0 })
            }
            #expect(!decoder.isDry)
        }
    }

    @Test func aByteIsMissedWhenABoolNeedsIt() {
        // One byte holds the eight bits that the first bool needs; the first shift asks for a second one.
        var decoder = BooleanDecoder()
        [0x00].withSpan { (input: Span<UInt8>) in
            _ = decoder.bool(128, input)
            #expect(!decoder.isDry)
            _ = decoder.bool(128, input)
        }
        // The range of the first bool is 255, so half of it needs no shift.
        #expect(!decoder.isDry)
        [0x00].withSpan { (input: Span<UInt8>) in _ = decoder.bool(128, input) }
        #expect(decoder.isDry)
    }
}
