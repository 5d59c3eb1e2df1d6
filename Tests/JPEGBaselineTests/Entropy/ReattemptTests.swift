import CodecTestSupport
import JPEGBaselineCodec
import Testing

@Suite struct ReattemptTests {
    /// Feeds a unit of `count` bytes in pieces, and adds up the bytes that attempts at it read.
    private func bytesRead(unit: [UInt8], pieceSize: Int) -> (read: Int, attempts: Int) {
        var reattempt = Reattempt()
        var result = (read: 0, attempts: 0)
        for end in stride(from: pieceSize, through: unit.count, by: pieceSize) {
            let input = unit.span.extracting(first: end)
            guard reattempt.isDue(input) else { continue }
            result.attempts += 1
            result.read += end
            reattempt.recordFailure(byteCount: end)
        }
        return result
    }

    @Test func theFirstAttemptIsAlwaysDue() {
        var reattempt = Reattempt()
        for count in [0, 1, 100_000] {
            let isDue = reattempt.isDue([UInt8](repeating: 1, count: count).span)
            #expect(isDue)
        }
    }

    @Test(arguments: [1000, 10_000, 100_000], [1, 3, 64])
    func attemptsReadInProportionToTheUnit(_ count: Int, _ pieceSize: Int) {
        let (read, attempts) = bytesRead(unit: [UInt8](repeating: 7, count: count), pieceSize: pieceSize)
        // Each new byte earns 64 bytes of reading; the first attempt is free.
        #expect(read <= 64 * count + pieceSize)
        #expect(attempts > 0)
    }

    @Test func fillBytesAreNoReasonToTry() {
        let (read, _) = bytesRead(unit: [UInt8](repeating: 0xFF, count: 100_000), pieceSize: 1)
        #expect(read <= 64 * 100_000 + 1)
    }

    @Test func shortUnitsAreTriedAtEveryByte() {
        let (_, attempts) = bytesRead(unit: [UInt8](repeating: 7, count: 64), pieceSize: 1)
        #expect(attempts == 64)
    }

    /// A unit so long that nothing was earned yet, then two bytes more.
    private func isDue(behind end: [UInt8], _ new: [UInt8]) -> Bool {
        var reattempt = Reattempt()
        let long = [UInt8](repeating: 7, count: 10_000) + end
        _ = reattempt.isDue(long.span)
        reattempt.recordFailure(byteCount: long.count)
        return reattempt.isDue((long + new).span)
    }

    @Test func aMarkerAmongNewBytesIsAReasonToTry() {
        #expect(isDue(behind: [], [0xFF, 0xD9]))
        #expect(isDue(behind: [0xFF], [0xD9]))
        #expect(isDue(behind: [0xFF], [0xFF, 0xD0]))
        #expect(isDue(behind: [0xFF, 0xFF], [0x01]))
        for (end, new) in [([], [0xFF, 0]), ([0xFF], [0]), ([0xFF], [0xFF]), ([], [1, 2]), ([], [0xFF])]
            as [([UInt8], [UInt8])]
        {
            #expect(!isDue(behind: end, new))
        }
    }

    @Test func anotherUnitIsTriedAtOnce() {
        var reattempt = Reattempt()
        _ = reattempt.isDue([UInt8](repeating: 7, count: 10_000).span)
        reattempt.recordFailure(byteCount: 10_000)
        // Fewer bytes than were looked at: some of them have been consumed.
        let isDue = reattempt.isDue([UInt8](repeating: 7, count: 9_999).span)
        #expect(isDue)
    }
}
