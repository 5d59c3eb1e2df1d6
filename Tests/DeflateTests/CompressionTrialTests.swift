import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import Testing

@Suite struct CompressionTrialTests {
    private var trial: CompressionTrial
    private var random = SeededRandom(seed: 11)

    init() throws { trial = try CompressionTrial(byteCount: 4096, meter: nil) }

    /// About how many bits a version takes.
    private mutating func bitCount(_ version: [UInt8]) -> Int {
        version.withSpan { $0.withRawBytes { trial.cost($0) } } / BinaryLogarithm.one
    }

    private mutating func keep(_ version: [UInt8]) { version.withSpan { $0.withRawBytes { trial.keep($0) } } }

    @Test mutating func sixteenEquallyFrequentBytesTakeFourBitsEach() {
        for _ in 0..<4 { keep(random.bytes(4000).map { $0 & 15 }) }
        let bits = bitCount(random.bytes(4000).map { $0 & 15 })
        #expect((15_500...16_500).contains(bits))
    }

    @Test mutating func whatWasKeptIsFoundAgain() {
        let version = random.bytes(1000)
        keep(version)
        let (again, other) = (bitCount(version), bitCount(random.bytes(1000)))
        #expect(again < 200 && other > 7000)
    }

    @Test mutating func whatIsTooFarAwayIsNot() {
        let version = random.bytes(1000)
        keep(version)
        for _ in 0..<7 { keep([UInt8](repeating: 0, count: 4096)) }
        let near = bitCount(version)
        for _ in 0..<2 { keep([UInt8](repeating: 0, count: 4096)) }
        let far = bitCount(version)
        #expect(near < 300 && far > 7000)
    }

    @Test mutating func aVersionThatIsNotKeptLeavesNothing() {
        keep(random.bytes(500))
        let version = random.bytes(500)
        let first = bitCount(version)
        _ = bitCount(random.bytes(700))
        let second = bitCount(version)
        #expect(first == second)
    }

    @Test mutating func emptyVersionsCostNothing() {
        keep([])
        let bits = bitCount([])
        #expect(bits == 0)
    }

    @Test func whatItHoldsIsWhatItSays() throws {
        for byteCount in [1, 1000, 100_000] {
            let meter = MemoryMeter()
            let trial = try CompressionTrial(byteCount: byteCount, meter: meter)
            #expect(meter.current == CompressionTrial.estimatedByteCount(byteCount))
            withExtendedLifetime(trial) {}
        }
    }
}
