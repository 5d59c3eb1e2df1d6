import JPEGBaselineCodec
import Testing

/// Samples of any precision, on numbers written out in bits.
@Suite struct SampleDepthTests {
    @Test func bitsAreRepeated() {
        #expect(SampleDepth(precision: 3).byte(0b101) == 0b1011_0110)
        #expect(SampleDepth(precision: 2).byte(0b10) == 0b1010_1010)
        #expect(SampleDepth(precision: 7).byte(0b100_0001) == 0b1000_0011)
        #expect(SampleDepth(precision: 8).byte(0x5A) == 0x5A)
        #expect(SampleDepth(precision: 12).deep(0xABC) == 0xABCA)
        #expect(SampleDepth(precision: 9).deep(0b1_0000_0011) == 0b1000_0001_1100_0000)
        #expect(SampleDepth(precision: 16).deep(0x1234) == 0x1234)
    }

    @Test(arguments: 2...16) func blackAndWhiteStay(_ precision: Int) {
        let depth = SampleDepth(precision: precision)
        #expect(depth.byte(0) == 0 && depth.byte(depth.mask) == 255)
        if precision >= 8 { #expect(depth.deep(0) == 0 && depth.deep(depth.mask) == 65535) }
    }

    /// Sixteen bits to eight are rounded: 0x80 * 257 is the middle of those that become 0x80.
    @Test func eightBitsOfMoreAreRounded() {
        let depth = SampleDepth(precision: 16)
        #expect(depth.byte(0x8080) == 0x80)
        #expect(depth.byte(0x8080 + 128) == 0x80)
        #expect(depth.byte(0x8080 + 129) == 0x81)
    }
}
