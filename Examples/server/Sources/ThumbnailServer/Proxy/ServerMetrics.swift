// What happened, in numbers: the text that Prometheus reads.

import Synchronization

/// Counts answers of the proxy.
package final class ServerMetrics: Sendable {
    private struct State: Sendable {
        var statuses: [Int: Int] = [:]
        var origins: [AnswerOrigin: Int] = [:]
        /// Answers of at most each of ``ServerMetrics/bounds``, and all.
        var times = [Int](repeating: 0, count: ServerMetrics.bounds.count + 1)
        var seconds = 0.0
    }

    private static let bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    private let state = Mutex(State())

    /// Creates counters at zero.
    package init() {}

    /// Counts an answer.
    func count(status: Int, origin: AnswerOrigin?, time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        state.withLock { state in
            state.statuses[status, default: 0] += 1
            if let origin { state.origins[origin, default: 0] += 1 }
            state.times[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            state.seconds += seconds
        }
    }

    /// All counters, and some values of this moment.
    ///
    /// Source: Prometheus, "Exposition formats", text format 0.0.4.
    package func text(_ values: [(name: String, help: String, value: Int)]) -> String {
        let state = state.withLock { $0 }
        var lines = [
            "# HELP image_proxy_requests_total Answers by status.", "# TYPE image_proxy_requests_total counter",
        ]
        for (status, count) in state.statuses.sorted(by: { $0.key < $1.key }) {
            lines.append("image_proxy_requests_total{status=\"\(status)\"} \(count)")
        }
        lines += [
            "# HELP image_proxy_answers_total Answers by where they came from.",
            "# TYPE image_proxy_answers_total counter",
        ]
        for origin in AnswerOrigin.allCases {
            lines.append("image_proxy_answers_total{from=\"\(origin.rawValue)\"} \(state.origins[origin] ?? 0)")
        }
        lines += ["# HELP image_proxy_seconds Time until an answer.", "# TYPE image_proxy_seconds histogram"]
        var sum = 0
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.times) {
            sum += count
            lines.append("image_proxy_seconds_bucket{le=\"\(bound)\"} \(sum)")
        }
        lines += ["image_proxy_seconds_sum \(state.seconds)", "image_proxy_seconds_count \(sum)"]
        for value in values {
            lines += [
                "# HELP image_proxy_\(value.name) \(value.help)", "# TYPE image_proxy_\(value.name) gauge",
                "image_proxy_\(value.name) \(value.value)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
