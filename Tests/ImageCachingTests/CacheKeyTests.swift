import ImageCaching
import Testing

/// What makes two keys the same.
@Suite struct CacheKeyTests {
    @Test func keysOfOneLetterInTwoSpellingsAreDifferent() {
        let (composed, decomposed) = ("caf\u{E9}.jpg", "cafe\u{301}.jpg")
        #expect(composed == decomposed)
        #expect(CacheKey(source: composed) != CacheKey(source: decomposed))
        #expect(CacheKey(source: "a", variant: composed) != CacheKey(source: "a", variant: decomposed))
        // As many bytes in another order.
        #expect(CacheKey(source: "q\u{307}\u{323}") != CacheKey(source: "q\u{323}\u{307}"))
        #expect(CacheKey(source: composed) == CacheKey(source: "caf\u{E9}" + ".jpg"))
    }

    @Test func whatIsMovedFromOneTextToTheOtherIsAnotherKey() {
        #expect(CacheKey(source: "ab", variant: "c") != CacheKey(source: "a", variant: "bc"))
        #expect(CacheKey(source: "ab").hashValue != CacheKey(source: "a", variant: "b").hashValue)
    }

    @Test(arguments: ["", "a", "caf\u{E9}", "https://example.org/pictures/2026/17/large.jpg", "\u{0}\u{10FFFF}"])
    func textsAreHashedAsByteForByte(_ text: String) {
        var (fast, plain) = (Hasher(), Hasher())
        TextHash.combine(text, into: &fast)
        TextHash.combineBytes(of: text, into: &plain)
        plain.combine(text.utf8.count)
        #expect(fast.finalize() == plain.finalize())
    }
}
