// The bytes of one transfer, for all who decode them, while they arrive and afterwards.

internal import ImageCodecsCore
internal import Synchronization

/// The bytes so far. One writer; any number of readers, each from the beginning.
final class TransferBuffer: Sendable {
    private struct State: Sendable {
        var bytes = ReceivedBytes()
        var description = SourceDescription()
        var origin = LoadOrigin.source
        /// Whether there are no more pieces to come, also after a failure.
        var isEnded = false
        var readers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextReader = 0
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var byteCount: Int { state.withLock { $0.bytes.count } }

    /// What is known of the bytes; set before the first piece.
    var description: SourceDescription {
        get { state.withLock { $0.description } }
        set { state.withLock { $0.description = newValue } }
    }

    /// Where the bytes come from; set before the first piece.
    var origin: LoadOrigin {
        get { state.withLock { $0.origin } }
        set { state.withLock { $0.origin = newValue } }
    }

    func append(_ piece: ImageData) {
        let readers = state.withLock { state in
            state.bytes.append(piece)
            return Self.takeReaders(&state)
        }
        for reader in readers { reader.resume() }
    }

    /// Says that nothing will come any more.
    func end() {
        let readers = state.withLock { state in
            state.isEnded = true
            return Self.takeReaders(&state)
        }
        for reader in readers { reader.resume() }
    }

    private static func takeReaders(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.readers = [:] }
        return Array(state.readers.values)
    }

    /// All bytes, copied only if they came in several pieces.
    var data: ImageData { state.withLock { $0.bytes.joined() } }

    /// The bytes from `offset` on, once there are any; none at the end, and when the task is cancelled.
    func bytes(from offset: Int) async -> [UInt8] {
        while true {
            let (bytes, isEnded) = state.withLock { state in (state.bytes.bytes(from: offset), state.isEnded) }
            if !bytes.isEmpty || isEnded || Task.isCancelled { return bytes }
            await waitForMore(than: offset)
        }
    }

    private func waitForMore(than byteCount: Int) async {
        let number = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Decided under the lock: a cancellation either is seen here or finds the reader.
                let goesOn = state.withLock { state in
                    if state.bytes.count > byteCount || state.isEnded || Task.isCancelled { return true }
                    state.readers[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: number) }?.resume()
        }
    }
}

/// The bytes of a transfer as they come, at most one piece in a while: what came meanwhile is one piece.
struct PacedPieces: AsyncSequence, Sendable {
    let buffer: TransferBuffer
    let interval: Duration
    let clock: LoadClock

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }

    struct Iterator: AsyncIteratorProtocol {
        let pieces: PacedPieces
        var offset = 0
        var last: Duration?

        mutating func next() async throws -> [UInt8]? {
            if let last, !pieces.buffer.isEnded {
                let left = last + pieces.interval - pieces.clock.now()
                if left > .zero { try await pieces.clock.sleep(left) }
            }
            let bytes = await pieces.buffer.bytes(from: offset)
            if Task.isCancelled { throw CancellationError() }
            offset += bytes.count
            last = pieces.clock.now()
            return bytes.isEmpty ? nil : bytes
        }
    }
}
