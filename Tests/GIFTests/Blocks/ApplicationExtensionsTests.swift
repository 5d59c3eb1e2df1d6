import CodecTestSupport
import GIFCodec
import Testing

@Suite struct ApplicationExtensionsTests {
    @Test func applicationsAreKnownByTheirElevenBytes() {
        func kind(_ name: String) -> ApplicationExtension { ApplicationExtension(Array(name.utf8).span) }
        #expect(kind("NETSCAPE2.0") == .loop)
        #expect(kind("ANIMEXTS1.0") == .loop)
        #expect(kind("XMP DataXMP") == .xmp)
        #expect(kind("ICCRGBG1012") == .iccProfile)
        #expect(kind("NETSCAPE2.1") == .other)
        #expect(kind("NETSCAPE2.") == .other)
    }

    @Test func theStoredNumberCountsRepetitions() {
        func plays(_ bytes: [UInt8]) -> Int? { ApplicationExtension.loopCount(bytes.span) }
        #expect(plays([1, 0, 0]) == 0)
        #expect(plays([1, 1, 0]) == 2)
        #expect(plays([1, 0xFF, 0xFF]) == 65536)
        #expect(plays([2, 1, 0]) == nil)
        #expect(plays([1, 1]) == nil)
    }
}
