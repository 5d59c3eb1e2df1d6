import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

@Suite struct FrameLookAheadTests {
    /// Decodes whatever is to be decoded; the frames in order.
    private func fill(_ lookAhead: inout FrameLookAhead) throws -> [Int] {
        var indices: [Int] = []
        while let index = lookAhead.candidate {
            #expect(lookAhead.beginDecoding() == index)
            indices.append(index)
            let frame = ImageFrame(bitmap: try StubAnimation.bitmap(index), duration: .zero)
            lookAhead.finish(.success(frame), wasCancelled: false)
        }
        return indices
    }

    @Test func noMoreFramesAreDecodedThanAllowed() throws {
        var lookAhead = FrameLookAhead(maxFrameCount: 3, maxByteCount: .max, frameByteCount: 64)
        lookAhead.want([4, 5, 6, 7, 8], needsFirst: false)
        #expect(try fill(&lookAhead) == [4, 5, 6])
        lookAhead.want([5, 6, 7, 8], needsFirst: false)
        #expect(try fill(&lookAhead) == [7])
        #expect(lookAhead.readyCount == 3)
    }

    @Test func framesTakeNoMoreBytesThanAllowed() throws {
        var lookAhead = FrameLookAhead(maxFrameCount: 10, maxByteCount: 64 * 3 - 1, frameByteCount: 64)
        lookAhead.want([0, 1, 2, 3], needsFirst: true)
        #expect(try fill(&lookAhead) == [0, 1])
        #expect(lookAhead.byteCount == 128)
        lookAhead.want([], needsFirst: false)
        #expect(lookAhead.byteCount == 0)
        #expect(lookAhead.readyCount == 0)
    }

    @Test func theFrameThatIsWaitedForIsDecodedWhateverItTakes() throws {
        for (frames, bytes) in [(0, 1 << 20), (2, 0), (2, 63), (0, 0)] {
            var lookAhead = FrameLookAhead(maxFrameCount: frames, maxByteCount: bytes, frameByteCount: 64)
            lookAhead.want([3, 4], needsFirst: false)
            #expect(try fill(&lookAhead) == [])
            lookAhead.want([3, 4], needsFirst: true)
            #expect(try fill(&lookAhead) == [3])
        }
    }

    @Test func theFrameThatIsWaitedForMakesItselfRoom() throws {
        var lookAhead = FrameLookAhead(maxFrameCount: 2, maxByteCount: .max, frameByteCount: 64)
        lookAhead.want([1, 2], needsFirst: false)
        #expect(try fill(&lookAhead) == [1, 2])
        lookAhead.want([0, 1, 2], needsFirst: true)
        #expect(try fill(&lookAhead) == [0])
        #expect(lookAhead[1] != nil)
        #expect(lookAhead[2] == nil)
        #expect(lookAhead.byteCount == 128)
    }

    @Test func framesLargerThanPromisedCountAsTheyAre() throws {
        var lookAhead = FrameLookAhead(maxFrameCount: 10, maxByteCount: 128, frameByteCount: 1)
        lookAhead.want([0, 1, 2, 3], needsFirst: false)
        #expect(try fill(&lookAhead) == [0, 1])
    }

    @Test func oneFrameIsDecodedAtATime() {
        var lookAhead = FrameLookAhead(maxFrameCount: 3, maxByteCount: .max, frameByteCount: 64)
        lookAhead.want([0, 1], needsFirst: false)
        #expect(lookAhead.beginDecoding() == 0)
        #expect(lookAhead.candidate == nil)
        #expect(!lookAhead.isDecodingInVain)
        lookAhead.want([1], needsFirst: true)
        #expect(lookAhead.isDecodingInVain)
        lookAhead.finish(.failure(.cancelled), wasCancelled: true)
        #expect(lookAhead.candidate == 1)
    }

    @Test func failuresAreKeptUnlessDecodingWasCancelled() {
        var lookAhead = FrameLookAhead(maxFrameCount: 3, maxByteCount: .max, frameByteCount: 64)
        lookAhead.want([0, 1], needsFirst: false)
        _ = lookAhead.beginDecoding()
        lookAhead.finish(.failure(.unknownFormat), wasCancelled: false)
        #expect(throws: ImageError.unknownFormat) { try lookAhead[0]?.get() }
        #expect(lookAhead.beginDecoding() == 1)
        lookAhead.finish(.failure(.cancelled), wasCancelled: true)
        #expect(lookAhead[1] == nil)
        #expect(lookAhead.candidate == 1)
    }
}
