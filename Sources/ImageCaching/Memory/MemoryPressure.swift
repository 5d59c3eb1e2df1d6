// The system says that memory runs short.

import ImageCodecsCore
import Synchronization

/// Calls a function whenever the system runs short of memory.
///
/// On Linux two places say so, and both are watched if they are there:
///
/// - `memory.events` of the process's control group (version 2): its counts of `high` and `max` grow when the group passed a limit;
/// - `/proc/pressure/memory`: tasks waited for memory for 150 ms of a second or two.
///
/// Where neither is to be had, and on other systems, there is no watcher: use the system's own notification there, and call
/// `MemoryCache.trim(to:)`.
public final class MemoryPressure: Sendable {
    private let events: PressureEvents

    /// Watches until the last reference is gone.
    ///
    /// - Parameter act: called on a thread of its own, a call after the other, at most about once a second.
    /// - Returns: `nil` if the system says nothing.
    public convenience init?(_ act: @escaping @Sendable () -> Void) {
        self.init(groupEventsPath: PressureEvents.ownGroupEventsPath, pressurePath: "/proc/pressure/memory", act)
    }

    /// - Parameters:
    ///   - groupEventsPath: a file like `memory.events`; `nil` for none.
    ///   - pressurePath: a file like `/proc/pressure/memory`; `nil` for none.
    package init?(groupEventsPath: String?, pressurePath: String?, _ act: @escaping @Sendable () -> Void) {
        guard let events = PressureEvents(groupEventsPath: groupEventsPath, pressurePath: pressurePath) else {
            return nil
        }
        self.events = events
        let isStarted = EndlessThread.start {
            while events.wait() { act() }
        }
        if !isStarted { return nil }
    }

    deinit { events.stop() }
}
