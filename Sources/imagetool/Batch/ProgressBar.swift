// A progress bar on standard error, for people who wait: files of a batch, or how far one file has come.

import Dispatch
import ImageCodecs
import Synchronization

/// One line, redrawn in place.
struct ProgressBar {
    private let total: Int
    private let isTerminal = StandardError.isTerminal
    private var done = 0
    private var lastDrawn: ContinuousClock.Instant?
    private static let width = 30
    private static let interval = Duration.milliseconds(100)

    /// A bar for `total` files; counts nothing for a single one, and shows nothing where standard error is no terminal.
    init(total: Int) { self.total = total }

    /// Counts one file.
    mutating func advance() {
        done += 1
        guard total > 1 else { return }
        if done < total, let lastDrawn, lastDrawn.duration(to: .now) < Self.interval { return }
        show(Self.bar(Double(done) / Double(total)) + " \(done)/\(total)")
    }

    /// Shows a line in place of the last one.
    mutating func show(_ line: String) {
        guard isTerminal else { return }
        lastDrawn = .now
        StandardError.write("\r\u{1B}[K\(line)")
    }

    /// Makes room for a line of output.
    mutating func clear() {
        guard lastDrawn != nil else { return }
        StandardError.write("\r\u{1B}[K")
        lastDrawn = nil
    }

    /// - Parameter share: 0...1.
    private static func bar(_ share: Double) -> String {
        let filled = Int(Double(width) * share)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
    }

    /// How far one file has come: `[######........................] reading, 20 %`, or how long it has been worked on if no
    /// share is known.
    static func line(_ progress: ProgressLog, after time: Duration) -> String {
        let (stage, share) = progress.current
        let name =
            switch stage {
            case .reading: "reading"
            case .surveying: "looking at frames"
            case .writing: "writing"
            case .compressing: "compressing"
            }
        guard let share else { return "\(name), \(time.components.seconds) s" }
        return "\(bar(share)) \(name), \(Int(share * 100)) %"
    }
}

/// Looks now and then at how far one file has come, from a second after its beginning.
final class ProgressTicker {
    private let timer: any DispatchSourceTimer
    private let queue = DispatchQueue(label: "progress")

    /// - Parameter show: gets a line to show.
    init(_ progress: ProgressLog, _ show: @escaping @Sendable (String) -> Void) {
        let start = ContinuousClock.now
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(1), repeating: .milliseconds(200))
        timer.setEventHandler { show(ProgressBar.line(progress, after: start.duration(to: .now))) }
        timer.resume()
    }

    /// Shows how far one file has come while `body` works on it, if somebody looks at standard error.
    static func show(_ body: (ProgressLog?) throws(ImageError) -> Void) throws(ImageError) {
        guard StandardError.isTerminal else { return try body(nil) }
        let (progress, bar) = (ProgressLog(), SharedBar())
        let ticker = ProgressTicker(progress) { line in bar.bar.withLock { $0.show(line) } }
        defer {
            ticker.stop()
            bar.bar.withLock { $0.clear() }
        }
        try body(progress)
    }

    private final class SharedBar: Sendable {
        let bar = Mutex(ProgressBar(total: 1))
    }

    /// Shows nothing from here on.
    func stop() {
        timer.cancel()
        queue.sync {}
    }
}
