// The time of day, which may jump: for ages of entries alone.

/// A clock that says how long ago the year 1970 began.
///
/// Ages of entries go by it, as they outlast the process. People and time servers set it, back too: see ``DiskCache`` for what
/// happens then.
public struct WallClock: Sendable {
    /// Time since 1 January 1970, 0:00 UTC.
    public let now: @Sendable () -> Duration

    /// Creates a clock; tests give one that they set.
    ///
    /// - Parameter now: answers the time since 1 January 1970, from any thread.
    public init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// The system's clock.
    public static let system = WallClock(now: systemTime)
}
