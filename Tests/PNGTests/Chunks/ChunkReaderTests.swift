import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct ChunkReaderTests {
    /// What a walk saw of one chunk.
    private struct Seen: Equatable {
        var type: String
        var offset: Int
        var body: [UInt8] = []
        var isSound: Bool?
        var pieceCounts: [Int] = []
    }

    /// Walks through a file that comes in pieces of `byteCount`, and reads bodies as `reading` says.
    private func walk(
        _ file: [UInt8], pieces byteCount: Int = .max, _ reading: (ChunkHeader) -> ChunkReader.Reading?
    ) throws -> (seen: [Seen], reader: ChunkReader) {
        var reader = ChunkReader()
        var work = WorkGuard.unlimited
        var seen: [Seen] = []
        var (start, end) = (0, 0)
        while end < file.count {
            end += min(byteCount, file.count - end)
            let bytes = Array(file[start..<end])
            var position = 0
            while let step = try reader.next(in: bytes.span, from: &position, offset: start, work: &work) {
                switch step {
                case .begins(let chunk):
                    #expect(chunk.bodyOffset == start + position)
                    seen.append(Seen(type: chunk.type.name, offset: chunk.offset))
                    if let reading = reading(chunk) { reader.accept(chunk, reading) }
                case .whole(_, let body, let checksums):
                    seen[seen.count - 1].body = Array(bytes[body])
                    seen[seen.count - 1].isSound = checksums.agree
                case .piece(_, let body):
                    #expect(!body.isEmpty && body.upperBound == position)
                    seen[seen.count - 1].body += bytes[body]
                    seen[seen.count - 1].pieceCounts.append(body.count)
                case .ends(_, let checksums):
                    seen[seen.count - 1].isSound = checksums.agree
                }
            }
            start += position
        }
        return (seen, reader)
    }

    private static let frameData: [UInt8] = [0, 0, 0, 1] + (10...40).map { UInt8($0) }

    private static let file: [UInt8] = {
        var builder = PNGBuilder()
        builder.addHeader(width: 3, height: 2)
        builder.add("tEXt", Array("a\0b".utf8), flippedChecksumBits: 1)
        builder.add("IDAT")
        builder.add("fdAT", frameData)
        builder.add("prVt", [UInt8](repeating: 7, count: 50), flippedChecksumBits: 2)
        builder.add("IDAT", [1, 2, 3], flippedChecksumBits: 4)
        builder.add("IEND")
        return builder.bytes
    }()

    @Test(arguments: [1, 2, 3, 5, 7, 11, 64, .max])
    func aWalkSeesTheSameHoweverTheFileIsCut(_ byteCount: Int) throws {
        let (seen, reader) = try walk(Self.file, pieces: byteCount) { chunk in
            switch chunk.type.name {
            case "IDAT": .pieces()
            case "fdAT": .pieces(leading: 4)
            case "prVt": nil
            default: .whole
            }
        }
        #expect(seen.map(\.type) == ["IHDR", "tEXt", "IDAT", "fdAT", "prVt", "IDAT", "IEND"])
        #expect(seen.map(\.isSound) == [true, false, true, true, nil, false, true])
        #expect(seen.map(\.body.count) == [13, 3, 0, 35, 0, 3, 0])
        #expect(seen.map(\.offset) == [8, 33, 48, 60, 107, 169, 184])
        #expect(seen[3].body == Self.frameData)
        #expect(reader.unfinished == nil)
        // The sequence number is not torn.
        #expect(try #require(seen[3].pieceCounts.first) >= 4)
    }

    @Test func leadingBytesOfAShorterBodyAreAllOfIt() throws {
        var builder = PNGBuilder()
        builder.add("fdAT", [9, 9])
        let (seen, _) = try walk(builder.bytes, pieces: 1) { _ in .pieces(leading: 4) }
        #expect(seen == [Seen(type: "fdAT", offset: 8, body: [9, 9], isSound: true, pieceCounts: [2])])
    }

    @Test func aChunkThatIsCutOffIsUnfinished() throws {
        var builder = PNGBuilder()
        builder.add("IDAT", [1, 2, 3])
        for (missing, isBodyWhole) in [(1, true), (4, true), (5, false), (7, false)] {
            let (_, reader) = try walk(Array(builder.bytes.dropLast(missing))) { _ in .pieces() }
            let unfinished = try #require(reader.unfinished)
            #expect(unfinished.chunk.offset == 8)
            #expect((unfinished.checksum != nil) == isBodyWhole)
        }
    }

    @Test func longBodiesComeInPiecesThatAreNotLong() throws {
        var builder = PNGBuilder()
        builder.add("IDAT", [UInt8](repeating: 3, count: 200_000))
        let (seen, _) = try walk(builder.bytes) { _ in .pieces() }
        #expect(seen[0].pieceCounts == [65536, 65536, 65536, 3392])
        #expect(seen[0].isSound == true)
    }

    @Test func anotherSignatureIsToldAtItsFirstByte() throws {
        var reader = ChunkReader()
        var (position, work) = (0, WorkGuard.unlimited)
        let bytes: [UInt8] = [0x89, 0x50, 0x4F]
        #expect(throws: ImageError.unknownFormat) {
            try reader.next(in: bytes.span, from: &position, offset: 0, work: &work)
        }
    }

    @Test func whatCannotBeAChunkIsDamageInFrontOfWhichTheWalkStays() throws {
        var reader = ChunkReader()
        var (position, work) = (0, WorkGuard.unlimited)
        let bytes = PNGBuilder().bytes + [0, 0, 0, 0, 0x40, 1, 2, 3]
        #expect {
            try reader.next(in: bytes.span, from: &position, offset: 0, work: &work)
        } throws: { error in
            if case ImageError.corrupt(.png, .pngChunkType, offset: 12, _) = error { true } else { false }
        }
        #expect(position == 8)
    }
}
