import ImageCodecsCore
import ImageComparison
import Testing

@Suite struct LookMapTests {
    @Test func theMapIsWorstAtThePixelThatDiffers() throws {
        let original = try ComparedPictures.original(300, 270)
        var other = original
        try other.withMutableRow(43) { row in for sample in 0..<3 { row[3 * 66 + sample] ^= 0x80 } }
        let comparison = try SSIMULACRA2(original, other, makesMap: true)
        let map = try #require(comparison.map)
        #expect(map.pictureSize == original.size && map.size == PixelSize(width: 38, height: 34))
        #expect(map.scores.count == 38 * 34)
        let worst = try #require(map.scores.indices.min { map.scores[$0] < map.scores[$1] })
        #expect(worst == 5 * 38 + 8)
        #expect(map.scores[38 * 30] > 99 && map.scores[worst] < 70)
        let picture = try map.picture()
        #expect(picture.size == original.size && picture.format == .gray)
        #expect(picture.withRow(250) { $0[0] } < 3)
        #expect(picture.withRow(43) { $0[66] } > 76)
    }

    @Test func aMapDoesNotChangeTheScore() throws {
        for (width, height) in [(5, 5), (8, 8), (65, 33), (600, 20)] {
            let original = try ComparedPictures.original(width, height)
            let other = try ComparedPictures.worse(original)
            let plain = try SSIMULACRA2(original, other)
            let mapped = try SSIMULACRA2(original, other, makesMap: true)
            #expect(plain.map == nil)
            #expect(abs(plain.score - mapped.score) < 1e-4)
            #expect(try mapped.map?.picture().size == original.size)
        }
    }

    /// A picture of one square is that square.
    @Test func theOnlySquareHasTheScoreOfThePicture() throws {
        let original = try ComparedPictures.original(8, 8)
        let comparison = try SSIMULACRA2(original, ComparedPictures.worse(original), makesMap: true)
        #expect(comparison.map?.scores.count == 1)
        #expect(abs(Double(comparison.map?.scores.first ?? 0) - comparison.score) < 1e-4)
    }
}
