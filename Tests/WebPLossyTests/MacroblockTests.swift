import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// One macroblock of macroblocks.json, read from the first partition by a plain reader in Python; segments and the modes of
/// whole macroblocks are also what the encoder said that it chose.
private struct ExpectedMacroblock: Decodable, Equatable {
    var segment: Int
    var skipped: Int
    var luma: [String]
    var chroma: String
    var level: Int

    private enum Key: CodingKey { case segment, skipped, luma, chroma, level }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        segment = try values.decode(Int.self, forKey: .segment)
        skipped = try values.decode(Int.self, forKey: .skipped)
        luma = try (try? values.decode([String].self, forKey: .luma)) ?? [values.decode(String.self, forKey: .luma)]
        chroma = try values.decode(String.self, forKey: .chroma)
        level = try values.decode(Int.self, forKey: .level)
    }

    init(_ macroblock: VP8Macroblock) {
        segment = macroblock.segment
        skipped = macroblock.isSkipped ? 1 : 0
        switch macroblock.luma {
        case .whole(let mode): luma = ["\(mode)"]
        case .subblocks(let modes): luma = modes.map { "\($0)" }
        }
        chroma = "\(macroblock.chroma)"
        level = macroblock.filterLevel
    }

    static let all: [String: [ExpectedMacroblock]] = {
        let bytes = (try? FixtureBytes.read("webp/lossy/macroblocks.json")) ?? []
        return (try? JSONDecoder().decode([String: [ExpectedMacroblock]].self, from: Data(bytes))) ?? [:]
    }()
}

@Suite struct MacroblockTests {
    private func decoded(
        _ fixture: LossyFixture, keepsMacroblocks: Bool = true, count: Int = .max
    ) throws -> VP8Decoder {
        var decoder = VP8Decoder(byteCount: fixture.payload.count, keepsMacroblocks: keepsMacroblocks)
        let payload = fixture.payload.prefix(count)
        try Array(payload).withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) }
        return decoder
    }

    private func macroblocks(_ decoder: VP8Decoder) -> [VP8Macroblock] {
        (0..<decoder.macroblockRowCount).flatMap { row in
            (0..<decoder.macroblockGrid.width).compactMap { decoder.macroblock(column: $0, row: row) }
        }
    }

    @Test(arguments: LossyFixture.all)
    func macroblocksAreWhatAPlainReaderFinds(_ fixture: LossyFixture) throws {
        let decoder = try decoded(fixture)
        let expected = try #require(ExpectedMacroblock.all[fixture.name])
        #expect(decoder.macroblockGrid.width * decoder.macroblockGrid.height == expected.count)
        #expect(macroblocks(decoder).map { ExpectedMacroblock($0) } == expected)
    }

    @Test(arguments: LossyFixture.all)
    func limitsFollowFromTheLevel(_ fixture: LossyFixture) throws {
        let decoder = try decoded(fixture)
        let frameInfo = try #require(decoder.frameInfo)
        for macroblock in macroblocks(decoder) {
            let strength = FilterStrength(level: macroblock.filterLevel, sharpness: frameInfo.filterSharpness)
            #expect(macroblock.edgeLimit == Int(strength.edgeLimit))
            #expect(macroblock.interiorLimit == Int(strength.interiorLimit))
            #expect(macroblock.varianceThreshold == Int(strength.varianceThreshold))
            // What is skipped has no residue, and edges inside are filtered for residue or modes of subblocks.
            #expect(!macroblock.isSkipped || !macroblock.hasResidue)
            let isSplit = if case .subblocks = macroblock.luma { true } else { false }
            #expect(macroblock.filtersInside == (macroblock.filterLevel > 0 && (isSplit || macroblock.hasResidue)))
            #expect(frameInfo.segments.count > 1 || macroblock.segment == 0)
        }
    }

    @Test func macroblocksAreKeptWhereThatIsAskedFor() throws {
        let fixture = try LossyFixture.named("several-macroblocks")
        let (with, without) = (try decoded(fixture), try decoded(fixture, keepsMacroblocks: false))
        #expect(without.macroblockRowCount == 0 && without.macroblock(column: 0, row: 0) == nil)
        #expect(without.macroblockGrid == PixelSize(width: 7, height: 5))
        #expect(with.peakByteCount == without.peakByteCount + 32 * 35)
        #expect(with.macroblock(column: 7, row: 0) == nil && with.macroblock(column: 0, row: 5) == nil)
        #expect(with.macroblock(column: -1, row: 0) == nil && with.macroblock(column: 6, row: 4) != nil)
    }

    @Test func macroblocksOfRowsThatAreThereAreKnown() throws {
        let fixture = try LossyFixture.named("several-macroblocks")
        let all = macroblocks(try decoded(fixture))
        var counts: Set<Int> = []
        for count in stride(from: 0, to: fixture.payload.count, by: 17) {
            let decoder = try decoded(fixture, count: count)
            #expect(macroblocks(decoder).elementsEqual(all.prefix(7 * decoder.macroblockRowCount)))
            counts.insert(decoder.macroblockRowCount)
        }
        #expect(counts.isSuperset(of: [0, 1, 2, 3, 4]))
    }

    @Test func aCopyKeepsItsOwnMacroblocks() throws {
        let fixture = try LossyFixture.named("several-macroblocks")
        let first = try decoded(fixture, count: fixture.payload.count / 2)
        var second = first
        try Array(fixture.payload[(fixture.payload.count / 2)...]).withSpan { (bytes) throws(ImageError) in
            try second.append(bytes)
        }
        #expect(first.macroblockRowCount < 5 && second.macroblockRowCount == 5)
        #expect(macroblocks(first).elementsEqual(macroblocks(second).prefix(7 * first.macroblockRowCount)))
    }

    @Test func framesThatAreNotToBeShownAreDecodedAllTheSame() throws {
        let fixture = try LossyFixture.named("even-sides")
        var hidden = fixture.payload
        hidden[0] &= ~0b1_0000
        var decoder = VP8Decoder()
        try hidden.withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) }
        try decoder.finish()
        #expect(decoder.header?.isShown == false)
        #expect(try PixelDigest.crc32(of: decoder.picture) == fixture.crc)
    }
}
