// A row of the table: one operation on one file, done in a process of its own.

import CodecTestSupport
import ImageCodecsCore

/// What an operation took.
struct Row {
    let file: String
    let operation: Operation
    var outcome = "no answer"
    var seconds = 0.0
    /// The meter's high-water mark.
    var heldBytes = 0
    /// What an inspection promises, `nil` if it refuses.
    var promisedBytes: Int?
    var allowedBytes = Int.max
    var residentGrowth = 0
    var flags: [String] = []

    /// Measures in a child.
    init(_ path: String, _ operation: Operation, _ options: ReportOptions) {
        file = String(path.split(separator: "/").last ?? "")
        self.operation = operation
        var parts: [String] = []
        var resident: [Int] = []
        let ending = ForkedChild.run { line in
            line.expectAnswer(withinSeconds: options.alarmSeconds)
            Self.measure(path, operation, options, line)
        } receive: { text in
            if text.hasPrefix("r ") {
                resident.append(Int(text.dropFirst(2)) ?? 0)
            } else if text.hasPrefix("p ") {
                let numbers = text.split(separator: " ").dropFirst().map { Int($0) ?? 0 }
                (promisedBytes, allowedBytes) = (numbers[0], numbers[1])
            } else {
                parts = text.split(separator: "\t").map(String.init)
            }
        }
        if parts.count == 3 {
            (outcome, seconds, heldBytes) = (parts[0], Double(parts[1]) ?? 0, Int(parts[2]) ?? 0)
        }
        guard let ending else { return }
        if let before = resident.first { residentGrowth = max(0, ending.peakResidentBytes - before) }
        if ending.isHang {
            (outcome, seconds) = ("hang", Double(options.alarmSeconds))
        } else if let signal = ending.signal {
            outcome = "signal \(signal)"
        }
        judge(options)
    }

    private static func measure(
        _ path: String, _ operation: Operation, _ options: ReportOptions, _ line: ForkedChild.Line
    ) {
        guard let data = try? ImageData(contentsOfFile: path) else { return line.send("unreadable\t0\t0") }
        let coder = WorstCosts.coder
        var decodingOptions = operation.options(options.limits)
        line.send("r \(ForkedChild.peakResidentBytes)")
        // Twice the work of an inspection: the time taken is that of the second.
        if case .inspect = operation {
        } else if let info = try? coder.inspect(data, options: decodingOptions) {
            line.send(
                "p \(info.estimatedPeakByteCount) \(info.estimatedPeakByteCount.addingSaturated(operation.allowance(info)))"
            )
        }
        let meter = MemoryMeter(limit: decodingOptions.limits.maxMemoryByteCount)
        decodingOptions.memoryMeter = meter
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = operation.perform(data, coder, decodingOptions)
        let (whole, fraction) = start.duration(to: clock.now).components
        line.send("\(outcome)\t\(Double(whole) + Double(fraction) / 1e18)\t\(meter.peak)")
    }

    private mutating func judge(_ options: ReportOptions) {
        if heldBytes > allowedBytes { flags.append("held > promised") }
        if heldBytes > options.limits.maxMemoryByteCount { flags.append("held > limit") }
        if outcome == "hang" { flags.append("hang") }
        if outcome.hasPrefix("signal") || outcome == "no answer" { flags.append("crash") }
        guard let limit = options.limits.maxTime else { return }
        let (whole, fraction) = limit.components
        if seconds > Double(whole) + Double(fraction) / 1e18 + 0.02 { flags.append("over time") }
    }
}

extension Row {
    /// The table's head.
    static let head = """
        | file | operation | outcome | seconds | held, KiB | promised, KiB | RSS growth, KiB | |
        |---|---|---|---:|---:|---:|---:|---|
        """

    /// One line of the table.
    var markdown: String {
        let promised = promisedBytes.map { "\($0 >> 10)" } ?? "-"
        let mark = flags.isEmpty ? "" : "**\(flags.joined(separator: ", "))**"
        let columns = [
            file, operation.name, outcome, Self.threeDigits(seconds), "\(heldBytes >> 10)", promised,
            "\(residentGrowth >> 10)", mark,
        ]
        return "| " + columns.joined(separator: " | ") + " |"
    }

    private static func threeDigits(_ value: Double) -> String {
        let thousandths = Int((value * 1000).rounded())
        let digits = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
