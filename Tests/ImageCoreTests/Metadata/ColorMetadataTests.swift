import ImageCodecsCore
import Testing

@Suite struct ColorMetadataTests {
    @Test func colorsKeepWhatSaysHowSamplesAreMeantAndNothingElse() {
        var all = ImageMetadata()
        all.iccProfile = [1, 2]
        all.iccProfileName = "name"
        all.gamma = 45455
        all.chromaticities = Chromaticities(
            white: .init(x: 1, y: 2), red: .init(x: 3, y: 4), green: .init(x: 5, y: 6), blue: .init(x: 7, y: 8))
        all.renderingIntent = .saturation
        all.codePoints = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        let colors = all
        all.orientation = .left
        all.exif = [1]
        all.xmp = [2]
        all.iptc = [3]
        all.density = PixelDensity(x: 1, y: 1, unit: .inch)
        all.texts = [TextEntry(keyword: "Title", text: "x")]
        all.comments = ["y"]
        all.significantBits = [5]
        all.background = .gray(1)
        all.histogram = [1]
        all.suggestedPalettes = [SuggestedPalette(name: "p", sampleDepth: 8, entries: [])]
        all.modificationTime = ModificationTime(year: 2024, month: 1, day: 1, hour: 0, minute: 0, second: 0)
        #expect(all.colors == colors)
        #expect(colors.colors == colors)
        #expect(ImageMetadata().colors == ImageMetadata())
    }
}
