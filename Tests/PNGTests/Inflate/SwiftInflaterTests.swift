// The inflater against zlib: the same bytes, verdicts and words, whatever the pieces.

#if SystemZlib
import CodecTestSupport
import ImageCore
import PNG
import Testing

@Suite struct SwiftInflaterTests {
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
                let distance = min(bytes.count, Int.random(in: 1...(Bool.random(using: &random) ? 20 : 40_000), using: &random))
                guard distance > 0 else { continue }
                for _ in 0..<length { bytes.append(bytes[bytes.count - distance]) }
            }
        }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: [0, 1, 2, 4, 6, 9], ZlibStrategy.allCases)
    func streamsOfEveryLevelAndStrategyUnpack(level: Int, strategy: ZlibStrategy) throws {
        for (seed, count) in [0, 1, 2, 100, 5_000, 150_000].enumerated() {
            let bytes = Self.sample(count, seed: UInt64(seed))
            for memoryLevel in [1, 8] {
                let stream = zlibDeflate(bytes, level: level, strategy: strategy, memoryLevel: memoryLevel)
                let outcome = try swiftInflate(stream + [1, 2, 3])
                #expect(outcome.ending == .finished)
                #expect(outcome.output == bytes)
                #expect(outcome.consumed == stream.count)
            }
        }
    }
}
#endif
