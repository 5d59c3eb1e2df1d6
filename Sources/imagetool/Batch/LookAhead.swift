// How far the threads of a run may be ahead of the result that is printed next.

import Dispatch

/// Places for work that was begun and is not printed yet.
///
/// The semaphore starts at 0 and is counted up: Dispatch ends the process if one is freed below its start value.
struct LookAhead: Sendable {
    private let places = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        for _ in 0..<max(1, count) { places.signal() }
    }

    /// Waits for a place.
    func enter() { places.wait() }

    /// Gives a place back.
    func leave() { places.signal() }
}
