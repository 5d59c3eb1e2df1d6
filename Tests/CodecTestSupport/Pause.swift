// Waiting that blocks a thread, for tests of who is blocked by it.

import Foundation

/// Blocks the calling thread.
public enum Pause {
    /// For a millisecond.
    public static func briefly() { Thread.sleep(forTimeInterval: 0.001) }

    /// Until `isOver`, but no longer than two minutes.
    ///
    /// - Returns: Whether it was over before that.
    @discardableResult
    public static func until(_ isOver: () -> Bool) -> Bool {
        for _ in 0..<120_000 {
            if isOver() { return true }
            briefly()
        }
        return isOver()
    }
}
