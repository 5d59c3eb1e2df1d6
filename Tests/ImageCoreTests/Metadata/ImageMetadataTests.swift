import ImageCodecsCore
import Testing

@Suite struct ImageMetadataTests {
    @Test func copiesAreIndependent() {
        var first = ImageMetadata()
        first.comments.append("one")
        var second = first
        second.comments.append("two")
        second.gamma = 45455
        #expect(first.comments == ["one"])
        #expect(first.gamma == nil)
        #expect(second.comments == ["one", "two"])
        first.orientation = .left
        #expect(second.orientation == .up)
        #expect(second.gamma == 45455)
    }

    @Test func whatWasTakenBackIsNotSaid() {
        var metadata = ImageMetadata()
        metadata.exif = [1, 2, 3]
        #expect(metadata != ImageMetadata())
        metadata.exif = nil
        #expect(metadata == ImageMetadata())
        #expect(metadata.hashValue == ImageMetadata().hashValue)
    }

    @Test func everyCopyOfADescriptionIsOneReference() {
        #expect(MemoryLayout<ImageMetadata>.size == MemoryLayout<Int>.size)
    }

    /// An entry is appended in its place: the array of the copy that is not changed is another one.
    @Test func textsGrowInTheirPlace() {
        var metadata = ImageMetadata()
        for number in 0..<1000 { metadata.texts.append(TextEntry(keyword: "k", text: "\(number)")) }
        let copy = metadata
        metadata.texts[17].text = "other"
        #expect(copy.texts.count == 1000)
        #expect(copy.texts[17].text == "17")
        #expect(metadata.texts[17].text == "other")
    }
}
