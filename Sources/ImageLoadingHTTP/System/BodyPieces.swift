// A body that is read in pieces, as a value that tasks hand to each other.

#if HTTP
import AsyncHTTPClient
import ImageCodecsCore
import NIOCore
import Synchronization

/// Reads a body piece by piece; nothing is read until a piece is asked for.
final class BodyPieces: Sendable {
    /// The place in the body, whose type is for one task alone.
    ///
    /// SAFETY: the only reference is taken out of `place` under its lock and put back after use, so one task at a time has it.
    private final class Place: @unchecked Sendable {
        var iterator: HTTPClientResponse.Body.AsyncIterator

        init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }
    }

    private let place: Mutex<Place?>

    init(_ body: HTTPClientResponse.Body) { place = Mutex(Place(body)) }

    /// The next piece; `nil` at the end, after an error, and for who asks while another waits.
    func next() async throws -> ImageData? {
        guard let place = place.withLock({ $0.take() }) else { return nil }
        guard let buffer = try await place.iterator.next() else { return nil }
        self.place.withLock { $0 = place }
        return ImageData(Array(buffer.readableBytesView))
    }
}
#endif
