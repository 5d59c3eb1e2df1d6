// Inputs of compressors: bytes that repeat in many ways.

/// Bytes of many kinds, for what compresses.
package enum DeflateInput: String, CaseIterable, Sendable {
    case zeros, noise, fewValues, runs, words, periodic, gradient, twoHalves, farRepeats

    /// The first `count` bytes of this kind.
    package func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        switch self {
        case .zeros: return [UInt8](repeating: 0, count: count)
        case .noise: return random.bytes(count)
        case .fewValues: return random.bytes(count).map { $0 & 3 }
        case .runs:
            var bytes: [UInt8] = []
            while bytes.count < count {
                bytes += [UInt8](repeating: random.bytes(1)[0], count: 1 + Int(random.next() % 700))
            }
            return Array(bytes.prefix(count))
        case .words:
            let words = (0..<40).map { _ in random.bytes(2 + Int(random.next() % 9)) }
            var bytes: [UInt8] = []
            while bytes.count < count { bytes += words[Int(random.next() % 40)] }
            return Array(bytes.prefix(count))
        case .periodic: return (0..<count).map { UInt8(truncatingIfNeeded: $0 % 7 * 31) }
        case .gradient: return (0..<count).map { UInt8(truncatingIfNeeded: $0 / 300 + $0 % 3) }
        case .twoHalves: return DeflateInput.noise.bytes(count / 2) + DeflateInput.words.bytes(count - count / 2)
        case .farRepeats:
            // What comes again lies about as far back as a distance reaches.
            let block = random.bytes(32_700)
            var bytes: [UInt8] = []
            while bytes.count < count { bytes += block + random.bytes(Int(random.next() % 140)) }
            return Array(bytes.prefix(count))
        }
    }
}
