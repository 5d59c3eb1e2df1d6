// The inflater against zlib, seed by seed: streams are small and many, so that a child gets many of them.

#if SystemZlib
import CodecTestSupport
import HostileFiles

/// A run over consecutive seeds of `DeflateRecipe`.
enum InflateRun {
    /// Seeds that one child gets at most, and between two signs of life.
    private static let batch: UInt64 = 50_000
    private static let stretch: UInt64 = 500
    private static let secondsPerStretch = 60

    /// The stream of a seed.
    static func stream(_ seed: UInt64) -> [UInt8] { DeflateRecipe.stream(DecisionSource(seed: seed)) }

    /// Runs `seeds` while there is time, and prints a line for every finding, how streams ended according to zlib, and a
    /// line at the end.
    ///
    /// - Returns: how many findings there were.
    static func run(_ seeds: Range<UInt64>, until deadline: ContinuousClock.Instant?) -> Int {
        var (next, findings) = (seeds.lowerBound, 0)
        var endings: [String: Int] = [:]
        while next < seeds.upperBound, deadline.map({ .now < $0 }) ?? true {
            let (first, end) = (next, min(seeds.upperBound, next + batch))
            let ending = ForkedChild.run { line in
                var counts: [InflateOutcome.Ending: Int] = [:]
                defer { for (ending, count) in counts { line.send("\(count) \(ending)") } }
                for seed in first..<end {
                    if (seed - first) % stretch == 0 {
                        line.send("\(seed)")
                        if let deadline, .now >= deadline { return }
                        line.expectAnswer(withinSeconds: secondsPerStretch)
                    }
                    let found = InflateComparison.differences(stream(seed), DecisionSource(seed: seed ^ 0xABCD_EF01))
                    counts[found.ending, default: 0] += 1
                    for difference in found.differences { line.send("SEED inflate \(seed) \(difference)") }
                }
                line.send("\(end)")
            } receive: { text in
                if let seed = UInt64(text) {
                    next = seed
                } else if text.hasPrefix("SEED") {
                    findings += 1
                    print(text)
                } else if let space = text.firstIndex(of: " ") {
                    endings[String(text[text.index(after: space)...]), default: 0] += Int(text[..<space]) ?? 0
                }
            }
            guard let ending else {
                print("no child process")
                return findings + 1
            }
            if let signal = ending.signal {
                let last = min(end, next + stretch)
                print("SEED inflate \(next)..<\(last) signal \(signal)\(ending.isHang ? " (hang)" : "")")
                findings += 1
                next = last
            }
        }
        for (ending, count) in endings.sorted(by: { $0.value > $1.value }) { print("\(count)\t\(ending)") }
        print("done inflate \(seeds.lowerBound)..<\(next), \(findings) findings")
        return findings
    }
}
#else
/// Without zlib there is nothing to hold the inflater against.
enum InflateRun {
    static func stream(_ seed: UInt64) -> [UInt8] { [] }

    /// Says so.
    static func run(_ seeds: Range<UInt64>, until deadline: ContinuousClock.Instant?) -> Int {
        print("built without the trait SystemZlib: no zlib to compare with")
        return 1
    }
}
#endif
