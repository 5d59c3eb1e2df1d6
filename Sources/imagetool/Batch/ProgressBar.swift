// A progress bar on standard error, for people who wait.

/// How many files of a batch are done, redrawn in place.
struct ProgressBar {
    private let total: Int
    private let isShown: Bool
    private var done = 0
    private var lastDrawn: ContinuousClock.Instant?
    private static let width = 30
    private static let interval = Duration.milliseconds(100)

    /// A bar for `total` files; shows nothing for a single one, or where standard error is no terminal.
    init(total: Int) {
        self.total = total
        isShown = total > 1 && StandardError.isTerminal
    }

    /// Counts one file.
    mutating func advance() {
        done += 1
        guard isShown else { return }
        if done < total, let lastDrawn, lastDrawn.duration(to: .now) < Self.interval { return }
        lastDrawn = .now
        draw()
    }

    /// Makes room for a line of output.
    mutating func clear() {
        guard isShown, lastDrawn != nil else { return }
        StandardError.write("\r\u{1B}[K")
        lastDrawn = nil
    }

    private func draw() {
        let filled = Self.width * done / max(1, total)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        StandardError.write("\r\u{1B}[K[\(bar)] \(done)/\(total)")
    }
}
