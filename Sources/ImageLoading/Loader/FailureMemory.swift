// What could not be loaded, and until when nobody tries again.

internal import ImageCodecsCore

/// Failures by source key, each with an end. A plain value: whoever holds it locks.
package struct FailureMemory: Sendable {
    private struct Entry: Sendable {
        let error: LoadError
        let until: Duration
        /// Failures in a row.
        let count: Int
    }

    private let lifetimes: FailureLifetimes
    private var entries: [String: Entry] = [:]
    private let maxCount: Int

    package init(_ lifetimes: FailureLifetimes, maxCount: Int = 10_000) {
        (self.lifetimes, self.maxCount) = (lifetimes, max(1, maxCount))
    }

    package var count: Int { entries.count }

    /// The failure that is remembered of a source.
    package func failure(_ source: String, now: Duration) -> LoadError? {
        guard !entries.isEmpty, let entry = entries[source], now < entry.until else { return nil }
        return entry.error
    }

    /// Remembers a failure, if it is of a kind that is remembered.
    package mutating func record(_ error: LoadError, _ source: String, now: Duration) {
        let count = (entries[source]?.count ?? 0) + 1
        guard let lifetime = lifetime(error, count) else { return }
        if entries.count >= maxCount { entries = entries.filter { now < $0.value.until } }
        // All are young: those that are needed again come back.
        if entries.count >= maxCount { entries = [:] }
        entries[source] = Entry(error: error, until: now + lifetime, count: count)
    }

    package mutating func forget(_ source: String) {
        if !entries.isEmpty { entries[source] = nil }
    }

    private func lifetime(_ error: LoadError, _ count: Int) -> Duration? {
        switch error.reason {
        case .cancelled, .unreachable, .notInCache, .noSource, .refused, .other: return nil
        case .image(.cancelled), .image(.limitExceeded(.time, _, _)), .image(.inputOutput(_, _)): return nil
        case .notFound: return error.retryAfter ?? lifetimes.notFound
        case .image, .tooLarge: return lifetimes.undecodable
        case .timedOut, .unavailable, .rejected:
            let doubled = RetryPolicy(delay: lifetimes.unavailable, maxDelay: lifetimes.maxUnavailable)
            return error.retryAfter ?? doubled.delay(afterAttempts: count)
        }
    }
}
