// Structured hostile files against the laws of decoding, seed by seed.
//
//   fuzz-structured KIND FIRST COUNT [--seconds S]    COUNT seeds, or as many as there is time for
//   fuzz-structured KIND SEED --dump FILE             writes the file or the bytes of a seed
//   fuzz-structured KIND --file FILE                  says what a fuzzer's input shows to be wrong
//   fuzz-structured deflate FIRST COUNT --streams FILE  writes what the deflater makes of COUNT seeds: see `StreamDump`
//   fuzz-structured --minutes M                       all formats in turn, from a random start
//
// A kind is a format (png jpeg gif apng webp), `inflate` (streams, through the inflater and zlib), or a part of a codec by the
// name that `Fuzz/Components` gives it (huffman, exif, scaler, ...).

import FuzzComponents
import Glibc
import ImageCodecsCore

@main enum FuzzStructured {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 2, arguments[0] == "--minutes", let minutes = Int(arguments[1]) {
            exit(alternate(minutes: minutes) == 0 ? 0 : 1)
        }
        if arguments.count == 3, arguments[1] == "--file", let component = Component.named(arguments[0]) {
            exit(replay(arguments[2], component) ? 0 : 1)
        }
        guard arguments.count >= 3, let kind = SeedKind(arguments[0]), let first = UInt64(arguments[1]) else { usage() }
        if arguments.count >= 4, arguments[arguments.count - 2] == "--dump" {
            exit(dump(kind.file(first), to: arguments[arguments.count - 1]) ? 0 : 1)
        }
        guard let count = UInt64(arguments[2]) else { usage() }
        let seeds = first..<first.addingSaturated(count)
        if arguments.count == 5, arguments[0] == "deflate", arguments[3] == "--streams" {
            exit(StreamDump.write(seeds, to: arguments[4]) ? 0 : 1)
        }
        var deadline: ContinuousClock.Instant?
        if arguments.count == 5, arguments[3] == "--seconds", let seconds = Int(arguments[4]) {
            deadline = .now + .seconds(seconds)
        } else if arguments.count != 3 {
            usage()
        }
        exit(kind.run(seeds, until: deadline) == 0 ? 0 : 1)
    }

    /// All formats in turn, a minute each, from a start that is printed.
    private static func alternate(minutes: Int) -> Int {
        let deadline = ContinuousClock.Instant.now + .seconds(60 * minutes)
        var start = UInt64.random(in: 0..<1 << 48)
        print("start \(start)")
        var findings = 0
        while .now < deadline {
            for kind in SeedKind.formats where .now < deadline {
                let turn = min(deadline, .now + .seconds(30))
                findings += kind.run(start..<start + 100_000, until: turn)
            }
            start += 100_000
        }
        return findings
    }

    /// Whether the input in a file shows nothing to be wrong.
    private static func replay(_ path: String, _ component: Component) -> Bool {
        guard let data = try? ImageData(contentsOfFile: path) else {
            print("cannot read \(path)")
            return false
        }
        let violations = component.violations(data.withBytes { Array($0) })
        for violation in violations { print(violation) }
        return violations.isEmpty
    }

    private static func dump(_ file: [UInt8], to path: String) -> Bool {
        // SAFETY: the strings are C strings for the calls, the stream is checked, and the count is the array's.
        guard let stream = unsafe fopen(path, "w") else { return false }
        let written = unsafe fwrite(file, 1, file.count, stream)
        return unsafe fclose(stream) == 0 && written == file.count
    }

    private static func usage() -> Never {
        print(
            """
            usage: fuzz-structured KIND FIRST COUNT [--seconds S] | KIND SEED --dump FILE | KIND --file FILE
                   | deflate FIRST COUNT --streams FILE | --minutes M
            """
        )
        print("kinds: \(SeedKind.names.joined(separator: " "))")
        exit(2)
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
