import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// Pictures of which only a window is held: the same pixels and errors as if all of it were.
@Suite struct VP8LWindowTests {
    /// As many pixels as any picture has: all of it is held.
    private static let wholeSlack = 1 << 40
    /// Windows as small as they can be, two in between, and the one of applications.
    private static let slacks = [0, 100_000, 300_001, VP8LStream.largeWindowSlack]

    private static func size(_ width: Int, pixelCount: Int) -> (width: Int, height: Int) {
        (width, (pixelCount + width - 1) / width)
    }

    @Test(arguments: FarVP8L.Kind.allCases, [100, 1000, 16_384])
    func windowsDoNotMatter(_ kind: FarVP8L.Kind, width: Int) throws {
        // The smallest window is a few rows more than copies reach, and moves every few rows.
        let size = Self.size(width, pixelCount: 1 << 20 + (width == 16_384 ? 500_000 : 150_000))
        let file = FarVP8L(kind, size: size, seed: UInt64(width)).writer.bytes
        let whole = DecodedVP8L(file, windowSlack: Self.wholeSlack)
        #expect(try PlainVP8L.picture(file).pixels == whole.pixels)
        for slack in Self.slacks {
            let decoded = DecodedVP8L(file, windowSlack: slack)
            #expect(decoded.error == nil && decoded.stream.isComplete)
            #expect(decoded.bytes == whole.bytes, "slack \(slack)")
        }
        #expect(DecodedVP8L(file, pieceSize: 1000, windowSlack: 0).bytes == whole.bytes)
    }

    @Test(arguments: FarVP8L.Kind.allCases)
    func largePicturesAreDecodedInTheUsualWindow(_ kind: FarVP8L.Kind) throws {
        let size = (width: 3000, height: 1800)
        let file = FarVP8L(kind, size: size, seed: 3).writer.bytes
        let whole = DecodedVP8L(file, windowSlack: Self.wholeSlack)
        let decoded = DecodedVP8L(file, pieceSize: 4096)
        #expect(decoded.bytes == whole.bytes && decoded.bytes.count == 4 * size.width * size.height)
        let byteCount = kind == .indices ? 1 : 4
        #expect(whole.peak > byteCount * size.width * size.height)
        #expect(decoded.peak < byteCount << 21 + 500_000 + 128 * file.count)
        #expect(decoded.isWithinEstimate(file, size: PixelSize(width: size.width, height: size.height)))
    }

    @Test func planesAreDecodedInAWindow() throws {
        let size = PixelSize(width: 1500, height: 900)
        for kind in FarVP8L.Kind.allCases {
            let file = FarVP8L(kind, size: (size.width, size.height), seed: 5, hasHeader: false).writer.bytes
            let whole = DecodedVP8L(file, .alpha(size), windowSlack: Self.wholeSlack)
            #expect(whole.stream.isComplete)
            #expect(DecodedVP8L(file, .alpha(size), windowSlack: 0).bytes == whole.bytes)
        }
    }

    /// With one byte at a time there is a cut at each byte around each move of the window.
    @Test(arguments: FarVP8L.Kind.allCases)
    func cutsDoNotMatter(_ kind: FarVP8L.Kind) {
        let file = FarVP8L(kind, size: (700, 1700), seed: 8).writer.bytes
        let whole = DecodedVP8L(file, windowSlack: Self.wholeSlack)
        for pieceSize in [1, 7, 64] {
            let pieces = DecodedVP8L(file, pieceSize: pieceSize, windowSlack: 0)
            #expect(pieces.bytes == whole.bytes && pieces.stream.isComplete, "pieces of \(pieceSize)")
        }
    }

