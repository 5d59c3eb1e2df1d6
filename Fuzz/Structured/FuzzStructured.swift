// Structured hostile files against the laws of decoding, seed by seed.
//
//   fuzz-structured png|jpeg|gif|apng|webp FIRST COUNT [--seconds S]    COUNT seeds, or as many as there is time for
//   fuzz-structured png|jpeg|gif|apng|webp SEED --dump FILE             writes the file of a seed
//   fuzz-structured inflate FIRST COUNT [--seconds S]     streams, through the inflater and zlib; --dump likewise
//   fuzz-structured --minutes M                           all formats in turn, from a random start

import Glibc

@main enum FuzzStructured {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 2, arguments[0] == "--minutes", let minutes = Int(arguments[1]) {
            exit(alternate(minutes: minutes) == 0 ? 0 : 1)
        }
        let format = arguments.first.flatMap(HostileFormat.init(rawValue:))
        guard arguments.count >= 3, format != nil || arguments[0] == "inflate", let first = UInt64(arguments[1])
        else { usage() }
        if arguments.count >= 4, arguments[arguments.count - 2] == "--dump" {
            let file = format?.file(first) ?? InflateRun.stream(first)
            exit(dump(file, to: arguments[arguments.count - 1]) ? 0 : 1)
        }
        guard let count = UInt64(arguments[2]) else { usage() }
        var deadline: ContinuousClock.Instant?
        if arguments.count == 5, arguments[3] == "--seconds", let seconds = Int(arguments[4]) {
            deadline = .now + .seconds(seconds)
        } else if arguments.count != 3 {
            usage()
        }
        let seeds = first..<first.addingSaturated(count)
        let findings =
            format.map { SeedRun(format: $0).run(seeds, until: deadline) } ?? InflateRun.run(seeds, until: deadline)
        exit(findings == 0 ? 0 : 1)
    }

    /// All formats in turn, a minute each, from a start that is printed.
    private static func alternate(minutes: Int) -> Int {
        let deadline = ContinuousClock.Instant.now + .seconds(60 * minutes)
        var start = UInt64.random(in: 0..<1 << 48)
        print("start \(start)")
        var findings = 0
        while .now < deadline {
            for format in HostileFormat.allCases where .now < deadline {
                let turn = min(deadline, .now + .seconds(30))
                findings += SeedRun(format: format).run(start..<start + 100_000, until: turn)
            }
            start += 100_000
        }
        return findings
    }

    private static func dump(_ file: [UInt8], to path: String) -> Bool {
        // SAFETY: the strings are C strings for the calls, the stream is checked, and the count is the array's.
        guard let stream = unsafe fopen(path, "w") else { return false }
        let written = unsafe fwrite(file, 1, file.count, stream)
        return unsafe fclose(stream) == 0 && written == file.count
    }

    private static func usage() -> Never {
        print(
            "usage: fuzz-structured FORMAT FIRST COUNT [--seconds S] | FORMAT SEED --dump FILE | --minutes M; png jpeg gif apng webp inflate"
        )
        exit(2)
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
