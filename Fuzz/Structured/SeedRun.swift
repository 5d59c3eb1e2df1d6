// Seeds one after another in children, so that a trap or a hang is one finding and not the end.

import CodecTestSupport

/// A run over consecutive seeds of one kind.
struct SeedRun {
    /// What lines call it.
    let name: String
    /// What the seed's input shows to be wrong.
    let violations: (UInt64) -> [String]
    /// Seeds that one child gets at most: a fresh one has forgotten what the others left behind.
    private static let batch: UInt64 = 500
    /// A file that takes longer hangs. Without limits one of 65535 x 65535 pixels takes ten seconds of a whole core, and
    /// there may be less than that.
    private static let secondsPerFile = 120

    /// Runs `seeds` while there is time, and prints a line for every finding and one at the end.
    ///
    /// - Returns: how many findings there were.
    func run(_ seeds: Range<UInt64>, until deadline: ContinuousClock.Instant?) -> Int {
        var (next, findings) = (seeds.lowerBound, 0)
        while next < seeds.upperBound, deadline.map({ .now < $0 }) ?? true {
            guard let step = runChild(next..<min(seeds.upperBound, next + Self.batch), deadline) else {
                print("no child process")
                return findings + 1
            }
            findings += step.findings
            next = step.next
        }
        print("done \(name) \(seeds.lowerBound)..<\(next), \(findings) findings")
        return findings
    }

    /// Runs seeds until one ends the child.
    private func runChild(
        _ seeds: Range<UInt64>, _ deadline: ContinuousClock.Instant?
    ) -> (next: UInt64, findings: Int)? {
        var (reached, findings) = (seeds.lowerBound, 0)
        let ending = ForkedChild.run { line in
            for seed in seeds {
                if let deadline, .now >= deadline { break }
                line.send("\(seed)")
                line.expectAnswer(withinSeconds: Self.secondsPerFile)
                for violation in violations(seed) { line.send("\(seed) \(violation)") }
                line.send("\(seed + 1)")
            }
            line.expectAnswer(withinSeconds: 0)
        } receive: { text in
            if let seed = UInt64(text) {
                reached = seed
            } else {
                findings += 1
                print("SEED \(name) \(text.replacingLineBreaks)")
            }
        }
        guard let ending else { return nil }
        guard let signal = ending.signal else { return (max(reached, seeds.lowerBound + 1), findings) }
        print("SEED \(name) \(reached) signal \(signal)\(ending.isHang ? " (hang)" : "")")
        return (reached + 1, findings + 1)
    }
}

extension String {
    fileprivate var replacingLineBreaks: String { String(map { $0.isNewline ? " " : $0 }) }
}
