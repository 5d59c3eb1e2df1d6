// The inflater against zlib: the same bytes, verdicts and words, whatever the pieces.

#if SystemZlib
import CodecTestSupport
import DeflateCodec
import HostileFiles
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct SwiftInflaterTests {
    typealias Feeding = InflateComparison.Feeding

    /// Bytes as scanlines have them: runs, repeats of short and of long ones, and noise.
    static func sample(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        while bytes.count < count {
            let length = Int.random(in: 1...400, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes += [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: length)
            case 1: bytes += random.bytes(length)
            case 2: bytes += (0..<length).map { _ in UInt8.random(in: 0...6, using: &random) }
            default:
                let reach = Bool.random(using: &random) ? 20 : 40_000
                let distance = min(bytes.count, Int.random(in: 1...reach, using: &random))
                guard distance > 0 else { continue }
                for _ in 0..<length { bytes.append(bytes[bytes.count - distance]) }
            }
        }
        return Array(bytes.prefix(count))
    }

    private func outcome(_ stream: [UInt8], _ feeding: Feeding = Feeding(most: .max)) throws -> InflateOutcome {
        var run = try InflateComparison.Run(stream, feeding)
        return try run.finish()
    }

    private func inflate(
        _ inflater: inout SwiftInflater, _ bytes: [UInt8], limit: Int
    ) throws(InflateError) -> InflateStep {
        try bytes.withSpan { (bytes) throws(InflateError) in try inflater.inflate(bytes, limit: limit) }
    }

    @Test(arguments: [0, 1, 2, 4, 6, 9], ZlibStrategy.allCases)
    func streamsOfEveryLevelAndStrategyUnpack(level: Int, strategy: ZlibStrategy) throws {
        for (seed, count) in [0, 1, 2, 100, 5_000, 150_000].enumerated() {
            let bytes = Self.sample(count, seed: UInt64(seed))
            for memoryLevel in [1, 8] {
                let stream = zlibDeflate(bytes, level: level, strategy: strategy, memoryLevel: memoryLevel)
                let whole = InflateOutcome(output: bytes, ending: .finished, consumed: stream.count)
                #expect(try outcome(stream + [1, 2, 3]) == whole)
                #expect(try outcome(stream, Feeding(pieces: [1000], limits: [5000], most: .max)) == whole)
            }
        }
    }

    @Test func byteByByteUnpacksToTheSameAsAtOnce() throws {
        // Pieces of a byte never reach the fast loop.
        for (seed, strategy) in ZlibStrategy.allCases.enumerated() {
            let bytes = Self.sample(60_000, seed: UInt64(seed))
            let stream = zlibDeflate(bytes, level: 9, strategy: strategy)
            let whole = InflateOutcome(output: bytes, ending: .finished, consumed: stream.count)
            #expect(try outcome(stream, Feeding(pieces: [1], most: .max)) == whole)
            #expect(try outcome(stream, Feeding(limits: [1], capacity: 1, most: .max)) == whole)
        }
    }

    @Test func theResultDoesNotDependOnTheCut() throws {
        let bytes = Self.sample(1500, seed: 5)
        for strategy in [ZlibStrategy.standard, .fixedCodes] {
            for level in [0, 6] {
                let stream = zlibDeflate(bytes, level: level, strategy: strategy, flushEvery: 700)
                let whole = InflateOutcome(output: bytes, ending: .finished, consumed: stream.count)
                for cut in 0...stream.count {
                    #expect(try outcome(stream, Feeding(pieces: [max(1, cut), .max])) == whole)
                }
                for limit in 1...400 {
                    #expect(try outcome(stream, Feeding(limits: [limit])) == whole)
                    #expect(try outcome(stream, Feeding(limits: [limit, .max])) == whole)
                }
            }
        }
    }

    @Test func everyPrefixGivesWhatZlibMakesOfIt() throws {
        let stream = zlibDeflate(Self.sample(900, seed: 8), level: 6, flushEvery: 400)
        for count in 0..<stream.count {
            let prefix = Array(stream[..<count])
            let expected = zlibInflate(prefix, limit: 1 << 16)
            #expect(try outcome(prefix) == expected)
            #expect(try outcome(prefix, Feeding(pieces: [1])) == expected)
        }
    }

    @Test func streamsOfEveryKindAgreeWithZlib() {
        for seed in 0..<3000 as Range<UInt64> {
            let stream = DeflateRecipe.stream(DecisionSource(seed: seed))
            let found = InflateComparison.differences(stream, DecisionSource(seed: ~seed))
            #expect(found.differences.isEmpty, "seed \(seed)")
        }
    }

    @Test func damageIsToldBehindAllThatIsInFrontOfItHoweverTheInputIsCut() throws {
        let bytes = Self.sample(800, seed: 3)
        var stream = zlibDeflate(bytes, level: 6, flushEvery: 200)
        stream[stream.count * 2 / 3] ^= 0x55
        let expected = zlibInflate(stream, limit: 1 << 16)
        #expect(expected.ending != .finished && !expected.output.isEmpty)
        for cut in 1..<stream.count { #expect(try outcome(stream, Feeding(pieces: [cut])) == expected) }
        for limit in 1..<300 { #expect(try outcome(stream, Feeding(limits: [limit])) == expected) }
    }

    @Test func damageIsToldAgainByEveryLaterCall() throws {
        var inflater = try SwiftInflater(capacity: 10, meter: nil)
        for _ in 0..<3 {
            do throws(InflateError) {
                _ = try inflate(&inflater, [0x78, 0x9D], limit: 10)
                Issue.record("no damage")
            } catch {
                let nothing = InflateStep(consumed: 0, produced: 0, isFinished: false)
                let consumed = InflateStep(consumed: 2, produced: 0, isFinished: false)
                #expect([nothing, consumed].map { .damaged("incorrect header check", partial: $0) }.contains(error))
            }
        }
    }

    @Test func theEndIsFoundWithoutRoom() throws {
        let stream = zlibDeflate([1, 2, 3], level: 6)
        var inflater = try SwiftInflater(capacity: 3, meter: nil)
        let step = try inflate(&inflater, stream, limit: 3)
        #expect(step == InflateStep(consumed: stream.count, produced: 3, isFinished: true))
        #expect(inflater.withUnpacked { $0.copiedBytes() } == [1, 2, 3])
    }

    @Test func bytesThatWaitStayAndAreSeenInOrder() throws {
        let bytes = Self.sample(200_000, seed: 4)
        let stream = zlibDeflate(bytes, level: 6)
        let feeding = Feeding(pieces: [300], capacity: 1 << 15, kept: 20_000, most: .max)
        #expect(try outcome(stream, feeding).output == bytes)
    }

    @Test func aCopyIsACheckpoint() throws {
        let bytes = Self.sample(150_000, seed: 6)
        let stream = zlibDeflate(bytes, level: 6)
        var run = try InflateComparison.Run(stream, Feeding(pieces: [700], limits: [3000], most: .max))
        var checkpoints: [InflateComparison.Run] = []
        while try run.advance() == nil { checkpoints.append(run) }
        for index in stride(from: 0, to: checkpoints.count, by: 9) {
            let end = try checkpoints[index].finish()
            #expect(end == InflateOutcome(output: bytes, ending: .finished, consumed: stream.count))
        }
    }

    @Test func memoryIsCountedAsPromised() throws {
        let stream = zlibDeflate(Self.sample(100_000, seed: 7), level: 6)
        for capacity in [1, 5000, 1 << 16, 1 << 18] {
            let meter = MemoryMeter()
            var inflater = try SwiftInflater(capacity: capacity, meter: meter)
            let promised = SwiftInflater.byteCount(capacity: capacity)
            #expect(meter.current == promised)
            let checkpoint = inflater
            try inflater.makeUnique()
            #expect(meter.current == 2 * promised)
            _ = try inflate(&inflater, stream, limit: capacity)
            #expect(checkpoint.unpackedByteCount == 0)
            #expect(meter.peak == 2 * promised)
        }
        #expect(SwiftInflater.byteCount(capacity: .max) == .max)
    }

    @Test func aCopyForWhichThereIsNoMemoryIsAnError() throws {
        let meter = MemoryMeter(limit: SwiftInflater.byteCount(capacity: 100) * 3 / 2)
        var inflater = try SwiftInflater(capacity: 100, meter: meter)
        let checkpoint = inflater
        #expect(throws: InflateError.outOfMemory) { _ = try inflate(&inflater, [0x78], limit: 1) }
        _ = checkpoint
    }
}
#endif
