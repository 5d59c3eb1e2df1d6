// What all requests together may cost, and each of them.

import ImageCodecs

/// Bounds on memory, time and connections.
///
/// The process holds at most ``budgetByteCount`` for decoding and encoding thumbnails, ``previewBudgetByteCount`` for previews,
/// ``heldUploadByteCount`` of uploads (twice that while the buffers of those grow that do not say how long they are), and a thumbnail
/// of ``maxSide`` for each request that waits for its encoder.
package struct ServerLimits: Sendable {
    /// Bytes that all decodes and encodes of thumbnails may take at once.
    package var budgetByteCount = 256 << 20
    /// Bytes that all previews may take at once. A slow sender keeps its share as long as it sends, so that previews have a
    /// budget of their own.
    package var previewBudgetByteCount = 64 << 20
    /// Bytes of uploads that all requests may hold at once. A further one waits.
    package var heldUploadByteCount = 256 << 20
    /// Bytes of one upload.
    package var maxUploadByteCount = 32 << 20
    /// Requests that wait for a share of the budget, and those that wait for their upload. The next one is answered with 503.
    package var maxWaitingCount = 1000
    /// Connections at once. Further ones wait in the system's queue.
    package var maxConnectionCount = 1000
    /// Requests that a client may send on one connection without waiting for answers. One more closes it.
    package var maxUnansweredCount = 100
    /// How long a client may send.
    package var uploadTime = Duration.seconds(60)
    /// Bytes that a client sends per second at least while others wait for the memory that is held for it.
    package var minRateWhileOthersWait = 32 << 10
    /// How long a client may send nothing, or take nothing of an answer.
    package var idleTime = Duration.seconds(15)
    /// How long a client may send after an answer that came before the end of its request.
    package var drainTime = Duration.seconds(2)
    /// How long uploads under way may take when the server stops.
    package var stopTime = Duration.seconds(2)
    /// The longest side of a thumbnail, in pixels.
    package var maxSide = 1024

    /// The limits of a small server.
    package init() {}

    /// How pictures of strangers are decoded: to a box of `side` x `side` pixels, only the first frame, within bounds.
    func decodingOptions(side: Int) -> DecodingOptions {
        var options = DecodingOptions.thumbnail(side)
        options.firstFrameOnly = true
        options.limits = .untrusted
        options.limits.maxTime = .seconds(5)
        options.limits.maxMemoryByteCount = budgetByteCount
        options.limits.maxInputByteCount = maxUploadByteCount
        return options
    }
}
