import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// Two threads give the same rows as one.
@Suite struct ParallelDecodingTests {
    private static let size = PixelSize(width: 1203, height: 901)

    /// A frame with an ordinary header, one token partition, and random bits for modes and tokens.
    private static func frame(level: Int, seed: UInt64) -> [UInt8] {
        var writer = BooleanWriter()
        // Colour space, clamping, segments; filter type, level, sharpness, deltas; partitions; quantizer and its deltas.
        for (value, bitCount) in [(0, 1), (0, 1), (0, 1), (0, 1), (level, 6), (2, 3), (0, 1), (0, 2), (9, 7), (0, 5)] {
            writer.write(value, bitCount: bitCount)
        }
        writer.write(false)
        // Every token as likely as its length lets be: random bits are many tokens.
        for probability in CoefficientProbabilityTables.updates {
            writer.write(true, probability: probability)
            writer.write(100, bitCount: 8)
        }
        writer.write(false)
        var random = SeededRandom(seed: seed)
        for _ in 0..<15_000 { writer.write(Int(random.next() >> 32), bitCount: 32) }
        writer.finish()
        let first = writer.bytes
        let tag = first.count << 5 | 1 << 4
        var bytes = [tag & 255, tag >> 8 & 255, tag >> 16, 0x9D, 0x01, 0x2A].map { UInt8($0) }
        for side in [size.width, size.height] { bytes += [UInt8(side & 255), UInt8(side >> 8)] }
        return bytes + first + random.bytes(2_000_000)
    }

    private static let frames = [frame(level: 0, seed: 1), frame(level: 30, seed: 2)]

    @Test(arguments: 0..<2)
    func rowsAreTheSameInTheSameOrder(_ index: Int) {
        let bytes = Self.frames[index]
        let one = LossyOutcome(bytes)
        #expect(one.isComplete && one.rowCount == Self.size.height)
        #expect(Set(one.rgba).count > 100)
        #expect(LossyOutcome(bytes, threads: 2) == one)
        #expect(LossyOutcome(bytes, piece: 100_000, copies: true, threads: 2) == one)
        #expect(LossyOutcome(bytes, keepsSamples: true, threads: 2).rgba == one.rgba)
    }

    @Test func aFrameThatIsCutOffEndsTheSameWay() {
        let cut = Array(Self.frames[1].prefix(130_000))
        let one = LossyOutcome(cut, byteCount: cut.count)
        let isCut = !one.isComplete && one.rowCount > 50
        #expect(isCut)
        #expect(LossyOutcome(cut, byteCount: cut.count, threads: 2) == one)
    }

    @Test func furtherRowsAreInThePromise() {
        func byteCount(_ size: PixelSize, threads: Int) -> Int {
            VP8Stream.byteCount(size, firstPartitionByteCount: 1000, threads: threads)
        }
        #expect(byteCount(Self.size, threads: 2) > byteCount(Self.size, threads: 1))
        let small = PixelSize(width: 300, height: 200)
        #expect(byteCount(small, threads: 2) == byteCount(small, threads: 1))
    }
}
