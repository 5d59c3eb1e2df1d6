// The body of a request: how long it may be, and how much of all bodies is held.

import Hummingbird
import ImageCodecs
import ImagePipeline
import NIOCore

/// The pieces of a file that is sent as a body, or as the first file of a form, as they come.
///
/// Iterating asks the client for the body first. It throws an `HTTPError`: 413 for a body that is too long, 408 for one that takes too long
/// and 503 for one that is not there when the server stops (both from ``ConnectionGuard``), 400 for a form without a file.
struct UploadPieces: AsyncSequence, Sendable {
    private let body: RequestBody
    private let maxByteCount: Int
    private let form: FormFile?
    private let wish: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - channel: The request's; `nil` if the body does not come over a connection.
    ///   - minRate: Bytes per second that the client has to send at least.
    /// - Throws: 400 for a form without boundary.
    init(
        _ request: Request, channel: (any Channel)?, limits: ServerLimits,
        minRate: @escaping @Sendable () -> Int = { 0 }
    ) throws(HTTPError) {
        body = request.body
        maxByteCount = limits.maxUploadByteCount
        form = try FormFile(contentType: request.headers[.contentType])
        wish = { try await channel?.triggerUserOutboundEvent(BodyIsWanted(minRate: minRate)).get() }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let wish: @Sendable () async throws -> Void
        fileprivate var isWanted = false
        fileprivate var pieces: RequestBody.AsyncIterator
        fileprivate var remaining: Int
        fileprivate var form: FormFile?

        /// The next bytes of the file, perhaps none; `nil` when the body has ended, of which other parts of a form are too.
        mutating func next() async throws -> ByteBufferView? {
            if !isWanted {
                isWanted = true
                try await wish()
            }
            guard let piece = try await pieces.next() else {
                try Task.checkCancellation()  // a task that is cancelled sees the end of the body
                try form?.finish()
                return nil
            }
            remaining -= piece.readableBytes
            guard remaining >= 0 else { throw HTTPError(.contentTooLarge, message: "the upload is too long") }
            return try form?.bytes(in: piece.readableBytesView).readableBytesView ?? piece.readableBytesView
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(wish: wish, pieces: body.makeAsyncIterator(), remaining: maxByteCount, form: form)
    }
}

/// The memory of uploads that all requests hold.
///
/// A request waits for as much as its upload may have before it reads a byte of it, so that none waits while it holds a part. Who is
/// slow while others wait is answered with 408.
package struct UploadMemory: Sendable {
    private let limits: ServerLimits
    private let budget: DecodingBudget

    init(limits: ServerLimits) {
        self.limits = limits
        budget = DecodingBudget(byteCount: limits.heldUploadByteCount)
    }

    /// Bytes held now, whether they came already or not.
    package var usedByteCount: Int { budget.bytesInUse }

    /// Uploads that wait for memory.
    package var waitingCount: Int { budget.waitingCount }

    /// Reads an upload to its end, and holds its memory until `work` is done with it.
    package func withUpload<R: Sendable>(
        _ request: Request, channel: (any Channel)? = nil, _ work: @Sendable (ByteBuffer) async throws -> R
    ) async throws -> R {
        let pieces = try UploadPieces(request, channel: channel, limits: limits) { [budget, limits] in
            budget.waitingCount > 0 ? limits.minRateWhileOthersWait : 0
        }
        let length = request.headers[.contentLength].flatMap(Int.init)
        return try await budget.withBytes(length ?? limits.maxUploadByteCount) { () async throws(ImageError) in
            do {
                var upload = ByteBuffer()
                if let length { upload.reserveCapacity(length) }
                for try await piece in pieces { upload.writeBytes(piece) }
                return Result<R, any Error>.success(try await work(upload))
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

extension HTTPError {
    /// There are too many requests; the next second may be better.
    static var busy: HTTPError {
        HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "too much to do")
    }
}
