// codec-bench: times one task of the public API on image files, in the line format of the C programs it is compared
// with (see Scripts/bench-report).

import ImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@main
struct CodecBench {
    private static let usage = """
        usage: codec-bench TASK [-t SECONDS] [-f FORMAT] [-e EFFORT] [-c COLORS] [-o OUTPUT] FILE...

        Tasks, all from a file in memory:
          decode       premultiplied BGRA in a bitmap that is reused from run to run
          incremental  the same, fed in pieces of 64 KiB
          thumbnail    scaled down to fit into 400x300 while decoding
          encode       as FORMAT (png, jpeg, gif, webp; png if not given) with EFFORT (fast, default, best), from straight
                       RGBA pixels, or from RGB where the file is opaque; with a palette of at most COLORS colours (png,
                       gif); what was written last is kept in OUTPUT

        Runs at least five times and at least SECONDS (1) for each file, after one run to warm up. One line a file:
        task, file, median ms, minimum ms, megapixels of the file per second, peak resident KiB after the run to warm
        up; for encode also the bytes written. Peak memory is that of the process so far: give one file at a time to
        compare it.
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        /// Takes a flag and its value out of the arguments.
        func value(of flag: String) -> String? {
            guard let place = arguments.firstIndex(of: flag), place + 1 < arguments.count else { return nil }
            defer { arguments.removeSubrange(place...place + 1) }
            return arguments[place + 1]
        }
        let seconds = value(of: "-t").map { Double($0) } ?? 1
        let format = value(of: "-f").map { ImageFormat(fileExtension: $0) } ?? .png
        let effort = value(of: "-e").map { EncodingOptions.Effort(rawValue: $0) } ?? .default
        let colors = value(of: "-c")
        let colorCount = colors.flatMap { Int($0) }
        let output = value(of: "-o")
        guard let task = arguments.first.flatMap(BenchmarkTask.init), arguments.count > 1, let seconds, let format,
            let effort, colors == nil || colorCount != nil
        else {
            print(usage)
            exit(2)
        }
        let encoding = BenchmarkEncoding(format: format, effort: effort, colorCount: colorCount)
        for path in arguments.dropFirst() {
            do {
                let measurement = try Measurement(of: task, encoding, path: path, seconds: seconds)
                print(measurement.line)
                if let output, let bytes = measurement.output { try ImageData(bytes).write(toFile: output) }
            } catch {
                print("\(path): \(error)")
                exit(1)
            }
        }
    }
}
