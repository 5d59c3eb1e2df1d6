// How hard compression tries.

/// How much time compression takes to make a stream smaller.
package enum CompressionEffort: String, CaseIterable, Hashable, Sendable {
    /// None: bytes are stored as they are.
    case stored
    /// The least that finds repetitions.
    case fast
    /// What most streams are made with.
    case `default`
    /// One search for the cheapest way through few matches: three times the time of `default` or so.
    case thorough
    /// The smallest stream: four to six times the time of `default`.
    case best
}
