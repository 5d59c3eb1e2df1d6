// What a loader does, as spans of swift-distributed-tracing.

#if HTTP
public import ImageLoading
public import Tracing

/// Makes a span of each step of a loader that ended or failed: `image transfer`, `image decode` and so on.
///
/// ```swift
/// configuration.observe = LoadSpans(InstrumentationSystem.tracer).observe
/// ```
///
/// Steps are shared by everybody who waits for them, so that no request is their parent: spans are at the top level. Attributes: `url.full`
/// (without user and password), `image.origin`; of failures the error and its status.
public struct LoadSpans: Sendable {
    private let tracer: any Tracer

    /// Creates an adapter to a tracer.
    public init(_ tracer: any Tracer) { self.tracer = tracer }

    /// Makes a span of one event; for ``ImageLoader/Configuration/observe``.
    @Sendable public func observe(_ event: LoadEvent) {
        guard let stage = event.stage, let duration = event.duration else { return }
        Self.makeSpan(tracer, stage, duration, event)
    }

    private static func makeSpan(
        _ tracer: some Tracer, _ stage: LoadError.Stage, _ duration: Duration, _ event: LoadEvent
    ) {
        // Events come when a step is over.
        let end = DefaultTracerClock.now
        let length = UInt64(clamping: Int64(duration / .nanoseconds(1)))
        let begin = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - min(length, end.nanosecondsSinceEpoch))
        let span = tracer.startSpan(
            "image \(stage.rawValue)", context: .topLevel, ofKind: stage == .transfer ? .client : .internal, at: begin)
        span.attributes["url.full"] = event.address
        switch event.kind {
        case .ended(_, let origin): span.attributes["image.origin"] = origin?.rawValue
        case .failed(let error):
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error, message: "\(error.reason)"))
        default: break
        }
        span.end(at: end)
    }
}
#endif
