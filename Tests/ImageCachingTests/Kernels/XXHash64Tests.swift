import CodecTestSupport
import ImageCaching
import Testing

/// Hashes as the Python package xxhash 4.1.0 computes them, of bytes of which byte *i* is the lowest of 167 *i* + 13.
@Suite struct XXHash64Tests {
    private static func message(_ count: Int) -> ArraySlice<UInt8> {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + 13) }[...]
    }

    @Test(arguments: [
        (0, 0xEF46_DB37_51D8_E999 as UInt64, 0xAC75_FDA2_929B_17EF as UInt64),
        (1, 0x2078_E1AD_38AD_738B as UInt64, 0xE09A_55EE_04EE_9790 as UInt64),
        (3, 0x634D_95FC_01A1_89CD as UInt64, 0x2812_951F_9274_C573 as UInt64),
        (4, 0xEED3_4090_8A1A_C6C6 as UInt64, 0x7077_2155_4679_9520 as UInt64),
        (7, 0x0DA4_9362_1D6D_C898 as UInt64, 0x502E_324A_DB3B_FAC6 as UInt64),
        (8, 0x76F9_16C7_BB52_3126 as UInt64, 0x3EEF_A3E2_2275_23C4 as UInt64),
        (12, 0xFB52_F89A_1DC4_49D2 as UInt64, 0xD8BD_70DD_67AF_144B as UInt64),
        (31, 0x65C5_FEB0_1DA7_464D as UInt64, 0xD59B_0494_237A_2E46 as UInt64),
        (32, 0x7665_C921_C9BF_2EC7 as UInt64, 0x3C9B_8CA3_26D1_9018 as UInt64),
        (33, 0xB5A9_D9EF_259A_E821 as UInt64, 0xBF02_19F3_7394_23B4 as UInt64),
        (63, 0xB028_9CD9_3240_34F0 as UInt64, 0xED9A_BFB1_D3B4_C22C as UInt64),
        (64, 0xFFF2_525C_99BF_2005 as UInt64, 0x57D6_4632_337A_D473 as UInt64),
        (100, 0x74E5_02DB_362E_FD4C as UInt64, 0x9203_B64A_F7D0_C8F2 as UInt64),
        (1000, 0x6264_43C8_029D_0542 as UInt64, 0x5FC1_CFBD_EF1F_261C as UInt64),
    ])
    func hashesAreThoseOfTheIndependentImplementation(_ count: Int, _ hash: UInt64, _ seeded: UInt64) {
        let message = Self.message(count)
        #expect(XXHash64.hash(of: message.span) == hash)
        #expect(XXHash64.hash(of: message.span, seed: 0x9E37_79B1) == seeded)
    }

    @Test(arguments: Array(0..<100) + [4096, 5003])
    func bytesAreHashedAsByteForByte(_ count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = random.bytes(count + 3)
        // From an uneven address too.
        for message in [bytes[3...], bytes[..<count]] {
            #expect(XXHash64.hash(of: message.span, seed: 5) == XXHash64.hashByteForByte(of: message.span, seed: 5))
        }
    }

    @Test(arguments: ["", "a", "caf\u{E9}", "https://example.org/pictures/2026/17/large.jpg", "\u{0}\u{10FFFF}\n"])
    func theChecksumOfATextIsThatOfItsBytes(_ text: String) {
        let bytes = Array(text.utf8)[...]
        #expect(TextHash.checksum(of: text, seed: 9) == XXHash64.hash(of: bytes.span, seed: 9))
        // A text that was cut from another one, and is not stored alone.
        let longer = "x" + text
        #expect(TextHash.checksum(of: String(longer.dropFirst()), seed: 9) == XXHash64.hash(of: bytes.span, seed: 9))
    }
}
