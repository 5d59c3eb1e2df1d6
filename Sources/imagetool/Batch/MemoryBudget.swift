// Keeps several decodes that run at once from adding up their memory peaks.

import Dispatch
import FoundationEssentials
import ImageCodecs
import Synchronization

/// Bytes that the threads of a run share.
///
/// A decode waits until as much is free as its headers promise that it needs at most. Whoever asks first is served
/// first, so that large pictures are not overtaken for ever by small ones; one that needs more than there is runs alone.
/// (`DecodingBudget` of ImageCore does the same for tasks, without blocking threads.)
final class MemoryBudget: Sendable {
    private struct State {
        var free: Int
        var waiting: [(share: Int, turn: DispatchSemaphore)] = []
    }

    private let byteCount: Int
    private let state: Mutex<State>

    init(byteCount: Int) {
        self.byteCount = max(1, byteCount)
        state = Mutex(State(free: max(1, byteCount)))
    }

    /// Half of the machine's memory, and no more than 2 GiB.
    static var standardByteCount: Int {
        min(Int(clamping: ProcessInfo.processInfo.physicalMemory / 2), 2 << 30)
    }

    /// Runs `body` once `wanted` bytes are free, and gives them back afterwards.
    func withBytes<R>(_ wanted: Int, _ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        let share = min(max(0, wanted), byteCount)
        take(share)
        defer { giveBack(share) }
        return try body()
    }

    private func take(_ share: Int) {
        let turn: DispatchSemaphore? = state.withLock { state in
            if state.waiting.isEmpty, share <= state.free {
                state.free -= share
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            state.waiting.append((share, turn))
            return turn
        }
        turn?.wait()
    }

    private func giveBack(_ share: Int) {
        state.withLock { state in
            state.free += share
            while let first = state.waiting.first, first.share <= state.free {
                state.free -= first.share
                state.waiting.removeFirst().turn.signal()
            }
        }
    }
}