    @Test(arguments: FarVP8L.Kind.allCases)
    func copiesAreCheckpoints(_ kind: FarVP8L.Kind) throws {
        let file = FarVP8L(kind, size: (1000, 1200), seed: 13).writer.bytes
        let whole = DecodedVP8L(file)
        for part in 1...9 {
            let cut = file.count * part / 10
            var first = VP8LStream(.picture, meter: nil, windowSlack: 0)
            let start = try Self.rows(&first, file, 0..<cut)
            var second = first
            try first.makeUnique()
            let firstRest = try Self.rows(&first, file, start.used..<file.count)
            try second.makeUnique()
            let secondRest = try Self.rows(&second, file, start.used..<file.count)
            #expect(start.rows + firstRest.rows == whole.bytes, "cut at \(cut)")
            #expect(firstRest.rows == secondRest.rows, "cut at \(cut)")
        }
    }

    private static func rows(
        _ stream: inout VP8LStream, _ file: [UInt8], _ range: Range<Int>
    ) throws -> (rows: [UInt8], used: Int) {
        var rows: [UInt8] = []
        var used = range.lowerBound
        var work = WorkGuard.unlimited
        while !stream.isComplete {
            let count = try stream.consume(
                file.span.extracting(used..<range.upperBound), offset: used, isFinal: range.upperBound == file.count,
                work: &work
            ) { row, _ in rows.append(row) }
            used += count
            if count == 0 { break }
        }
        return (rows, used)
    }

    /// A row of one color, then a copy of `distance` at pixel `place`, to the end of the picture.
    private func file(place: Int, distance: Int, beyond: Int = 0) -> [UInt8] {
        let (width, height) = (1024, place / 1024 + 1)
        var writer = VP8LWriter()
        writer.writeHeader(width: width, height: height)
        writer.write(0, 3)
        // A literal, and copies of 2049...3072 and 3073...4096 pixels or of one.
        var lengths = Array(repeating: 0, count: 280)
        for (symbol, length) in [5: 2, 256: 2, 278: 2, 279: 2] { lengths[symbol] = length }
        let green = WrittenCode(lengths)
        writer.writeNormal(lengths)
        for symbol in [0, 0, 255] { writer.writeSimple([symbol]) }
        // The pixel before, which is near place 2, and the last symbol.
        let distances = [0, 1] + Array(repeating: 0, count: 37) + [1]
        writer.writeNormal(distances)
        writer.write(5, green)
        var at = 1
        while at < place {
            let isLong = place - at >= 4096
            writer.write(isLong ? 279 : 256, green)
            if isLong { writer.write(1023, 10) }
            writer.write(1, WrittenCode(distances))
            at += isLong ? 4096 : 1
        }
        while at < width * height + beyond {
            writer.write(256, green)
            writer.write(39, WrittenCode(distances))
            writer.write(distance + 120 - 1 - 3 << 18, 18)
            at += 1
        }
        return writer.bytes
    }

    @Test func theFarthestCopyReachesTheFirstPixel() {
        let place = FarVP8L.farthest
        #expect(place == 1_048_456)
        for slack in [0, Self.wholeSlack] {
            let decoded = DecodedVP8L(file(place: place, distance: place), windowSlack: slack)
            #expect(decoded.stream.isComplete && decoded.pixels.allSatisfy { $0 == 0xFF00_0500 })
            let outside = DecodedVP8L(file(place: place - 1, distance: place), windowSlack: slack)
            #expect(outside.error?.damageCode == .vp8lBackwardReference)
            #expect(outside.error == DecodedVP8L(file(place: place - 1, distance: place), pieceSize: 100).error)
        }
    }

    @Test func damageIsTheSame() {
        let file = FarVP8L(.cache, size: (900, 1400), seed: 21).writer.bytes
        var random = SeededRandom(seed: 4)
        for _ in 0..<20 {
            var damaged = file
            let place = Int.random(in: file.count / 2..<file.count, using: &random)
            damaged[place] ^= UInt8.random(in: 1...255, using: &random)
            let whole = DecodedVP8L(damaged, windowSlack: Self.wholeSlack)
            let window = DecodedVP8L(damaged, windowSlack: 0)
            #expect(whole.error == window.error && whole.bytes == window.bytes, "byte \(place)")
        }
    }
}
