import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// The container, chunk by chunk.
@Suite struct RIFFReaderTests {
    private enum Seen: Hashable {
        case chunk(String, Int), first(String, [UInt8]), frame, frameEnds, stream(String, [UInt8]), ends
    }

    /// What a reader sees of a file whose bytes come in pieces; payloads of `firsts` are wanted in part, of `streams` whole.
    private func walk(
        _ file: [UInt8], inPiecesOf size: Int, firsts: [String: Int] = [:], streams: Set<String> = []
    ) throws -> [Seen] {
        var reader = RIFFReader()
        var (seen, collected): ([Seen], [UInt8]) = ([], [])
        var input = InputBuffer()
        var work = WorkGuard.unlimited
        for start in stride(from: 0, to: file.count, by: size) {
            let piece = Array(file[start..<min(start + size, file.count)])
            try input.feed(piece.span, work: work) { (bytes, offset, _) throws(ImageError) in
                var position = 0
                while let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
                    switch step {
                    case .file: break
                    case .begins(let chunk):
                        seen.append(.chunk(chunk.type.name, chunk.byteCount))
                        if chunk.type == .frame { reader.accept(chunk, .frame) }
                        if let count = firsts[chunk.type.name] { reader.accept(chunk, .first(count)) }
                        if streams.contains(chunk.type.name) { reader.accept(chunk, .stream) }
                    case .first(let chunk, let body):
                        seen.append(.first(chunk.type.name, Array(bytes.extracting(body))))
                    case .frame: seen.append(.frame)
                    case .frameEnds: seen.append(.frameEnds)
                    case .stream(let chunk, let body, let isLast):
                        collected += Array(bytes.extracting(body))
                        position = body.upperBound
                        guard isLast else { return position }
                        seen.append(.stream(chunk.type.name, collected))
                        collected = []
                        reader.skipRest(of: chunk)
                    case .ends: seen.append(.ends)
                    }
                }
                return position
            }
        }
        return seen
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func chunksOfOddSizeArePadded(size: Int) throws {
        let file = WebPBuilder.file(WebPBuilder.chunk("abcd", [1, 2, 3]), WebPBuilder.chunk("efgh", [4]))
        #expect(try walk(file, inPiecesOf: size) == [.chunk("abcd", 3), .chunk("efgh", 1), .ends])
        // The last padding byte may be missing where the file says that it ends before it.
        let short = WebPBuilder.repaired(Array(file.dropLast()))
        #expect(try walk(short, inPiecesOf: size) == [.chunk("abcd", 3), .chunk("efgh", 1), .ends])
    }

    @Test(arguments: [1, 5, 1000])
    func payloadsComeAsTheyAreWanted(size: Int) throws {
        let file = WebPBuilder.file(
            WebPBuilder.chunk("abcd", [1, 2, 3]), WebPBuilder.chunk("efgh", [4, 5, 6, 7, 8]),
            WebPBuilder.chunk("ijkl", [9]))
        let seen = try walk(file, inPiecesOf: size, firsts: ["abcd": 2, "ijkl": 5], streams: ["efgh"])
        #expect(
            seen == [
                .chunk("abcd", 3), .first("abcd", [1, 2]), .chunk("efgh", 5), .stream("efgh", [4, 5, 6, 7, 8]),
                .chunk("ijkl", 1), .first("ijkl", [9]), .ends,
            ])
    }

    @Test(arguments: [1, 9, 1000])
    func framesHaveChunksInThem(size: Int) throws {
        let frame = WebPBuilder.frame(
            x: 0, y: 0, width: 1, height: 1, milliseconds: 0, flags: 0, WebPBuilder.chunk("abcd", [1]) + [1, 2, 3])
        let file = WebPBuilder.file(frame, WebPBuilder.chunk("efgh", []))
        #expect(
            try walk(file, inPiecesOf: size) == [
                .chunk("ANMF", 29), .frame, .chunk("abcd", 1), .frameEnds, .chunk("efgh", 0), .ends,
            ])
    }

    @Test func bytesBehindTheEndAreNotRead() throws {
        let file = WebPBuilder.file(WebPBuilder.chunk("abcd", [1, 2])) + WebPBuilder.chunk("efgh", [])
        #expect(try walk(file, inPiecesOf: 1000) == [.chunk("abcd", 2), .ends])
    }

    @Test func aChunkLongerThanTheFileIsDamage() throws {
        var file = WebPBuilder.file(WebPBuilder.chunk("abcd", [1, 2]))
        file[16] = 3
        #expect(throws: ImageError.self) { try walk(file, inPiecesOf: 1000) }
    }

    @Test(arguments: [0, 4, 11, 0xFFFF_FFF7, 0xFFFF_FFFF])
    func sizesThatNoFileCanHaveAreRefused(size: Int) {
        var file = WebPBuilder.file(WebPBuilder.chunk("abcd", [1, 2]))
        file.replaceSubrange(4..<8, with: WebPBuilder.number(size, 4))
        do throws(ImageError) {
            var (reader, position, work) = (RIFFReader(), 0, WorkGuard.unlimited)
            _ = try reader.next(in: file.span, from: &position, offset: 0, work: &work)
            Issue.record("accepted")
        } catch {
            #expect(error.damageCode == .webpFileSize)
        }
    }
}
