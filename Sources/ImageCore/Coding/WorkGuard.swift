// Stops a decode that was cancelled or that takes too long.

/// Asked once per row, MCU row, scan or frame whether to go on.
///
/// Time counts only between ``begin()`` and ``end()``: waiting for the next piece of a download is not work.
package struct WorkGuard: Sendable {
    private let limit: Duration?
    private var spent = Duration.zero
    private var started: ContinuousClock.Instant?

    package init(limits: DecodingLimits) { limit = limits.maxTime }

    /// Starts the clock.
    package mutating func begin() {
        if limit != nil { started = .now }
    }

    /// Stops the clock.
    package mutating func end() {
        if let started { spent += started.duration(to: .now) }
        started = nil
    }

    /// Throws `cancelled` when the current task is, `limitExceeded(.time)` when the time is used up.
    package func check() throws(ImageError) {
        if Task.isCancelled { throw .cancelled }
        guard let limit else { return }
        let total = spent + (started.map { $0.duration(to: .now) } ?? .zero)
        guard total <= limit else {
            throw .limitExceeded(.time, requested: total.wholeMilliseconds, allowed: limit.wholeMilliseconds)
        }
    }
}

extension Duration {
    /// Milliseconds, rounded to the nearest; saturates.
    package var wholeMilliseconds: Int {
        let parts = components
        let (milliseconds, overflow) = parts.seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return parts.seconds < 0 ? .min : .max }
        return Int(milliseconds) + Int((parts.attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    }
}
