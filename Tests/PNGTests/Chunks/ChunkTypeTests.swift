import PNGCodec
import Testing

@Suite struct ChunkTypeTests {
    @Test func namesAreTheirFourBytes() {
        #expect(ChunkType.imageHeader.code == 0x4948_4452)
        #expect(ChunkType(code: 0x6646_6C54).name == "fFlT")
        #expect(ChunkType.imageData.bytes == Array("IDAT".utf8))
    }

    @Test func aCapitalFirstLetterIsCritical() {
        #expect(ChunkType.imageEnd.isCritical)
        #expect(ChunkType(code: 0x4649_4C45).isCritical)
        #expect(!ChunkType.transparency.isCritical)
    }

    @Test(arguments: [0x4948_4440, 0x4948_445B, 0x6000_0000, 0x7B7B_7B7B, 0, .max, 0x4948_4430] as [UInt32])
    func onlyLettersAreWellFormed(_ code: UInt32) {
        #expect(!ChunkType(code: code).isWellFormed)
        #expect(ChunkType(code: code).name == "0x" + String(String(1 << 32 | UInt64(code), radix: 16).dropFirst()))
    }

    @Test func everyLetterIsWellFormed() {
        for code in [0x4141_4141, 0x5A5A_5A5A, 0x6161_6161, 0x7A7A_7A7A] as [UInt32] {
            #expect(ChunkType(code: code).isWellFormed)
        }
    }
}
