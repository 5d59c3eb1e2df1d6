// What entropy decoding carries from MCU to MCU, and how a run of MCUs ends: what scans of all kinds have in common.

/// The state of a scan between two MCUs: a plain value, so that a copy is a checkpoint.
package protocol EntropyDecodingState: Hashable, Sendable {
    /// Where the next bits are.
    var reader: EntropyBitReader { get set }
    /// Whether the last MCU had a code that is in no table, or more coefficients than may be.
    var isDamaged: Bool { get set }

    /// Forgets what does not go on from one restart interval to the next.
    mutating func beginInterval()
}

/// How a run of blocks or MCUs ended.
package enum RunResult: Hashable, Sendable {
    /// All are decoded.
    case complete
    /// This one needs more bytes; it and the state are as they were before it.
    case needsMoreInput(column: Int)
    /// This one was decoded with zero bits in place of missing ones, or is damaged.
    case damaged(column: Int)
}
