// The body of a request: how long it may be, how long it may take, and how much of all bodies is held.

import Hummingbird
import NIOCore
import Synchronization

/// The pieces of a body, as they come, up to a number of bytes and a point in time.
///
/// Iterating throws an `HTTPError`: 413 for a body that is too long, 408 for one that takes too long, 400 for one that ends early.
struct UploadPieces: AsyncSequence, Sendable {
    let body: RequestBody
    let maxByteCount: Int
    let end: ContinuousClock.Instant

    init(_ body: RequestBody, limits: ServerLimits) {
        self.body = body
        maxByteCount = limits.maxUploadByteCount
        end = .now + limits.uploadTime
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: RequestBody.AsyncIterator
        var remaining: Int
        let end: ContinuousClock.Instant

        mutating func next() async throws -> ByteBufferView? {
            guard let piece = try await pieces.next() else {
                try Task.checkCancellation()  // a task that is cancelled sees the end of the body
                return nil
            }
            guard ContinuousClock.now < end else { throw HTTPError(.requestTimeout) }
            remaining -= piece.readableBytes
            guard remaining >= 0 else { throw HTTPError(.contentTooLarge, message: "the upload is too long") }
            return piece.readableBytesView
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), remaining: maxByteCount, end: end)
    }
}

/// Counts the bytes of uploads that all requests hold.
///
/// Nobody waits for room: requests that hold parts of their uploads could wait for each other for ever. The request that finds none
/// is answered with 503.
package final class UploadMemory: Sendable {
    private let limits: ServerLimits
    private let used = Mutex(0)

    init(limits: ServerLimits) { self.limits = limits }

    /// Bytes held now.
    package var usedByteCount: Int { used.withLock { $0 } }

    /// Reads a body to its end, and counts its bytes until `work` is done with them.
    package func withUpload<R>(_ body: RequestBody, _ work: (ByteBuffer) async throws -> R) async throws -> R {
        var upload = ByteBuffer()
        defer { used.withLock { $0 -= upload.readableBytes } }
        for try await piece in UploadPieces(body, limits: limits) {
            try hold(piece.count)
            upload.writeBytes(piece)
        }
        return try await work(upload)
    }

    private func hold(_ byteCount: Int) throws {
        try used.withLock { used in
            guard byteCount <= limits.heldUploadByteCount - used else { throw HTTPError.busy }
            used += byteCount
        }
    }
}

extension HTTPError {
    /// There are too many requests; the next second may be better.
    static var busy: HTTPError {
        HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "too much to do")
    }
}
