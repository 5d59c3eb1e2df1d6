// How much of something that grows is told ahead, so that not every byte of it has to be told.

/// Bytes that a promise has of a unit whose length is known at its end.
package struct ToldByteCount: Hashable, Sendable {
    /// As many as were told; never fewer than there are.
    package private(set) var byteCount = 0

    package init() {}

    /// Takes note of how many there are.
    ///
    /// - Returns: whether they are more than were told, and half as many again are told now.
    package mutating func grows(to count: Int) -> Bool {
        guard count > byteCount else { return false }
        byteCount = count.addingSaturated(max(count / 2, Self.leastByteCount))
        return true
    }

    private static let leastByteCount = 1 << 14
}

extension DecodingRequest {
    /// What is told of a promise that has to grow: never more than the limit on memory, which nothing exceeds.
    package func told(_ told: Int, needed: Int) -> Int { max(needed, min(told, options.limits.maxMemoryByteCount)) }

    /// What is told of a promise behind an error: a decode that was refused memory held no more than the limit.
    package func toldAtEnd(_ needed: Int) -> Int {
        purpose == .inspection ? needed : min(needed, options.limits.maxMemoryByteCount)
    }
}
