// What hostile files cost: time, memory and outcome of every way to read them, as a Markdown table.
//
//   hostile-report [--worst|--stops] [--limits untrusted|default|unlimited] [--max-time MS] [--alarm S] FILE...

import Glibc
import ImageCodecsCore

@main enum HostileReport {
    static func main() async {
        guard let options = ReportOptions(Array(CommandLine.arguments.dropFirst())) else {
            print(ReportOptions.usage)
            exit(2)
        }
        if options.tellsWorst {
            var costs = WorstCosts(options.limits)
            for path in options.paths { costs.add(path) }
            return print(costs.markdown)
        }
        if options.tellsStops {
            var stops = StopTimes(options.limits)
            for path in options.paths { await stops.add(path) }
            return print(stops.markdown)
        }
        let time = options.limits.maxTime.map { "\($0)" } ?? "none"
        print(
            "Limits: \(options.limitsName), time \(time). Pictures shown while a decode goes on may take memory of their own.\n"
        )
        print(Row.head)
        var flagged = 0
        for path in options.paths {
            guard let size = try? ImageData(contentsOfFile: path, access: .mapped).count else {
                print("| \(path) | | unreadable | | | | | |")
                flagged += 1
                continue
            }
            for operation in Operation.all(byteCount: size) {
                let row = Row(path, operation, options)
                print(row.markdown)
                flagged += row.flags.isEmpty ? 0 : 1
            }
        }
        print("\n\(flagged) rows flagged.")
        exit(flagged == 0 ? 0 : 1)
    }
}
