import ImageCodecsCore
import Testing
import WebPLossyCodec

@Suite struct HeaderTests {
    @Test func theFirstTenBytesAreRead() throws {
        // Key frame, profile 2, shown, first partition of 5 bytes; 300x200, scaled by 5/4 and by 2.
        let tag = 0 | 2 << 1 | 1 << 4 | 5 << 5
        let bytes: [UInt8] = [
            UInt8(tag & 255), UInt8(tag >> 8), 0, 0x9D, 0x01, 0x2A, 0x2C, 0x01 | 1 << 6, 200, 3 << 6,
        ]
        let header = try bytes.withSpan { (span) throws(ImageError) in
            try VP8Header(span, offset: 0, payloadByteCount: 100)
        }
        #expect(header.size == PixelSize(width: 300, height: 200) && header.profile == 2)
        #expect(header.horizontalScale == 1 && header.verticalScale == 3 && header.firstPartitionByteCount == 5)
        #expect(header.isShown)
    }

    @Test func filterStrengthsFollowFromLevelAndSharpness() {
        let plain = FilterStrength(level: 32, sharpness: 0)
        #expect(plain.interiorLimit == 32 && plain.edgeLimit == 96 && plain.varianceThreshold == 1)
        let sharp = FilterStrength(level: 63, sharpness: 5)
        #expect(sharp.interiorLimit == 4 && sharp.edgeLimit == 130 && sharp.varianceThreshold == 2)
        #expect(FilterStrength(level: 0, sharpness: 3).edgeLimit == 0)
        #expect(FilterStrength(level: 1, sharpness: 7).interiorLimit == 1)
    }

    @Test func workRowsOfTheExampleAreAsDrawn() {
        let workspace = MacroblockWorkspace(PixelSize(width: 40, height: 30))
        #expect(workspace.columnCount == 3 && workspace.rowCount == 2)
        #expect(workspace.lumaStride % 64 == 0 && workspace.lumaStride / 64 % 2 == 1 && workspace.lumaStride >= 80)
        #expect(workspace.luma(line: -10) == MacroblockWorkspace.margin)
    }

    @Test func aTwelveMegapixelPictureTakesLessThanFourMegabytes() {
        #expect(VP8Stream.byteCount(PixelSize(width: 4000, height: 3000), firstPartitionByteCount: 1 << 19) < 2 << 20)
    }
}
