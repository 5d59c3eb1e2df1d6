// What a loader does, as messages of swift-log and figures of swift-metrics.

#if HTTP
public import ImageLoading
public import Logging
import Metrics

/// Writes events of a loader to a logger: failures as warnings, tried again as notices, everything else for debugging.
///
/// ```swift
/// configuration.observe = LoadLog(logger).observe
/// ```
///
/// Metadata: `address` (without user and password), `stage`, `origin`, `milliseconds`, `reason`.
public struct LoadLog: Sendable {
    private let logger: Logger

    /// Creates an adapter to a logger.
    public init(_ logger: Logger) { self.logger = logger }

    /// Writes one event; for ``ImageLoader/Configuration/observe``.
    @Sendable public func observe(_ event: LoadEvent) {
        var metadata: Logger.Metadata = ["address": "\(event.address)"]
        if let duration = event.duration { metadata["milliseconds"] = "\(duration / .milliseconds(1))" }
        if let stage = event.stage { metadata["stage"] = "\(stage.rawValue)" }
        switch event.kind {
        case .failed(let error):
            metadata["reason"] = "\(error)"
            logger.warning("picture failed", metadata: metadata)
        case .retrying(let delay):
            metadata["after"] = "\(delay)"
            logger.notice("picture is tried again", metadata: metadata)
        case .ended(_, let origin):
            metadata["origin"] = origin.map { "\($0.rawValue)" }
            logger.debug("step ended", metadata: metadata)
        case .stored(let origin):
            metadata["origin"] = "\(origin.rawValue)"
            logger.debug("stored", metadata: metadata)
        case .hit: logger.debug("picture in memory", metadata: metadata)
        case .joined: logger.debug("request joined others", metadata: metadata)
        case .began: logger.debug("step began", metadata: metadata)
        case .received(let count, let total):
            metadata["bytes"] = "\(count)"
            metadata["total"] = total.map { "\($0)" }
            logger.trace("bytes came", metadata: metadata)
        case .cancelled: logger.debug("step cancelled", metadata: metadata)
        }
    }
}

/// Counts and times events of a loader.
///
/// | name | kind | dimensions |
/// |---|---|---|
/// | `image_loading_hits_total` | counter | – |
/// | `image_loading_joined_total` | counter | – |
/// | `image_loading_steps_total` | counter | `stage`, `origin` |
/// | `image_loading_step_seconds` | timer | `stage` |
/// | `image_loading_failures_total` | counter | `stage`, `reason` |
/// | `image_loading_retries_total` | counter | – |
/// | `image_loading_cancelled_total` | counter | `stage` |
/// | `image_loading_stored_total` | counter | `origin` |
public struct LoadMetrics: Sendable {
    private let prefix: String

    /// Creates an adapter to the metrics system of the process.
    ///
    /// - Parameter prefix: what all names begin with.
    public init(prefix: String = "image_loading") { self.prefix = prefix }

    /// Counts one event; for ``ImageLoader/Configuration/observe``.
    @Sendable public func observe(_ event: LoadEvent) {
        let stage = event.stage.map { [("stage", $0.rawValue)] } ?? []
        switch event.kind {
        case .hit: count("hits_total", [])
        case .joined: count("joined_total", [])
        case .began, .received: break
        case .ended(_, let origin):
            count("steps_total", stage + [("origin", origin?.rawValue ?? "none")])
            record(event, stage)
        case .failed(let error):
            count("failures_total", stage + [("reason", error.reason.name)])
            record(event, stage)
        case .cancelled: count("cancelled_total", stage)
        case .retrying: count("retries_total", [])
        case .stored(let origin): count("stored_total", [("origin", origin.rawValue)])
        }
    }

    private func count(_ name: String, _ dimensions: [(String, String)]) {
        Counter(label: "\(prefix)_\(name)", dimensions: dimensions).increment()
    }

    private func record(_ event: LoadEvent, _ dimensions: [(String, String)]) {
        guard let duration = event.duration else { return }
        let nanoseconds = Int64(duration / .nanoseconds(1))
        Metrics.Timer(label: "\(prefix)_step_seconds", dimensions: dimensions).recordNanoseconds(nanoseconds)
    }
}

extension LoadEvent {
    /// The step that it is about, if it is about one.
    var stage: LoadError.Stage? {
        switch kind {
        case .began(let stage), .ended(let stage, _), .cancelled(let stage): stage
        case .failed(let error): error.stage
        case .hit, .joined, .received, .retrying, .stored: nil
        }
    }
}

extension LoadError.Reason {
    /// A short name without what differs from load to load.
    fileprivate var name: String {
        switch self {
        case .cancelled: "cancelled"
        case .noSource: "no_source"
        case .refused: "refused"
        case .notFound: "not_found"
        case .notInCache: "not_in_cache"
        case .tooLarge: "too_large"
        case .timedOut: "timed_out"
        case .unreachable: "unreachable"
        case .unavailable: "unavailable"
        case .rejected: "rejected"
        case .image: "image"
        case .other: "other"
        }
    }
}
#endif
