// Many files at once: results come out in the order of the command line, whichever file is done first.

import ArgumentParser
import Dispatch
import FoundationEssentials
import ImageCodecs
import Synchronization

/// What one file gave.
struct Outcome: Sendable {
    /// Text for standard output, without the last line break; empty for none.
    var output = ""
    /// Remarks for standard error that are no failures.
    var warnings: [String] = []
    /// Why the file failed.
    var failure: ImageError?
}

/// Options of every command that takes many files.
struct BatchArguments: ParsableArguments {
    @Option(name: [.short, .long], help: "Files worked on at the same time. (default: one for each core)")
    var jobs: Int?

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    }

    /// Does `work` on every file, prints what it gives, and exits with status 1 when a file failed.
    ///
    /// - Parameter work: called on several threads at once.
    func run(_ paths: [String], _ work: @escaping @Sendable (String) -> Outcome) throws {
        let jobs = min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, paths.count)
        let queue = BatchQueue(paths: paths)
        if jobs <= 1 {
            queue.work(work)
        } else {
            DispatchQueue.concurrentPerform(iterations: jobs) { _ in queue.work(work) }
        }
        if queue.finish() { throw ExitCode.failure }
    }
}

/// Hands out files and collects what they gave, shared by the threads of a batch.
private final class BatchQueue: Sendable {
    private struct State {
        var nextToStart = 0
        var nextToPrint = 0
        var waiting: [Int: Outcome] = [:]
        var hasFailures = false
        var progress: ProgressBar
    }

    private let paths: [String]
    private let state: Mutex<State>

    init(paths: [String]) {
        self.paths = paths
        state = Mutex(State(progress: ProgressBar(total: paths.count)))
    }

    /// Takes files until there are none left.
    func work(_ body: (String) -> Outcome) {
        while let index = takeNext() {
            let outcome = body(paths[index])
            state.withLock { state in
                state.progress.advance()
                state.waiting[index] = outcome
                while let ready = state.waiting.removeValue(forKey: state.nextToPrint) {
                    emit(ready, paths[state.nextToPrint], &state)
                    state.nextToPrint += 1
                }
            }
        }
    }

    /// Ends the progress bar; answers whether a file failed.
    func finish() -> Bool {
        state.withLock { state in
            state.progress.clear()
            return state.hasFailures
        }
    }

    private func takeNext() -> Int? {
        state.withLock { state in
            guard state.nextToStart < paths.count else { return nil }
            defer { state.nextToStart += 1 }
            return state.nextToStart
        }
    }

    private func emit(_ outcome: Outcome, _ path: String, _ state: inout State) {
        if !outcome.output.isEmpty || !outcome.warnings.isEmpty || outcome.failure != nil { state.progress.clear() }
        if !outcome.output.isEmpty { print(outcome.output) }
        for warning in outcome.warnings { StandardError.write("warning: \(warning)", about: path) }
        if let failure = outcome.failure {
            state.hasFailures = true
            StandardError.write(failure.message(for: path), about: path)
        }
    }
}
