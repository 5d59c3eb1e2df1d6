// Makes one request for memory fail, so that tests can check what happens then.

import Synchronization

/// Counts the requests of the decodes that share a ``MemoryMeter``, and names the one that fails.
///
/// It belongs to a meter, not to the process, so that tests may run in parallel. A meter without one pays
/// only for a check that it has none.
///
/// What does not ask a meter cannot be made to fail. Swift's own containers end the process when they cannot grow, so
/// what of them a file decides is bounded:
///
/// - objects, closures and threads of Swift, and the structures of zlib: a number of them that a file does not decide;
/// - arrays whose bound is in a standard: 256 colours, four components and their tables, eight partitions, four
///   transforms, a report of 8,192 rows of MCUs (64 KB), the 42 weights of a filter's window;
/// - frames of an animation: `PagedArray` counts a page of places before it makes one; the list of whole frames that
///   one shot returns has a place of some two hundred bytes for each, for `DecodingLimits.maxFrameCount` of them at most;
/// - strings and byte arrays of metadata: ``MetadataBudget`` counts them before they are made, and asks the system
///   whether it has the memory for a large one;
/// - the bytes of a file that an encoder has written, pixels that a caller has packed: the caller's result, as large as
///   what the caller put in.
package final class AllocationFailure: Sendable {
    /// Who refuses.
    package enum Place: Hashable, Sendable, CaseIterable {
        /// The meter, when bytes are to be counted.
        case reservation
        /// The system, when bytes that were counted are to be allocated.
        case allocation
    }

    private let place: Place
    private let index: Int
    private let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - place: who refuses.
    ///   - index: the request that fails, the first being 0; `nil` counts only.
    package init(_ place: Place, at index: Int?) {
        self.place = place
        self.index = index ?? -1
    }

    /// Requests so far.
    package var requestCount: Int { count.load(ordering: .relaxed) }

    /// Whether the request came and was refused.
    package var hasHappened: Bool { index >= 0 && requestCount > index }

    /// Counts a request.
    ///
    /// - Returns: whether it is to fail.
    func isDue(_ place: Place) -> Bool {
        guard place == self.place else { return false }
        return count.add(1, ordering: .relaxed).oldValue == index
    }
}
