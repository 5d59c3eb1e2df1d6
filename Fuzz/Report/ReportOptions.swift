// The command line of the report.

import ImageCodecsCore

/// What is asked of every file.
struct ReportOptions {
    var limits = DecodingLimits.untrusted
    var limitsName = "untrusted"
    /// Seconds after which an operation counts as hanging.
    var alarmSeconds = 60
    /// Whether only the slowest files of each format are told, by what they take per byte and per pixel.
    var tellsWorst = false
    /// Whether decodes are stopped, and only told how long they go on.
    var tellsStops = false
    var paths: [String] = []

    /// The usage text.
    static let usage = """
        usage: hostile-report [--worst|--stops] [--limits untrusted|default|unlimited] [--max-time MS] [--alarm S] FILE...
        """

    /// `nil` if the arguments make no sense.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--worst" {
                tellsWorst = true
                continue
            }
            if argument == "--stops" {
                tellsStops = true
                continue
            }
            guard argument.hasPrefix("--") else {
                paths.append(argument)
                continue
            }
            guard let value = rest.popFirst(), read(argument, value) else { return nil }
        }
        if paths.isEmpty { return nil }
    }

    private mutating func read(_ option: String, _ value: String) -> Bool {
        switch (option, Int(value)) {
        case ("--limits", _):
            let all: [String: DecodingLimits] = [
                "untrusted": .untrusted, "default": .default, "unlimited": .unlimited,
            ]
            guard var chosen = all[value] else { return false }
            // A time limit given before stays.
            if limits.maxTime != DecodingLimits.untrusted.maxTime { chosen.maxTime = limits.maxTime }
            (limits, limitsName) = (chosen, value)
        case ("--max-time", let milliseconds?) where milliseconds >= 0: limits.maxTime = .milliseconds(milliseconds)
        case ("--alarm", let seconds?) where seconds > 0: alarmSeconds = seconds
        default: return false
        }
        return true
    }
}
