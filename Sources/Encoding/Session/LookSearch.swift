// Which of many ways to write a picture, each with more loss than the one before, looks just good enough.

/// Looks for the way with the most loss whose score is not below a target, in few attempts.
///
/// Scores fall from way to way, about as they do with the quality of a photograph; where they do not, the answer is one of those that were
/// tried all the same.
package struct LookSearch {
    /// The most attempts.
    package static let attemptCount = 7
    /// A score this near to the target is what was asked for.
    package static let tolerance = 0.5
    /// Of at least this many ways the first guess is made by what photographs look like; of fewer the middle is tried first.
    private static let longCount = 20

    private let count: Int
    private let target: Double
    private var tried: [(index: Int, score: Double)] = []

    /// - Parameters:
    ///   - count: how many ways there are; the first loses least.
    ///   - target: the score that is asked for.
    package init(count: Int, target: Double) {
        self.count = count
        self.target = target
    }

    /// Records what a way looks like.
    package mutating func record(_ index: Int, score: Double) { tried.append((index, score)) }

    /// The best of the ways that were tried: that with the most loss of those that look good enough, or else the one that looks best.
    package var best: (index: Int, score: Double)? {
        let enough = tried.filter { $0.score >= target - Self.tolerance }
        return enough.max { $0.index < $1.index } ?? tried.max { $0.score < $1.score }
    }

    /// The way to try next; `nil` if enough is known.
    package var next: Int? {
        guard tried.count < min(Self.attemptCount, count) else { return nil }
        guard !tried.isEmpty else { return count < Self.longCount ? count / 2 : usualIndex(target) }
        guard !tried.contains(where: { abs($0.score - target) <= Self.tolerance }) else { return nil }
        let better = tried.filter { $0.score > target }.max { $0.index < $1.index }
        let worse = tried.filter { $0.score < target }.min { $0.index < $1.index }
        let first = better.map { $0.index + 1 } ?? 0
        let end = worse?.index ?? count
        guard first < end else { return nil }
        return min(max(guess(better, worse, first, end), first), end - 1)
    }

    private func guess(
        _ better: (index: Int, score: Double)?, _ worse: (index: Int, score: Double)?, _ first: Int, _ end: Int
    ) -> Int {
        guard count >= Self.longCount else { return (first + end) / 2 }
        if let better, let worse {
            let share = (better.score - target) / (better.score - worse.score)
            return better.index + Int((share * Double(worse.index - better.index)).rounded())
        }
        guard let known = better ?? worse else { return (first + end) / 2 }
        // As far from what is usual as the known one is.
        return usualIndex(target + usualScore(known.index) - known.score)
    }

    // MARK: What is usual

    /// Scores of photographs by quality, the best first.
    private static let usual: [(score: Double, quality: Double)] = [
        (100, 1), (90, 0.95), (85, 0.9), (80, 0.83), (70, 0.62), (60, 0.42), (50, 0.28), (30, 0.14), (0, 0.04),
        (-100, 0),
    ]

    private func usualIndex(_ score: Double) -> Int {
        let score = min(max(score, -100), 100)
        let place = Self.usual.firstIndex { $0.score <= score } ?? Self.usual.count - 1
        let (better, worse) = (Self.usual[max(0, place - 1)], Self.usual[max(1, place)])
        let share = (better.score - score) / (better.score - worse.score)
        let quality = better.quality + share * (worse.quality - better.quality)
        return Int(((1 - quality) * Double(count - 1)).rounded())
    }

    private func usualScore(_ index: Int) -> Double {
        let quality = 1 - Double(index) / Double(count - 1)
        let place = Self.usual.firstIndex { $0.quality <= quality } ?? Self.usual.count - 1
        let (better, worse) = (Self.usual[max(0, place - 1)], Self.usual[max(1, place)])
        return better.score + (better.quality - quality) / (better.quality - worse.quality)
            * (worse.score - better.score)
    }
}
