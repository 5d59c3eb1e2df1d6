import CodecTestSupport
import ImageCodecsCore
import ImageLoading
import Testing

@Suite struct ReceivedBytesTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func bytesAreThoseOfThePiecesFromAnyPlace(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (received, all) = (ReceivedBytes(), [UInt8]())
        for _ in 0..<40 {
            let count = [0, 1, 3, 1400, 20_000, 70_000].randomElement(using: &random) ?? 0
            let piece = random.bytes(count)
            received.append(ImageData(piece))
            all += piece
            let offset = Int.random(in: 0...all.count + 5, using: &random)
            #expect(received.bytes(from: offset) == Array(all.dropFirst(offset)))
        }
        #expect(received.count == all.count)
        #expect(received.joined().withBytes { Array($0) } == all)
        #expect(received.pieceCount == 1 && received.bytes(from: 0) == all)
    }

    @Test func aMillionPiecesOfAByteAreFewPieces() {
        var received = ReceivedBytes()
        for number in 0..<1_000_000 { received.append(ImageData([UInt8(truncatingIfNeeded: number)])) }
        #expect(received.count == 1_000_000)
        #expect(received.pieceCount < 20)
        #expect(
            received.bytes(from: 999_998) == [UInt8(truncatingIfNeeded: 999_998), UInt8(truncatingIfNeeded: 999_999)])
    }

    @Test func nothingIsNothing() {
        var received = ReceivedBytes()
        received.append(ImageData([UInt8]()))
        #expect(received.count == 0 && received.pieceCount == 0 && received.bytes(from: 0) == [])
        #expect(received.joined().count == 0)
        received.append(ImageData([7] as [UInt8]))
        #expect(received.bytes(from: 0) == [7] && received.joined().count == 1)
    }
}
