// How far the work on one file has come, for those who show it to people.

import Synchronization

/// Is told by conversions and encoders what they are about, and asked from another thread.
///
/// Work is told of where it comes in equal parts. What an encoder does once it has all rows is ``Stage/compressing``, whose end
/// nobody knows beforehand.
package final class ProgressLog: Sendable, Hashable {
    package enum Stage: Sendable {
        /// Bytes of the input are decoded.
        case reading
        /// An encoder looks at the frames of an animation before it writes the first.
        case surveying
        /// Rows of a picture, or frames of an animation, go to an encoder.
        case writing
        /// An encoder has all rows.
        case compressing
    }

    private struct State {
        var stage = Stage.reading
        var done = 0
        var total = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Says how much of a stage is done, in its own units.
    ///
    /// - Parameter total: 0 where it is not known.
    package func report(_ stage: Stage, _ done: Int = 0, of total: Int = 0) {
        state.withLock { $0 = State(stage: stage, done: done, total: total) }
    }

    /// What is done now, and which share of that is done (0...1) if it is known.
    package var current: (stage: Stage, share: Double?) {
        state.withLock { state in
            (state.stage, state.total > 0 ? min(1, Double(state.done) / Double(state.total)) : nil)
        }
    }

    package static func == (first: ProgressLog, second: ProgressLog) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
