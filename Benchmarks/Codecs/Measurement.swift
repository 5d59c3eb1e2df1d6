// Times a task and formats the result.

import ImageCodecs

/// The runs of one task on one file.
struct Measurement {
    private static let minimumRunCount = 5

    /// The tab-separated line that is printed.
    let line: String
    /// What an encoder wrote.
    let output: [UInt8]?

    init(
        of task: BenchmarkTask, _ encoding: BenchmarkEncoding, path: String, seconds: Double
    ) throws(ImageError) {
        var prepared = try PreparedTask(task, encoding, path: path)
        output = try prepared.run()
        let peakKiB = ProcessMemory.peakResidentKiB

        var milliseconds: [Double] = []
        let begin = ContinuousClock.now
        while milliseconds.count < Self.minimumRunCount || begin.duration(to: .now) < .seconds(seconds) {
            let start = ContinuousClock.now
            _ = try prepared.run()
            milliseconds.append(start.duration(to: .now) / .milliseconds(1))
        }
        milliseconds.sort()
        let median = (milliseconds[(milliseconds.count - 1) / 2] + milliseconds[milliseconds.count / 2]) / 2
        let megapixels = Double(prepared.info.size.pixelCount ?? 0) / 1e6

        var fields = [
            task.rawValue, String(path.split(separator: "/").last ?? ""), Self.rounded(median),
            Self.rounded(milliseconds[0]), Self.rounded(megapixels / median * 1000), String(peakKiB),
        ]
        if let output { fields.append(String(output.count)) }
        line = fields.joined(separator: "\t")
    }

    /// Three decimals are enough.
    private static func rounded(_ value: Double) -> String { String((value * 1000).rounded() / 1000) }
}
