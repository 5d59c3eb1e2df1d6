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
    /// Half of what may be kept: when there are more, the ones before go, and these are the ones before. None is looked for then, and
    /// each failure costs the same.
    private var entries: [String: Entry] = [:]
    private var older: [String: Entry] = [:]
    private let halfCount: Int

    package init(_ lifetimes: FailureLifetimes, maxCount: Int = 10_000) {
        (self.lifetimes, halfCount) = (lifetimes, max(1, maxCount / 2))
    }

    package var count: Int { entries.count + older.count }

    private func entry(_ source: String) -> Entry? { count == 0 ? nil : entries[source] ?? older[source] }

    /// The failure that is remembered of a source.
    package func failure(_ source: String, now: Duration) -> LoadError? {
        guard let entry = entry(source), now < entry.until else { return nil }
        return entry.error
    }

    /// Remembers a failure, if it is of a kind that is remembered.
    package mutating func record(_ error: LoadError, _ source: String, now: Duration) {
        let failureCount = (entry(source)?.count ?? 0) + 1
        guard let lifetime = lifetime(error, failureCount) else { return }
        forget(source)
        if entries.count >= halfCount { (older, entries) = (entries, [:]) }
        entries[source] = Entry(error: error, until: now + lifetime, count: failureCount)
    }

    package mutating func forget(_ source: String) {
        guard count > 0 else { return }
        entries[source] = nil
        older[source] = nil
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
