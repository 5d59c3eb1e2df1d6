// Threads that take lines from standard input and put their answers into order.

import Dispatch
import ImageCodecs
import Synchronization

/// Answers jobs in the order of their lines, each as soon as those before it are answered.
///
/// Lines are read one at a time, when a thread is free and no more than `lookAhead` are unanswered: an engine that waits for
/// the answer to its only job gets it, and one that sends a million jobs at once does not have them held.
final class BatchWorker: Sendable {
    private struct Input {
        var lines: LineReader
        var nextIndex = 0
        var hasFailed = false
    }

    private struct Output {
        var answers = Reordering<WorkerJob.Answer>()
        var hasFailures = false
    }

    private let job: WorkerJob
    private let lookAhead: LookAhead
    private let verbosity: VerbosityArguments
    private let input: Mutex<Input>
    private let output = Mutex(Output())

    init(_ job: WorkerJob, lookAhead: Int, verbosity: VerbosityArguments) {
        self.job = job
        self.verbosity = verbosity
        self.lookAhead = LookAhead(lookAhead)
        input = Mutex(Input(lines: LineReader(maxByteCount: job.maxLineByteCount)))
    }

    /// Works until the input ends; answers whether every job went well.
    func run(jobs: Int) -> Bool {
        if jobs <= 1 {
            work()
        } else {
            DispatchQueue.concurrentPerform(iterations: jobs) { _ in work() }
        }
        let inputFailed = input.withLock { $0.hasFailed }
        return output.withLock { !$0.hasFailures } && !inputFailed
    }

    private func work() {
        while let (index, line, number) = nextJob() {
            let start = ContinuousClock.now
            let answer = job.run(line, number: number)
            verbosity.say(answer.isFailed ? "failed" : "done", about: "line \(number)", since: start)
            output.withLock { output in
                for ready in output.answers.add(answer, at: index) {
                    StandardOutput.write(ready.item.text)
                    output.hasFailures = output.hasFailures || ready.item.isFailed
                    lookAhead.leave()
                }
            }
        }
    }

    private func nextJob() -> (index: Int, line: LineReader.Line, number: Int)? {
        lookAhead.enter()
        let next: (Int, LineReader.Line, Int)? = input.withLock { input in
            do throws(ImageError) {
                guard !input.hasFailed, !StandardOutput.hasFailed, let line = try input.lines.next() else { return nil }
                defer { input.nextIndex += 1 }
                return (input.nextIndex, line, input.lines.lineCount)
            } catch {
                input.hasFailed = true
                StandardError.write(error.message(for: "-"), about: "-")
                return nil
            }
        }
        if next == nil { lookAhead.leave() }
        return next
    }
}
