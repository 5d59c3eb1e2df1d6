// Many files at once: results come out in the order of the command line, whichever file is done first.

import ArgumentParser
import Dispatch
import FoundationEssentials
import ImageCodecs
import ImagePipeline
import Synchronization

/// Options of every command that takes many files.
struct BatchArguments: ParsableArguments {
    @Option(name: [.short, .long], help: "Files worked on at the same time. (default: one for each core)")
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Memory that files worked on at the same time may need together, by the estimate from their headers; one "
                + "that needs more runs alone. K, M and G are powers of 1024. (default: half of the memory, at most 2G)",
            valueName: "size"))
    var memory: ByteCount?

    private static let maxJobCount = 1024

    func validate() throws {
        if let jobs, !(1...Self.maxJobCount).contains(jobs) {
            throw ValidationError("--jobs must be from 1 to \(Self.maxJobCount)")
        }
    }

    var budget: DecodingBudget { DecodingBudget(byteCount: memory?.bytes ?? Self.standardMemoryByteCount) }

    /// Half of the machine's memory, and no more than 2 GiB.
    private static var standardMemoryByteCount: Int {
        min(Int(clamping: ProcessInfo.processInfo.physicalMemory / 2), 2 << 30)
    }

    /// Files worked on at the same time, if that is not limited by their number.
    var jobCount: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

    /// What records how far the work on a single file has come; `nil` for several files, and if standard error is no terminal.
    func progressLog(for files: [InputFile]) -> ProgressLog? {
        files.count == 1 && StandardError.isTerminal ? ProgressLog() : nil
    }

    /// Does `work` on every file, prints what it gives, and exits with status 1 when a file failed.
    ///
    /// - Parameters:
    ///   - advice: what failures say about options.
    ///   - progress: records how far the work on a single file has come; see ``progressLog(for:)``.
    ///   - lookAhead: files that may be begun while one before them is not finished; `nil` for any number.
    ///   - work: called on several threads at once.
    func run(
        _ files: [InputFile], advice: Advice, progress: ProgressLog? = nil, lookAhead: Int? = nil,
        _ work: @escaping @Sendable (InputFile) -> Outcome
    ) throws {
        let jobs = min(jobCount, files.count)
        let queue = BatchQueue(files: files, advice: advice, lookAhead: lookAhead)
        let ticker = progress.map { ProgressTicker($0) { line in queue.show(line) } }
        if jobs <= 1 {
            queue.work(work)
        } else {
            DispatchQueue.concurrentPerform(iterations: jobs) { _ in queue.work(work) }
        }
        ticker?.stop()
        if queue.finish() { throw ExitCode.failure }
    }
}

/// Hands out files and collects what they gave, shared by the threads of a batch.
private final class BatchQueue: Sendable {
    private struct State {
        var nextToStart = 0
        var outcomes = Reordering<Outcome>()
        var failedCount = 0
        var skippedCount = 0
        var progress: ProgressBar
    }

    private let files: [InputFile]
    private let advice: Advice
    private let lookAhead: LookAhead?
    private let state: Mutex<State>

    init(files: [InputFile], advice: Advice, lookAhead: Int?) {
        self.files = files
        self.advice = advice
        self.lookAhead = lookAhead.map { LookAhead($0) }
        state = Mutex(State(progress: ProgressBar(total: files.count)))
    }

    /// Takes files until there are none left.
    func work(_ body: (InputFile) -> Outcome) {
        while let index = nextJob() {
            let outcome = body(files[index])
            state.withLock { state in
                state.progress.advance()
                for ready in state.outcomes.add(outcome, at: index) {
                    emit(ready.item, files[ready.index].path, &state)
                }
            }
        }
    }

    /// Shows how far the work on a single file has come.
    func show(_ line: String) { state.withLock { $0.progress.show(line) } }

    /// Ends the progress bar and says how many files did not go well; answers whether one failed.
    func finish() -> Bool {
        state.withLock { state in
            state.progress.clear()
            if files.count > 1 {
                var counts: [String] = []
                if state.failedCount > 0 { counts.append("\(state.failedCount) of \(files.count) failed") }
                if state.skippedCount > 0 { counts.append("\(state.skippedCount) of \(files.count) skipped") }
                if !counts.isEmpty { StandardError.write(counts.joined(separator: ", ") + "\n") }
            }
            return state.failedCount > 0
        }
    }

    private func nextJob() -> Int? {
        lookAhead?.enter()
        let next: Int? = state.withLock { state in
            guard state.nextToStart < files.count else { return nil }
            defer { state.nextToStart += 1 }
            return state.nextToStart
        }
        if next == nil { lookAhead?.leave() }
        return next
    }

    private func emit(_ outcome: Outcome, _ path: String, _ state: inout State) {
        lookAhead?.leave()
        let outcome = outcome.finish?() ?? outcome
        let isQuiet = outcome.output.isEmpty && outcome.warnings.isEmpty && outcome.remarks.isEmpty
        if !isQuiet || outcome.isFailed { state.progress.clear() }
        if !outcome.output.isEmpty { StandardOutput.write(outcome.output) }
        for warning in outcome.warnings { StandardError.write("warning: \(warning)", about: path) }
        for remark in outcome.remarks { StandardError.write(remark, about: path) }
        for finding in outcome.findings { StandardError.write(finding, about: path) }
        if let failure = outcome.failure { StandardError.write(advice.message(failure, for: path), about: path) }
        if outcome.isFailed { state.failedCount += 1 }
        if outcome.isSkipped { state.skippedCount += 1 }
    }
}
