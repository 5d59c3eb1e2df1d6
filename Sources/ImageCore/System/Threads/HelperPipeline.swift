// The second half of a decode beside the first: what the caller's thread has decoded passes to another.
//
// In: buffers full of decoded data, in order. Out: the output they were written to. The two threads meet once in some
// buffers: waking a thread costs tens of microseconds.

import Dispatch
import Synchronization

/// A short queue of buffers between the first half of a decode (entropy decoding, inflating) and the second
/// (reconstruction, conversion).
///
/// Who holds the output works on all waiting buffers: the second thread, or the caller where ``HelperPolicy`` says so.
///
///     caller     decode 0, 1 │ decode 2, 3 │ decode 4, 5 │ ...
///     second                 │ emit 0, 1   │ emit 2, 3   │ ...
package final class HelperPipeline<Output: Sendable, Buffer: Sendable>: Sendable {
    // Each of these lists holds at most what is named; values move from list to list and are never held twice, so
    // that no copy-on-write buffer is copied.
    private struct State: Sendable {
        /// The output, while nobody works on it.
        var output: [Output]
        /// Full buffers, oldest first.
        var waiting: [Buffer] = []
        /// Buffers that can be decoded into.
        var spare: [Buffer]
        var isClosed = false
        var failure: ImageError?
        var policy: HelperPolicy

        /// Takes note of a full buffer.
        mutating func take(_ buffer: Buffer) -> HelperPolicy.Step {
            waiting.append(buffer)
            return policy.addRow(
                now: .now, isIgnored: waiting.count >= 2 * policy.unit && !output.isEmpty)
        }
    }

    /// A second thread that has the caller wait this long has lost its core.
    private static var patience: Duration { .milliseconds(2) }

    private let state: Mutex<State>
    private let buffersArrived = DispatchSemaphore(value: 0)
    private let buffersDone = DispatchSemaphore(value: 0)
    private let emit: @Sendable (Buffer, inout Output) throws(ImageError) -> Void

    /// Starts the second thread.
    ///
    /// - Parameters:
    ///   - output: One output; taken, and given back by ``finish(_:spare:)``.
    ///   - spare: Three units of buffers, besides the one the caller begins with: a unit that is being decoded, one that
    ///     waits, one that is being emitted. Taken and given back likewise.
    ///   - policy: How the threads got on with each other so far.
    ///   - emit: The second half of the decode.
    package init(
        _ output: inout [Output], spare: inout [Buffer], policy: HelperPolicy,
        emit: @escaping @Sendable (Buffer, inout Output) throws(ImageError) -> Void
    ) {
        self.emit = emit
        var (outputs, buffers): ([Output], [Buffer]) = ([], [])
        swap(&outputs, &output)
        swap(&buffers, &spare)
        var policy = policy
        policy.resume()
        state = Mutex(State(output: consume outputs, spare: consume buffers, policy: policy))
        DispatchQueue.global(qos: .userInitiated).async { self.run() }
    }

    /// Hands over a full buffer for one to decode the next part into.
    ///
    /// - Throws: What emitting an earlier one threw.
    package func exchange(_ full: inout Buffer) throws(ImageError) {
        switch state.withLock({ $0.take(full) }) {
        case .goOn: break
        case .wakeHelper: buffersArrived.signal()
        case .emit: _ = emitWaitingBuffers()
        }
        while true {
            var buffer: Buffer?
            let failure = state.withLock { state in
                buffer = state.spare.popLast()
                return state.failure
            }
            if let failure { throw failure }
            if let buffer {
                full = buffer
                return
            }
            if emitWaitingBuffers() { continue }
            let start = ContinuousClock.now
            buffersDone.wait()
            if start.duration(to: .now) > Self.patience { state.withLock { $0.policy.workAlone() } }
        }
    }

    /// Waits until every buffer is done, ends the second thread and gives back the output and the buffers.
    ///
    /// - Throws: What emitting a buffer threw; the output is given back all the same.
    package func finish(
        _ output: inout [Output], spare: inout [Buffer], policy: inout HelperPolicy
    ) throws(ImageError) {
        var failure: ImageError?
        while output.isEmpty {
            while emitWaitingBuffers() {}
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
            if output.isEmpty { buffersDone.wait() }
        }
        buffersArrived.signal()
        if let failure { throw failure }
    }

    /// The second thread.
    private func run() {
        while true {
            buffersArrived.wait()
            while emitWaitingBuffers() {}
            if state.withLock({ $0.isClosed }) { return }
        }
    }

    /// Emits the waiting buffers; `false` where there are none or somebody is at it.
    private func emitWaitingBuffers() -> Bool {
        var output: [Output] = []
        var buffers: [Buffer] = []
        state.withLock { state in
            guard state.failure == nil, !state.waiting.isEmpty, !state.output.isEmpty else { return }
            swap(&state.output, &output)
            swap(&state.waiting, &buffers)
        }
        guard !output.isEmpty else { return false }
        var failure: ImageError?
        do throws(ImageError) {
            for buffer in buffers { try emit(buffer, &output[0]) }
        } catch {
            failure = error
        }
        state.withLock { state in
            swap(&state.output, &output)
            state.spare += buffers
            // Emptied under the lock: who takes a buffer must be its only owner.
            buffers = []
            state.failure = failure
        }
        buffersDone.signal()
        return true
    }
}
