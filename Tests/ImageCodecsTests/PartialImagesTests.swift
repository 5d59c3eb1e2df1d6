import CodecTestSupport
import Foundation
import ImageCodecs
import ImagePipeline
import Testing

@Suite struct PartialImagesTests {
    private func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Fixture.folder("png").appendingPathComponent(name)))
    }

    /// The bytes in pieces of a kind of their own.
    private func pieces<Piece: Sendable>(
        of name: String, _ size: Int, _ make: (ArraySlice<UInt8>) -> Piece
    ) throws -> AsyncStream<Piece> {
        let bytes = try bytes(of: name)
        let (stream, continuation) = AsyncStream.makeStream(of: Piece.self)
        for start in stride(from: 0, to: bytes.count, by: size) {
            continuation.yield(make(bytes[start..<min(start + size, bytes.count)]))
        }
        continuation.finish()
        return stream
    }

    /// Pictures grow, and the last is the whole one.
    private func expectGrowth<Source: AsyncSequence>(
        _ source: Source, to whole: Bitmap
    ) async throws where Source.Element: Sequence<UInt8> {
        var images: [RasterImage] = []
        for try await image in source.partialImages() { images.append(image) }
        #expect(images.count > 10)
        #expect(images.dropLast().allSatisfy { $0.isPartial })
        #expect(images.last?.isPartial == false)
        #expect(images.last?.bitmap == whole)
    }

    @Test func piecesMayBeAnySequenceOfBytes() async throws {
        let whole = try RasterImage(bytes(of: "landscape.png")).bitmap
        try await expectGrowth(pieces(of: "landscape.png", 1000) { Array($0) }, to: whole)
        try await expectGrowth(pieces(of: "landscape.png", 1000) { $0 }, to: whole)
        try await expectGrowth(pieces(of: "landscape.png", 1000) { ContiguousArray($0) }, to: whole)
        try await expectGrowth(pieces(of: "landscape.png", 1000) { Data($0) }, to: whole)
        // Not in memory one after the other.
        try await expectGrowth(pieces(of: "landscape.png", 1000) { Array($0.reversed()).reversed() }, to: whole)
    }

    @Test func aTruncatedSourceThrowsAtItsEnd() async throws {
        var count = 0
        let error = await #expect(throws: ImageError.self) {
            for try await _ in try pieces(of: "truncated.png", 1000, { $0 }).partialImages() { count += 1 }
        }
        #expect(error?.code == "truncated")
        #expect(count > 0)
    }
}
