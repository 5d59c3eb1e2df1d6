// How often a transfer that failed is tried again, and what of a failure is remembered.

/// When a transfer that failed is tried again, for failures that trying again may help.
public struct RetryPolicy: Hashable, Sendable {
    /// Attempts, the first one included.
    public var maxAttemptCount: Int
    /// What is waited before the second attempt; twice as long before each further one, and up to a quarter less at random.
    public var delay: Duration
    /// The longest wait.
    public var maxDelay: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maxAttemptCount: attempts, the first one included.
    ///   - delay: what is waited before the second one.
    ///   - maxDelay: the longest wait.
    public init(maxAttemptCount: Int = 3, delay: Duration = .seconds(1), maxDelay: Duration = .seconds(60)) {
        (self.maxAttemptCount, self.delay, self.maxDelay) = (maxAttemptCount, delay, maxDelay)
    }

    /// One attempt.
    public static let never = RetryPolicy(maxAttemptCount: 1)

    /// What is waited after so many attempts, before chance takes something away.
    func delay(afterAttempts count: Int) -> Duration {
        var delay = delay
        for _ in 1..<max(1, count) where delay < maxDelay { delay *= 2 }
        return min(delay, maxDelay)
    }
}

/// How long it is remembered that something could not be loaded, by kind of failure; requests are refused meanwhile.
///
/// Nothing is remembered of cancelled requests, of a lost network, and of what was not in a cache. A request that does not read
/// originals (``CachePolicy/reload``) asks again all the same.
public struct FailureLifetimes: Hashable, Sendable {
    /// For what is not there.
    public var notFound: Duration
    /// For a source that fails or does not answer: this long after the first time, twice as long after each further one.
    public var unavailable: Duration
    /// The longest time for such a source.
    public var maxUnavailable: Duration
    /// For bytes that are no picture, or too many.
    public var undecodable: Duration

    /// Creates lifetimes.
    ///
    /// - Parameters:
    ///   - notFound: for what is not there.
    ///   - unavailable: for a source that fails, after the first time.
    ///   - maxUnavailable: the longest time for such a source.
    ///   - undecodable: for bytes that are no picture.
    public init(
        notFound: Duration = .seconds(600), unavailable: Duration = .seconds(1),
        maxUnavailable: Duration = .seconds(60), undecodable: Duration = .seconds(600)
    ) {
        (self.notFound, self.unavailable) = (notFound, unavailable)
        (self.maxUnavailable, self.undecodable) = (maxUnavailable, undecodable)
    }
}

/// A clock that only goes on, for waiting: tests give one that they move.
public struct LoadClock: Sendable {
    /// Time since some moment.
    public let now: @Sendable () -> Duration
    /// Waits; throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: time since some moment.
    ///   - sleep: waits; throws when the task is cancelled.
    public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        (self.now, self.sleep) = (now, sleep)
    }

    /// The system's clock.
    public static let continuous: LoadClock = {
        let start = ContinuousClock.now
        return LoadClock(
            now: { start.duration(to: .now) }, sleep: { duration in try await Task.sleep(for: duration) })
    }()
}
