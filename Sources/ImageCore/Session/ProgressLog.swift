// How far the work on one file has come, for those who show it to people.

import Synchronization

/// Records what conversions and encoders do; another thread reads it.
///
/// A share is recorded of work that comes in equal parts: bytes, rows, frames. What an encoder does after its last row is
/// ``Stage/compressing``, whose end most encoders cannot know.
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

    /// Records how much of a stage is done, in its own units.
    ///
    /// - Parameter total: 0 if it is not known.
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
