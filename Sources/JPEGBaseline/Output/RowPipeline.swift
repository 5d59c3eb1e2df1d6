// Reconstruction beside entropy decoding: MCU rows of coefficients pass from the caller's thread to another.
//
// In: rows of coefficients in order. Out: the picture output they were written to. The two threads meet once per row.

import Dispatch
import ImageCore
import Synchronization

/// A short queue of MCU rows between entropy decoding and reconstruction.
///
/// Who holds the output reconstructs the oldest waiting row. That is the second thread as a rule; where it falls behind
/// (its core is busy with something else) and no buffer is left, the caller does a row itself instead of waiting, so
/// that two threads are never slower than one.
///
///     caller     decode row 0 │ decode row 1 │ decode row 2 │ ...
///     second                  │ emit row 0   │ emit row 1   │ ...
final class RowPipeline: Sendable {
    /// Rows that are waiting or being emitted, at most.
    static let depth = 3

    // Each of these lists holds at most what is named; values move from list to list and are never held twice, so
    // that no copy-on-write buffer is copied.
    private struct State: Sendable {
        /// The output, while nobody works on it.
        var output: [PictureOutput]
        /// Decoded rows, oldest first.
        var waiting: [CoefficientRow] = []
        /// Buffers that can be decoded into.
        var spare: [CoefficientRow]
        var isClosed = false
        var failure: ImageError?
    }

    private let state: Mutex<State>
    private let rowArrived = DispatchSemaphore(value: 0)
    private let rowDone = DispatchSemaphore(value: 0)

    /// Starts the second thread.
    ///
    /// - Parameters:
    ///   - output: One output; taken, and given back by ``finish(_:spare:)``.
    ///   - spare: ``depth`` buffers; taken and given back likewise.
    init(_ output: inout [PictureOutput], spare: inout [CoefficientRow]) {
        var (outputs, buffers): ([PictureOutput], [CoefficientRow]) = ([], [])
        swap(&outputs, &output)
        swap(&buffers, &spare)
        state = Mutex(State(output: consume outputs, spare: consume buffers))
        DispatchQueue.global(qos: .userInitiated).async { self.run() }
    }

    /// Hands over a decoded row for a buffer to decode the next one into.
    ///
    /// - Throws: What reconstructing an earlier row threw.
    func exchange(_ row: inout CoefficientRow) throws(ImageError) {
        state.withLock { $0.waiting.append(row) }
        rowArrived.signal()
        while true {
            var buffer: CoefficientRow?
            let failure = state.withLock { state in
                buffer = state.spare.popLast()
                return state.failure
            }
            if let failure { throw failure }
            if let buffer {
                row = buffer
                return
            }
            if !emitOldestRow() { rowDone.wait() }
        }
    }

    /// Waits until every row is done, ends the second thread and gives back the output and the buffers.
    ///
    /// - Throws: What reconstructing a row threw; the output is given back all the same.
    func finish(_ output: inout [PictureOutput], spare: inout [CoefficientRow]) throws(ImageError) {
        var failure: ImageError?
        while output.isEmpty {
            while emitOldestRow() {}
            state.withLock { state in
                guard !state.output.isEmpty, state.waiting.isEmpty || state.failure != nil else { return }
                swap(&state.output, &output)
                swap(&state.spare, &spare)
                spare += state.waiting
                state.waiting = []
                state.isClosed = true
                failure = state.failure
            }
            if output.isEmpty { rowDone.wait() }
        }
        rowArrived.signal()
        if let failure { throw failure }
    }

    /// The second thread.
    private func run() {
        while true {
            rowArrived.wait()
            while emitOldestRow() {}
            if state.withLock({ $0.isClosed }) { return }
        }
    }

    /// Reconstructs the oldest waiting row; `false` where there is none or somebody is at it.
    private func emitOldestRow() -> Bool {
        var output: [PictureOutput] = []
        var rows: [CoefficientRow] = []
        state.withLock { state in
            guard state.failure == nil, !state.waiting.isEmpty, !state.output.isEmpty else { return }
            swap(&state.output, &output)
            rows.append(state.waiting.removeFirst())
        }
        guard !output.isEmpty else { return false }
        var failure: ImageError?
        do throws(ImageError) { try rows[0].emit(into: &output[0]) } catch { failure = error }
        state.withLock { state in
            swap(&state.output, &output)
            state.spare.append(rows.removeLast())
            state.failure = failure
        }
        rowDone.signal()
        return true
    }
}
