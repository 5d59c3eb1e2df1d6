// Decisions for generators of test files, drawn from a seed or from a fuzzer's bytes.

/// Answers questions with the bytes it was given, one after another, and after their end with random numbers that
/// depend on all of them.
///
/// A fuzzer that changes a late byte so keeps every earlier decision, and no input is too short for a whole file.
package struct DecisionSource: Sendable {
    private var given: [UInt8]
    private var position = 0
    private var random: SeededRandom
    /// Whether faults stay away, so that a file's sound parts are reached; see ``isFault(oneIn:)``.
    package var isCalm = false

    /// Decisions that depend on a number alone.
    package init(seed: UInt64) {
        given = []
        random = SeededRandom(seed: seed)
    }

    /// Decisions from `bytes`, then from a hash of them.
    package init(_ bytes: [UInt8]) {
        self.init(hashOf: bytes)
        given = bytes
    }

    /// Decisions from a hash of all bytes (FNV-1a), which are left to mean something else.
    package init(hashOf bytes: [UInt8]) {
        self.init(seed: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    /// The next byte.
    package mutating func byte() -> UInt8 {
        guard position < given.count else { return UInt8(truncatingIfNeeded: random.next() >> 33) }
        defer { position += 1 }
        return given[position]
    }

    /// A number below `bound`, which is at least 1 and at most 2^32.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        var value = 0
        for _ in 0..<(bound <= 256 ? 1 : bound <= 1 << 16 ? 3 : 5) { value = value << 8 | Int(byte()) }
        return value % bound
    }

    /// A number of a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// True once in `count` times, but never while the source is calm: for what makes a file unsound.
    package mutating func isFault(oneIn count: Int) -> Bool { !isCalm && oneIn(count) }

    /// One of several values, of which there is at least one.
    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// So many bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}
