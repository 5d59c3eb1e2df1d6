// A number that values share with their copies.

internal import Synchronization

/// Counts up.
package final class SharedCounter: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .relaxed) }

    package func increment() { number.add(1, ordering: .relaxed) }
}
