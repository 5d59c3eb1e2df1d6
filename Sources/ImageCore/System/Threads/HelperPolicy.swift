// When the two halves of a decode run on two threads, and when one thread does both.

/// Decides after each row of blocks, or batch of lines, whether the caller hands it to the second thread or reconstructs it
/// itself.
///
/// A second thread helps if there is a core for it. On a busy machine it only takes turns with the caller, at the
/// price of switching between them. So the time for a unit of rows is measured both ways: the caller begins alone, then
/// asks for help, and goes back to working alone, longer each time, if help does not gain a tenth.
package struct HelperPolicy: Hashable, Sendable {
    /// What the caller has to do after a row.
    package enum Step: Hashable, Sendable {
        /// Decode the next.
        case goOn
        /// Wake the second thread, then decode the next.
        case wakeHelper
        /// Reconstruct what is waiting.
        case emit
    }

    /// Rows of a unit.
    package let unit: Int

    private var rowCount = 0
    private var unitCount = 0
    private var isAlone = true
    private var aloneUnitCount = 2
    private var nextAloneUnitCount = shortestTimeAlone
    /// When the unit before the measured ones ended.
    private var start: Duration?
    private var measuredUnitCount = 0
    private var timeAlone = Duration.zero

    private static let longestUnit = 32
    private static let shortestTimeAlone = 4
    private static let longestTimeAlone = 64
    /// The number of groups of rows over which the gain of the second thread is measured.
    private static let trial = 4

    /// - Parameter unit: Rows after which the second thread is woken.
    package init(unit: Int) { self.unit = unit }

    /// Wakes the second thread after about 2^17 pixels; in a narrow picture after fewer, for each row of a unit is in memory
    /// three times, and has heads besides its pixels.
    ///
    /// - Parameter pixelsPerRow: Pixels of a row of blocks, not 0.
    package init(pixelsPerRow: Int) {
        let unit = min((1 << 17) / pixelsPerRow, Self.longestUnit)
        self.init(unit: SecondThread.isForAll.get() ? 1 : max(1, unit))
    }

    /// Forgets when the current unit began, because decoding was interrupted.
    package mutating func resume() { start = nil }

    /// Counts a decoded row.
    ///
    /// - Parameters:
    ///   - now: What ``MonotonicTime`` says; asked at the end of a unit.
    ///   - isIgnored: Whether two units wait, this row included, and nobody is at them.
    package mutating func addRow(now: @autoclosure () -> Duration, isIgnored: Bool) -> Step {
        rowCount += 1
        guard rowCount == unit else { return isAlone ? .emit : .goOn }
        rowCount = 0
        unitCount += 1
        measure(now())
        if isAlone {
            if unitCount >= aloneUnitCount { beginPhase(alone: false) }
            return .emit
        }
        if isIgnored { workAlone() }
        return isAlone ? .emit : .wakeHelper
    }

    /// Makes the caller work alone for a while, twice as long each time, up to a limit.
    package mutating func workAlone() {
        aloneUnitCount = nextAloneUnitCount
        nextAloneUnitCount = min(2 * nextAloneUnitCount, Self.longestTimeAlone)
        beginPhase(alone: true)
    }

    private mutating func beginPhase(alone: Bool) {
        isAlone = alone
        (unitCount, rowCount, start) = (0, 0, nil)
    }

    private mutating func measure(_ now: Duration) {
        guard let start else {
            (self.start, measuredUnitCount) = (now, 0)
            return
        }
        measuredUnitCount += 1
        let time = (now - start) / measuredUnitCount
        if isAlone {
            timeAlone = time
        } else if measuredUnitCount == Self.trial {
            if timeAlone > .zero, time > timeAlone * 0.9 {
                workAlone()
            } else {
                nextAloneUnitCount = Self.shortestTimeAlone
                (self.start, measuredUnitCount) = (now, 0)
            }
        }
    }
}
