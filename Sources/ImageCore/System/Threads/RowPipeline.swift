// The second half of a decode beside the first: what entropy decoding or inflating gives passes from the caller's thread to
// another.
//
// In: decoded rows in order, of coefficients, say, or batches of filtered lines. Out: the output they were written to. The
// two threads meet once in some rows: waking a thread costs tens of microseconds, as much as reconstructing a small row.

import Dispatch
import Synchronization

/// What one thread decodes and another reconstructs: a row of blocks or a batch of lines, with its buffers.
package protocol PipelinedRow: Sendable {
    /// What rows are reconstructed into.
    associatedtype Output: Sendable
    /// Reconstructs the row, which comes next.
    func emit(into output: inout Output) throws(ImageError)
}

/// A short queue of rows between entropy decoding and reconstruction.
///
/// Who holds the output reconstructs all waiting rows: the second thread, or the caller if ``HelperPolicy`` says so.
///
///     caller     decode rows 0, 1 │ decode rows 2, 3 │ decode rows 4, 5 │ ...
///     second                      │ emit rows 0, 1   │ emit rows 2, 3   │ ...
package final class RowPipeline<Row: PipelinedRow>: Sendable {
    // Each of these lists holds at most what is named; values move from list to list and are never held twice, so
    // that no copy-on-write buffer is copied.
    private struct State: Sendable {
        /// The output, while nobody works on it.
        var output: [Row.Output]
        /// Decoded rows, oldest first.
        var waiting: [Row] = []
        /// Buffers that can be decoded into.
        var spare: [Row]
        var isClosed = false
        var failure: ImageError?
        var policy: HelperPolicy

        /// Adds a decoded row to those that wait, and says what the caller does next.
        mutating func accept(_ row: Row) -> HelperPolicy.Step {
            waiting.append(row)
            return policy.addRow(
                now: MonotonicTime.now, isIgnored: waiting.count >= 2 * policy.unit && !output.isEmpty)
        }
    }

    /// If the caller has to wait this long for the second thread, that thread has lost its core.
    private static var patience: Duration { .milliseconds(2) }

    private let state: Mutex<State>
    private let rowsArrived = DispatchSemaphore(value: 0)
    private let rowsDone = DispatchSemaphore(value: 0)

    /// Buffers that a pipeline needs besides the caller's own: a unit that is being decoded, one that waits, one that is
    /// being emitted.
    package static func bufferCount(_ policy: HelperPolicy) -> Int { 3 * policy.unit }

    /// Starts the second thread.
    ///
    /// - Parameters:
    ///   - output: One output; taken, and given back by ``finish(_:spare:)``.
    ///   - spare: ``bufferCount(_:)`` buffers; taken and given back likewise.
    ///   - policy: How the threads got on with each other so far.
    package init(_ output: inout [Row.Output], spare: inout [Row], policy: HelperPolicy) {
        var (outputs, buffers): ([Row.Output], [Row]) = ([], [])
        swap(&outputs, &output)
        swap(&buffers, &spare)
        var policy = policy
        policy.resume()
        state = Mutex(State(output: consume outputs, spare: consume buffers, policy: policy))
        DispatchQueue.global(qos: .userInitiated).async { self.run() }
    }

    /// Hands over a decoded row for a buffer to decode the next one into.
    ///
    /// - Throws: What reconstructing an earlier row threw.
    package func exchange(_ row: inout Row) throws(ImageError) {
        switch state.withLock({ $0.accept(row) }) {
        case .goOn: break
        case .wakeHelper: rowsArrived.signal()
        case .emit: _ = emitWaitingRows()
        }
        while true {
            var buffer: Row?
            let failure = state.withLock { state in
                buffer = state.spare.popLast()
                return state.failure
            }
            if let failure { throw failure }
            if let buffer {
                row = buffer
                return
            }
            if emitWaitingRows() { continue }
            let start = MonotonicTime.now
            rowsDone.wait()
            if MonotonicTime.now - start > Self.patience { state.withLock { $0.policy.workAlone() } }
        }
    }

    /// Waits until every row is done, ends the second thread and gives back the output and the buffers.
    ///
    /// - Throws: What reconstructing a row threw; the output is given back all the same.
    package func finish(
        _ output: inout [Row.Output], spare: inout [Row], policy: inout HelperPolicy
    ) throws(ImageError) {
        var failure: ImageError?
        while output.isEmpty {
            while emitWaitingRows() {}
            state.withLock { state in
                guard !state.output.isEmpty, state.waiting.isEmpty || state.failure != nil else { return }
                swap(&state.output, &output)
                swap(&state.spare, &spare)
                spare += state.waiting
                state.waiting = []
                state.isClosed = true
                policy = state.policy
                failure = state.failure
            }
            if output.isEmpty { rowsDone.wait() }
        }
        rowsArrived.signal()
        if let failure { throw failure }
    }

    /// The second thread.
    private func run() {
        while true {
            rowsArrived.wait()
            while emitWaitingRows() {}
            if state.withLock({ $0.isClosed }) { return }
        }
    }

    /// Reconstructs the waiting rows; `false` if there are none or somebody is at it.
    private func emitWaitingRows() -> Bool {
        var output: [Row.Output] = []
        var rows: [Row] = []
        state.withLock { state in
            guard state.failure == nil, !state.waiting.isEmpty, !state.output.isEmpty else { return }
            swap(&state.output, &output)
            swap(&state.waiting, &rows)
        }
        guard !output.isEmpty else { return false }
        var failure: ImageError?
        do throws(ImageError) {
            for row in rows { try row.emit(into: &output[0]) }
        } catch {
            failure = error
        }
        state.withLock { state in
            swap(&state.output, &output)
            state.spare += rows
            // Emptied under the lock: who takes a buffer must be its only owner.
            rows = []
            state.failure = failure
        }
        rowsDone.signal()
        return true
    }
}
