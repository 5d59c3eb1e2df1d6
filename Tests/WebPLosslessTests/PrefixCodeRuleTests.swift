import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// What libwebp takes and refuses of prefix codes, transforms and copies.
@Suite struct PrefixCodeRuleTests {
    /// A picture of one row without transforms, its codes by `write`.
    private func stream(width: Int, _ write: (inout VP8LWriter) -> Void) -> [UInt8] {
        var writer = VP8LWriter()
        writer.writeHeader(width: width, height: 1)
        writer.write(0, 3)
        write(&writer)
        return writer.bytes
    }

    private func damage(_ file: [UInt8]) -> DamageCode? { DecodedVP8L(file).error?.damageCode }

    @Test func aConstantPictureTakesNoBits() {
        let file = stream(width: 300) { $0.writeConstantGroup(alpha: 1, red: 2, green: 3, blue: 4) }
        let decoded = DecodedVP8L(file)
        #expect(decoded.stream.isComplete)
        #expect(decoded.pixels == Array(repeating: 0x0102_0304, count: 300))
    }

    @Test func aSymbolSaidTwiceIsOneSymbol() {
        let file = stream(width: 2) { writer in
            writer.writeSimple([7, 7])
            for symbol in [0, 0, 255, 0] { writer.writeSimple([symbol]) }
        }
        #expect(DecodedVP8L(file).pixels == [0xFF00_0700, 0xFF00_0700])
    }

    @Test func symbolsThatTheAlphabetHasNotGetNoCode() {
        // Distances have 40 symbols: of 200 and 3 only 3 is one, and takes no bits; 200 alone is none.
        let two = stream(width: 1) { writer in
            for symbol in [9, 0, 0, 255] { writer.writeSimple([symbol]) }
            writer.writeSimple([200, 3])
        }
        #expect(DecodedVP8L(two).pixels == [0xFF00_0900])
        let one = stream(width: 1) { writer in
            for symbol in [9, 0, 0, 255] { writer.writeSimple([symbol]) }
            writer.writeSimple([200])
        }
        #expect(damage(one) == .vp8lPrefixCodeIncomplete)
    }

    @Test(arguments: [1, 7, 15])
    func oneLengthOfAnySizeIsOneSymbol(_ length: Int) {
        let file = stream(width: 3) { writer in
            writer.writeNormal((0..<280).map { $0 == 5 ? length : 0 })
            for symbol in [0, 0, 255, 0] { writer.writeSimple([symbol]) }
        }
        #expect(DecodedVP8L(file).pixels == Array(repeating: 0xFF00_0500, count: 3))
    }

    @Test func codesThatDoNotAddUpAreRefused() {
        func file(_ lengths: [Int: Int]) -> [UInt8] {
            stream(width: 1) { $0.writeNormal((0..<280).map { lengths[$0] ?? 0 }) }
        }
        #expect(damage(file([:])) == .vp8lPrefixCodeIncomplete)
        #expect(damage(file([1: 1, 2: 2])) == .vp8lPrefixCodeIncomplete)
        #expect(damage(file([1: 2, 2: 2, 3: 2])) == .vp8lPrefixCodeIncomplete)
        #expect(damage(file([1: 1, 2: 1, 3: 15])) == .vp8lPrefixCodeOverfull)
        #expect(damage(file([1: 1, 2: 1, 3: 1])) == .vp8lPrefixCodeOverfull)
    }

    @Test func codeLengthCodesThatDoNotAddUpAreRefused() {
        func file(_ lengths: [Int: Int]) -> [UInt8] {
            stream(width: 1) { writer in
                writer.write(0, 1)
                writer.writeCodeLengthCode((0..<19).map { lengths[$0] ?? 0 })
            }
        }
        #expect(damage(file([:])) == .vp8lPrefixCodeIncomplete)
        #expect(damage(file([3: 1, 4: 2])) == .vp8lPrefixCodeIncomplete)
        #expect(damage(file([3: 1, 4: 1, 18: 7])) == .vp8lPrefixCodeOverfull)
    }

    @Test func moreLengthsThanSymbolsAreRefused() {
        let count = stream(width: 1) { writer in
            writer.write(0, 1)
            writer.writeCodeLengthCode(VP8LWriter.flatCodeLengths)
            writer.write(1, 1)
            writer.write(7, 3)
            writer.write(279, 16)
        }
        #expect(damage(count) == .vp8lCodeLengths)
        let run = stream(width: 1) { writer in
            writer.write(0, 1)
            writer.writeCodeLengthCode(VP8LWriter.flatCodeLengths)
            writer.write(0, 1)
            let code = WrittenCode(VP8LWriter.flatCodeLengths)
            for _ in 0..<3 {
                writer.write(18, code)
                writer.write(127, 7)
            }
        }
        #expect(damage(run) == .vp8lCodeLengths)
    }

    @Test(arguments: [0, 12, 15])
    func colorCachesOfOtherSizesAreRefused(_ bitCount: Int) {
        var writer = VP8LWriter()
        writer.writeHeader(width: 1, height: 1)
        writer.write(0, 1)
        writer.write(1, 1)
        writer.write(bitCount, 4)
        #expect(damage(writer.bytes) == .vp8lColorCache)
    }

    @Test func transformsComeOnce() {
        var writer = VP8LWriter()
        writer.writeHeader(width: 1, height: 1)
        for _ in 0..<2 {
            writer.write(1, 1)
            writer.write(2, 2)
        }
        #expect(damage(writer.bytes) == .vp8lTransformRepeated)
    }

    @Test func signaturesAndVersionsAreChecked() {
        #expect(damage([0x2E]) == .vp8lSignature)
        #expect(damage([0x2F, 0, 0, 0, 0x20]) == .vp8lVersion)
    }

    @Test func copiesStayInsideTheImage() {
        // A literal, then a copy of `length` symbol at the distance right in front, which is near place 2.
        func file(width: Int, literals: Int, length: Int) -> [UInt8] {
            stream(width: width) { writer in
                var lengths = Array(repeating: 0, count: 280)
                lengths[5] = 1
                lengths[256 + length] = 1
                writer.writeNormal(lengths)
                for symbol in [0, 0, 255, 1] { writer.writeSimple([symbol]) }
                for _ in 0..<literals { writer.write(5, WrittenCode(lengths)) }
                writer.write(256 + length, WrittenCode(lengths))
            }
        }
        #expect(DecodedVP8L(file(width: 4, literals: 1, length: 2)).pixels == Array(repeating: 0xFF00_0500, count: 4))
        #expect(damage(file(width: 3, literals: 1, length: 2)) == .vp8lBackwardReference)
        #expect(damage(file(width: 3, literals: 0, length: 0)) == .vp8lBackwardReference)
    }

    @Test func damageIsFoundAtAnyCutAlike() {
        let file = stream(width: 3) { $0.writeNormal(Array(repeating: 9, count: 280)) }
        let whole = DecodedVP8L(file).error
        #expect(whole != nil)
        for pieceSize in [1, 2, 5] { #expect(DecodedVP8L(file, pieceSize: pieceSize).error == whole) }
    }
}
