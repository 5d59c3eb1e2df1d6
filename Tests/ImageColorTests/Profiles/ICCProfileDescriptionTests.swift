import CodecTestSupport
import ImageCodecsCore
import ImageColor
import Testing

@Suite struct ICCProfileDescriptionTests {
    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// A profile with a tag in front, and this element as `desc`.
    private static func profile(_ element: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 128) + number(2) + Array("cprt".utf8) + number(156) + number(4)
            + Array("desc".utf8) + number(156) + number(element.count) + element
    }

    private static func version2(_ text: String) -> [UInt8] {
        Array("desc".utf8) + number(0) + number(text.utf8.count + 1) + Array(text.utf8) + [0]
    }

    private static func version4(_ texts: [(language: String, text: String)]) -> [UInt8] {
        var records: [UInt8] = []
        var body: [UInt8] = []
        for (language, text) in texts {
            let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            records += Array(language.utf8) + number(units.count) + number(16 + 12 * texts.count + body.count)
            body += units
        }
        return Array("mluc".utf8) + number(0) + number(texts.count) + number(12) + records + body
    }

    private func text(_ profile: [UInt8]) -> String? { ICCProfileDescription.text(of: profile.span) }

    @Test func bothVersionsAreRead() {
        #expect(text(Self.profile(Self.version2("sRGB IEC61966-2.1"))) == "sRGB IEC61966-2.1")
        #expect(text(Self.profile(Self.version4([("enUS", "Display P3")]))) == "Display P3")
        #expect(text(Self.profile(Self.version4([("deDE", "Größe 🎨")]))) == "Größe 🎨")
    }

    @Test func englishIsPreferred() {
        #expect(text(Self.profile(Self.version4([("deDE", "Anzeige"), ("enUS", "Display")]))) == "Display")
        #expect(text(Self.profile(Self.version4([("deDE", "Anzeige"), ("frFR", "Affichage")]))) == "Anzeige")
    }

    @Test func longTextsAreCut() throws {
        let long = String(repeating: "a", count: 100_000)
        #expect(try #require(text(Self.profile(Self.version2(long)))).utf8.count == 512)
        #expect(try #require(text(Self.profile(Self.version4([("enUS", long)])))).utf8.count == 256)
    }

    @Test func profilesWithoutADescriptionHaveNone() {
        #expect(text([]) == nil)
        #expect(text([UInt8](repeating: 255, count: 128)) == nil)
        #expect(text([UInt8](repeating: 255, count: 200)) == nil)
        #expect(text(Self.profile(Self.version2(""))) == nil)
        #expect(text(Self.profile(Self.version4([]))) == nil)
        #expect(text(Self.profile(Array("XYZ ".utf8) + Self.number(0))) == nil)
    }

    @Test func everyPrefixAndEveryChangedByteEnds() {
        for profile in [
            Self.profile(Self.version2("a name")), Self.profile(Self.version4([("deDE", "eins"), ("enUS", "one")])),
        ] {
            for count in 0..<profile.count { _ = text(Array(profile.prefix(count))) }
            for index in 128..<profile.count {
                for value: UInt8 in [0, 1, 127, 128, 255] {
                    var damaged = profile
                    damaged[index] = value
                    #expect((text(damaged) ?? "").utf8.count <= 1536)
                }
            }
        }
    }
}
