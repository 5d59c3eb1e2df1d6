// codec-bench: times one task of the public API on image files, in the line format of the C programs it is compared
// with (see Scripts/bench-report).

import ImageCodecs

@main
struct CodecBench {
    private static let usage = """
        usage: codec-bench TASK [-t SECONDS] FILE...

        Tasks, all from a file in memory:
          decode       premultiplied BGRA in a bitmap that is reused from run to run
          incremental  the same, fed in pieces of 64 KiB
          thumbnail    scaled down to fit into 400x300 while decoding
          encode       PNG at the usual setting, from straight RGBA pixels, or from RGB where the file is opaque

        Runs at least five times and at least SECONDS (1) for each file, after one run to warm up. One line a file:
        task, file, median ms, minimum ms, megapixels of the file per second, peak resident KiB after the run to warm
        up; for encode also the bytes written. Peak memory is that of the process so far: give one file at a time to
        compare it.
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var seconds = 1.0
        if let flag = arguments.firstIndex(of: "-t"), flag + 1 < arguments.count {
            seconds = Double(arguments[flag + 1]) ?? seconds
            arguments.removeSubrange(flag...flag + 1)
        }
        guard let task = arguments.first.flatMap(BenchmarkTask.init), arguments.count > 1 else {
            print(usage)
            OperatingSystem.exit(status: 2)
        }
        for path in arguments.dropFirst() {
            do {
                print(try Measurement(of: task, path: path, seconds: seconds).line)
            } catch {
                print("\(path): \(error)")
                OperatingSystem.exit(status: 1)
            }
        }
    }
}
