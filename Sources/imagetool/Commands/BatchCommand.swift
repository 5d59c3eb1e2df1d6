// imagetool batch: a worker for engines, one JSON job a line.

import ArgumentParser
import ImageCodecs

struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Work for an engine: one JSON job a line in, one JSON answer a line out.",
        discussion: """
            Jobs come from standard input, answers go to standard output in the order of the jobs, each as soon as those \
            in front of it are answered. A job that fails is answered with an error, and the others go on. The answer to a line that is \
            no job has its number, from 1, as "line".

              {"id":1,"operation":"thumbnail","path":"a.jpg","size":"9","output":"a.png"}
              {"id":1,"format":"PNG","width":9,"height":6,"byteCount":91,"output":"a.png"}

              {"id":2,"operation":"info","path":"none.jpg"}
              {"id":2,"error":{"code":"inputOutput","message":"No such file or directory"}}

            KEYS OF A JOB:
              id                 anything of at most 100 values; comes back in the answer
              operation          info, checksum, thumbnail, convert
              path or base64     the picture: a file, or its bytes
              output             the file to write; without it the answer has the bytes as "base64"
              format, quality, look, effort, lossless, lossy, auto, maxBytes, background, metadata ("all", "colors", "none")
              size, fit, gravity, limitBytes, thumbnailQuality, scaling, appliesOrientation, firstFrame, srgb
              tolerant, threads, force, gps
              limits, maxDimension, maxPixels, maxMemory, maxFrames, maxScans, maxInput, maxMetadata, maxTime

            They mean what the options of the other commands mean; sizes in bytes are numbers, or strings such as "64M". \
            Folders of outputs are created. Two jobs with one output replace each other's file, and the output of a job may \
            be the input of a later one, which does not wait for it. Other keys are errors.

            EXIT STATUS:
              0  every job went well
              1  some job failed
              2  the command line makes no sense

            EXAMPLES:
              imagetool batch --limits untrusted < jobs.jsonl > answers.jsonl
              echo '{"operation":"info","path":"photo.jpg"}' | imagetool batch
            """)

    @OptionGroup(title: "Jobs")
    var batch: BatchArguments

    @OptionGroup(title: "Jobs")
    var line: LineArguments

    @OptionGroup(title: "Jobs")
    var json: JSONByDefaultArguments

    @OptionGroup(title: "Jobs")
    var verbosity: VerbosityArguments

    @OptionGroup(title: "Limits of jobs that name none")
    var limits: LimitArguments

    func run() throws {
        let job = WorkerJob(limits: limits.limits, maxLineByteCount: line.maxLine.bytes, budget: batch.budget)
        let jobs = batch.jobCount
        if !BatchWorker(job, lookAhead: 2 * jobs, verbosity: self.verbosity).run(jobs: jobs) { throw ExitCode.failure }
    }
}

/// How long a job may be.
struct LineArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Most bytes of a line; longer ones are answered with an error.", valueName: "size"))
    var maxLine = ByteCount(bytes: 16 << 20)
}
