import CodecTestSupport
import ImageCore
import Testing
import WebPLossy

/// Two threads give the same rows as one.
@Suite struct ParallelDecodingTests {
    private static let size = PixelSize(width: 797, height: 701)

    /// A frame of random bits, which are modes and tokens like any others.
    private static func frame(seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let first = 60_000
        let tag = first << 5 | 1 << 4
        var bytes = [tag & 255, tag >> 8 & 255, tag >> 16, 0x9D, 0x01, 0x2A].map { UInt8($0) }
        for side in [size.width, size.height] { bytes += [UInt8(side & 255), UInt8(side >> 8)] }
        return bytes + random.bytes(first) + random.bytes(1_500_000)
    }

    /// The first two whose random headers say nothing that is wrong.
    private static let soundFrames: [[UInt8]] = (1...40).lazy.map { frame(seed: $0) }.filter { bytes in
        var decoder = VP8Decoder(byteCount: bytes.count)
        return (try? decoder.append(bytes.span)) != nil && (try? decoder.finish()) != nil
    }.prefix(2).map { $0 }

    @Test func rowsAreTheSameInTheSameOrder() throws {
        let frames = Self.soundFrames
        try #require(frames.count == 2)
        for bytes in frames {
            let one = LossyOutcome(bytes)
            #expect(one.isComplete && one.rowCount == Self.size.height)
            #expect(Set(one.rgba).count > 100)
            #expect(LossyOutcome(bytes, threads: 2) == one)
            #expect(LossyOutcome(bytes, piece: 100_000, copies: true, threads: 2) == one)
            #expect(LossyOutcome(bytes, keepsSamples: true, threads: 2).rgba == one.rgba)
        }
    }

    @Test func aFrameThatIsCutOffEndsTheSameWay() throws {
        let bytes = try #require(Self.soundFrames.first)
        for count in [80_000, 120_000] {
            let cut = Array(bytes.prefix(count))
            let one = LossyOutcome(cut, byteCount: cut.count)
            #expect(!one.isComplete && one.rowCount < Self.size.height)
            #expect(LossyOutcome(cut, byteCount: cut.count, threads: 2) == one)
        }
    }

    @Test func furtherRowsAreInThePromise() {
        #expect(VP8Stream.byteCount(Self.size, threads: 2) > VP8Stream.byteCount(Self.size))
        let small = PixelSize(width: 300, height: 200)
        #expect(VP8Stream.byteCount(small, threads: 2) == VP8Stream.byteCount(small))
    }
}
