// The bytes of one transfer, for all who decode them, while they arrive and afterwards.

internal import ImageCodecsCore
internal import Synchronization

/// Pieces so far. One writer; any number of readers, each from the beginning.
final class TransferBuffer: Sendable {
    private struct State: Sendable {
        var pieces: [ImageData] = []
        var byteCount = 0
        var description = SourceDescription()
        /// Whether there are no more pieces to come, also after a failure.
        var isEnded = false
        var readers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextReader = 0
        /// All pieces as one, once somebody wanted that.
        var joined: ImageData?
    }

    private let state = Mutex(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// What is known of the bytes; set before the first piece.
    var description: SourceDescription {
        get { state.withLock { $0.description } }
        set { state.withLock { $0.description = newValue } }
    }

    func append(_ piece: ImageData) {
        let readers = state.withLock { state in
            state.pieces.append(piece)
            state.byteCount += piece.count
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
    var data: ImageData {
        let (pieces, joined, byteCount) = state.withLock { ($0.pieces, $0.joined, $0.byteCount) }
        if let joined { return joined }
        if pieces.count == 1 { return pieces[0] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for piece in pieces { piece.appendBytes(to: &bytes) }
        let data = ImageData(bytes)
        state.withLock { state in
            if state.isEnded { (state.joined, state.pieces) = (data, [data]) }
        }
        return data
    }

    /// The bytes from `offset` on, once there are any; none at the end, and when the task is cancelled.
    func bytes(from offset: Int) async -> [UInt8] {
        while true {
            let (bytes, isEnded) = state.withLock { state in (Self.bytes(state.pieces, from: offset), state.isEnded) }
            if !bytes.isEmpty || isEnded || Task.isCancelled { return bytes }
            await waitForMore(than: offset)
        }
    }

    private static func bytes(_ pieces: [ImageData], from offset: Int) -> [UInt8] {
        var (bytes, start): ([UInt8], Int) = ([], 0)
        for piece in pieces {
            if start + piece.count > offset { piece.appendBytes(to: &bytes, from: max(0, offset - start)) }
            start += piece.count
        }
        return bytes
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
                    if state.byteCount > byteCount || state.isEnded || Task.isCancelled { return true }
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

extension ImageData {
    fileprivate func appendBytes(to bytes: inout [UInt8], from start: Int = 0) {
        withBytes { span in
            for index in start..<span.count { bytes.append(span[index]) }
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
