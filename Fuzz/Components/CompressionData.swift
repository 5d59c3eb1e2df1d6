// Bytes of the kinds that compressors are good and bad at.

import CodecTestSupport

/// Makes bytes from decisions.
enum CompressionData {
    private enum Kind: CaseIterable {
        case noise, fewValues, skewed, runs, near, far, words, gradient, scanlines, mixed, given
    }

    /// - Parameters:
    ///   - count: how many bytes.
    ///   - source: decides which.
    static func bytes(_ count: Int, _ source: inout DecisionSource) -> [UInt8] {
        let kind = source.pick(Kind.allCases)
        if kind == .given { return source.bytes(count) }
        // The rest is drawn from few decisions, so that a fuzzer can reach what comes after it.
        var random = DecisionSource(seed: UInt64(source.below(1 << 32)))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 4096)
        let words = kind == .words || kind == .mixed ? (0..<40).map { _ in random.bytes(2 + random.below(28)) } : []
        let values = random.bytes(random.pick([1, 2, 3, 5, 16, 100]))
        let step = random.pick([1, 2, 3, 7, 255])
        let width = 1 + random.below(400)
        while bytes.count < count {
            let part = kind == .mixed ? random.pick(Kind.allCases) : kind
            switch part {
            case .noise, .mixed, .given: bytes += random.bytes(1 + random.below(400))
            case .fewValues: for _ in 0..<1 + random.below(500) { bytes.append(random.pick(values)) }
            case .skewed:
                // Each value rarer than the one before by the golden ratio, so that codes get as long as they can.
                for _ in 0..<1 + random.below(4000) {
                    var value: UInt8 = 0
                    while value < 40, random.below(1000) < 618 { value += 1 }
                    bytes.append(value)
                }
            case .runs:
                bytes += Array(repeating: random.byte(), count: random.pick([1, 2, 3, 5, 100, 257, 258, 259, 3000]))
            case .near: repeatBytes(distance: 1 + random.below(70), &bytes, &random)
            case .far: repeatBytes(distance: random.pick([32_768, 32_767, 32_769, 30_000, 9000]), &bytes, &random)
            case .words: bytes += words.isEmpty ? [0] : random.pick(words)
            case .gradient: for _ in 0..<300 { bytes.append(UInt8(truncatingIfNeeded: bytes.count &* step)) }
            case .scanlines: addScanline(width: width, &bytes, &random)
            }
        }
        return Array(bytes.prefix(count))
    }

    private static func repeatBytes(distance: Int, _ bytes: inout [UInt8], _ random: inout DecisionSource) {
        if bytes.isEmpty { bytes.append(random.byte()) }
        let distance = min(distance, bytes.count)
        for _ in 0..<random.pick([3, 4, 7, 8, 9, 10, 63, 64, 65, 258, 259, 1000]) {
            bytes.append(bytes[bytes.count - distance])
        }
        bytes += random.bytes(random.below(4))
    }

    /// A filter type, then small differences of either sign, as filters leave them of a photograph.
    private static func addScanline(width: Int, _ bytes: inout [UInt8], _ random: inout DecisionSource) {
        bytes.append(UInt8(random.below(5)))
        for _ in 0..<width {
            let sum = random.below(8) + random.below(8) - random.below(8) - random.below(8)
            bytes.append(UInt8(truncatingIfNeeded: sum))
        }
    }
}
