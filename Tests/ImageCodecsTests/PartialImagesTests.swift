import CodecTestSupport
import Foundation
import ImageCodecs
import ImagePipeline
import Synchronization
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
    ) async throws where Source.Element: Sequence<UInt8> & Sendable {
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

    @Test func aPictureKeepsItsShareOfTheBudgetUntilItIsComplete() async throws {
        let budget = DecodingBudget(byteCount: 1 << 30)
        let bytes = try bytes(of: "landscape.png")
        let info = try ImageInfo(bytes)
        let source = try pieces(of: "landscape.png", 1000) { $0 }
        var iterator = source.partialImages(budget: budget).makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        #expect(budget.bytesInUse >= info.estimatedPeakByteCount + 2 * info.decodedByteCount)
        while try await iterator.next() != nil {}
        #expect(budget.bytesInUse == 0)
        #expect(try await iterator.next() == nil)
    }

    @Test func aShareIsFreeWhenNobodyIteratesAnyMore() async throws {
        let budget = DecodingBudget(byteCount: 1 << 30)
        for try await _ in try pieces(of: "landscape.png", 1000, { $0 }).partialImages(budget: budget) { break }
        #expect(budget.bytesInUse == 0)
        await #expect(throws: ImageError.self) {
            for try await _ in try pieces(of: "truncated.png", 1000, { $0 }).partialImages(budget: budget) {}
        }
        #expect(budget.bytesInUse == 0)
    }

    /// Hands out the pieces of a file, and counts them.
    private struct CountedPieces: AsyncSequence, AsyncIteratorProtocol {
        var pieces: [ArraySlice<UInt8>]
        let count: Counter

        mutating func next() async -> ArraySlice<UInt8>? {
            guard !pieces.isEmpty else { return nil }
            count.increment()
            return pieces.removeFirst()
        }

        func makeAsyncIterator() -> Self { self }
    }

    private final class Counter: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func increment() { state.withLock { $0 += 1 } }
    }

    @Test func theSourceIsSuspendedWhileThereIsNoRoom() async throws {
        let budget = DecodingBudget(byteCount: 1000)
        let bytes = try bytes(of: "landscape.png")
        let count = Counter()
        let pieces = stride(from: 0, to: bytes.count, by: 1000).map { bytes[$0..<min($0 + 1000, bytes.count)] }
        let task = try await budget.withBytes(1000) { () throws(ImageError) in
            let task = Task {
                var pictureCount = 0
                for try await _ in CountedPieces(pieces: pieces, count: count).partialImages(budget: budget) {
                    pictureCount += 1
                }
                return pictureCount
            }
            while budget.waitingCount == 0 { await Task.yield() }
            // The headers are in the first piece; no other was asked for.
            #expect(count.value == 1)
            return task
        }
        #expect(try await task.value > 10)
        #expect(count.value == pieces.count)
    }

    @Test func waitingForRoomEndsWhenTheTaskIsCancelled() async throws {
        let budget = DecodingBudget(byteCount: 1000)
        let bytes = try bytes(of: "landscape.png")
        try await budget.withBytes(1000) { () throws(ImageError) in
            let task = Task {
                for try await _ in CountedPieces(pieces: [bytes[...]], count: Counter()).partialImages(budget: budget) {
                }
            }
            while budget.waitingCount == 0 { await Task.yield() }
            task.cancel()
            await #expect(throws: ImageError.cancelled) { try await task.value }
        }
        #expect(budget.waitingCount == 0)
    }

    @Test func bytesThatAreNoPictureAreRefused() async throws {
        for text in ["", "x", "hello, this is no picture at all, however long it goes on"] {
            let error = await #expect(throws: ImageError.self) {
                let pieces = [Array(text.utf8)[...]]
                for try await _ in CountedPieces(pieces: pieces, count: Counter()).partialImages() {}
            }
            #expect(error?.code == "unknownFormat" || error?.code == "truncated")
        }
    }
}
