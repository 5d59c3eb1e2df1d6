// How long decodes go on once they should stop: after their time, or cancelled.

import Glibc
import ImageCodecsCore

/// Stops decodes at nine moments each, in both ways, and keeps the latest of each format. Of three attempts the shortest
/// counts: what else the machine does is no doing of the decode.
struct StopTimes {
    /// The longest that decodes of one format went on.
    private struct Latest {
        var fileCount = 0
        var stopCount = 0
        /// Time after the limit, after the cancellation, and between two questions whether to go on; with the files.
        var behind: [(time: Duration, file: String)] = Array(repeating: (.zero, "-"), count: 3)

        mutating func note(_ column: Int, _ time: Duration, _ file: String) {
            if time > behind[column].time { behind[column] = (time, file) }
        }
    }

    /// What takes less has ended before it is stopped.
    private static let shortest = Duration.milliseconds(3)
    private static let attemptCount = 3

    private let limits: DecodingLimits
    private var latest: [String: Latest] = [:]

    init(_ limits: DecodingLimits) {
        var limits = limits
        limits.maxTime = nil
        self.limits = limits
    }

    /// Decodes a file, and stops it at each tenth of the time that it took.
    mutating func add(_ path: String) async {
        guard let data = try? ImageData(contentsOfFile: path), data.count > 0 else { return }
        var options = DecodingOptions()
        options.limits = limits
        options.strictness = .tolerant
        var (whole, gap) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<Self.attemptCount {
            let log = WorkLog()
            options.workLog = log
            whole = min(whole, Self.time(data, options).0)
            gap = min(gap, log.longestGap)
            guard whole >= Self.shortest else { return }
        }
        let file = String(path.split(separator: "/").suffix(2).joined(separator: "/"))
        var found = latest[data.withBytes { WorstCosts.format(of: $0) }, default: Latest()]
        found.fileCount += 1
        found.note(2, gap, file)
        options.workLog = nil
        for tenth in 1...9 {
            let moment = whole * tenth / 10
            var (behindLimit, behindCancellation): (Duration?, Duration?)
            for _ in 0..<Self.attemptCount {
                options.limits.maxTime = moment
                let (time, error) = Self.time(data, options)
                if error == "limitExceeded" { behindLimit = min(behindLimit ?? time - moment, time - moment) }
                options.limits.maxTime = nil
                guard let time = await Self.cancelled(data, options, after: moment) else { continue }
                behindCancellation = min(behindCancellation ?? time, time)
            }
            for (column, time) in [behindLimit, behindCancellation].enumerated() {
                guard let time else { continue }
                found.stopCount += 1
                found.note(column, time, file)
            }
        }
        latest[data.withBytes { WorstCosts.format(of: $0) }] = found
    }

    private static func time(_ data: ImageData, _ options: DecodingOptions) -> (Duration, error: String?) {
        let start = ContinuousClock.now
        do throws(ImageError) {
            _ = try WorstCosts.coder.decode(data, options: options)
            return (start.duration(to: .now), nil)
        } catch {
            return (start.duration(to: .now), error.code)
        }
    }

    /// Time between a cancellation and the end of the decode; `nil` where that had ended before.
    private static func cancelled(
        _ data: ImageData, _ options: DecodingOptions, after moment: Duration
    ) async -> Duration? {
        let task = Task.detached {
            let (_, error) = time(data, options)
            return (error, ContinuousClock.now)
        }
        usleep(UInt32(moment / .microseconds(1)))
        let asked = ContinuousClock.now
        task.cancel()
        let (error, end) = await task.value
        return error == "cancelled" ? asked.duration(to: end) : nil
    }

    /// A table with a line for each format.
    var markdown: String {
        var lines = [
            "| format | files | stops | ms behind the limit | ms behind a cancellation | ms between two questions |",
            "|---|---:|---:|---|---|---|",
        ]
        for (format, found) in latest.sorted(by: { $0.key < $1.key }) {
            let cells = found.behind.map { time, file in
                let tenths = Int((time / .microseconds(100)).rounded(.up))
                return "\(tenths / 10).\(tenths % 10) (\(file))"
            }
            lines.append("| \(format) | \(found.fileCount) | \(found.stopCount) | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n")
    }
}
