// The frames of one file written one by one: what imagetool frames does with each file.

import ImageCodecs
import ImagePipeline

/// Writes the frames of one file.
struct FrameJob: Sendable {
    let options: DecodingOptions
    let format: OutputFormat
    let names: FrameNames
    /// Which frames are written; `nil` for all.
    let range: FrameRange?
    /// Whether frames are written as the file has them, not composited.
    let areRaw: Bool
    let printsJSON: Bool
    let protection: InputProtection
    let skipping: SkipRule
    let budget: DecodingBudget

    /// The frame that is written first.
    var firstIndex: Int { range?.firstIndex ?? 0 }

    @Sendable func run(_ file: InputFile) -> Outcome {
        var outcome = Outcome()
        do throws(ImageError) {
            var options = options
            options.convertsToSRGB = format.isPlain
            let input = try InputPicture(file, options: options)
            if skips(file, names.path(of: file, index: firstIndex, count: input.frameCount)) {
                return Outcome(isSkipped: true)
            }
            let profile = format.isPlain ? input.info?.metadata.profileProblem : nil
            outcome.warnings = input.warnings + [profile].compactMap { $0 }
            try budget.withBytes(blockingFor: input.estimatedByteCount) { () throws(ImageError) in
                try writeFrames(of: input, file, &outcome)
            }
        } catch {
            if printsJSON { outcome.add(error.json(for: file.path).text) }
            outcome.failure = error
        }
        return outcome
    }

    private func skips(_ file: InputFile, _ output: String) -> Bool {
        !names.isContested(file) && skipping.skips(file.path, output)
    }

    private func writeFrames(
        of input: InputPicture, _ file: InputFile, _ outcome: inout Outcome
    ) throws(ImageError) {
        guard areRaw || range != nil else {
            try CoderRegistry.shared.decodeFrames(of: input.data, options: input.options) {
                (frame, index, info) throws(ImageError) in
                try write(frame, index, of: input.frameCount, info, raw: nil, file, &outcome)
            }
            return
        }
        var work = WorkGuard(input.options)
        work.begin()
        let animation = try CoderRegistry.shared.makeAnimation(from: input.data, options: input.options)
        let indices = try range?.indices(in: animation.frameCount) ?? 0..<animation.frameCount
        for index in indices {
            try work.check()
            let frame = try areRaw ? animation.subFrame(at: index) : animation.frame(at: index)
            let raw = areRaw ? try animation.frameInfo(at: index) : nil
            try write(frame, index, of: input.frameCount, animation.info, raw: raw, file, &outcome)
        }
    }

    /// - Parameter raw: what is needed to draw a frame that is not composited.
    private func write(
        _ frame: ImageFrame, _ index: Int, of count: Int, _ info: ImageInfo, raw: FrameInfo?, _ file: InputFile,
        _ outcome: inout Outcome
    ) throws(ImageError) {
        let output = names.path(of: file, index: index, count: count)
        if index > firstIndex, skips(file, output) { return }
        var metadata = info.metadata
        if options.appliesOrientation { metadata.orientation = .up }
        let image = RasterImage(
            bitmap: frame.bitmap, orientation: metadata.orientation, partial: frame.partial, metadata: metadata)
        var encoding = EncodingOptions()
        let losses = LossLog()
        encoding.losses = losses
        let bytes = try format.encode(image, pixelFormat: .rgba, options: encoding)
        // The same for most frames.
        outcome.warnings += format.remarks(losses).map(\.description).filter { !outcome.warnings.contains($0) }
        try protection.write(bytes, to: output, of: file.path, in: FilePath.folder(of: output))
        let line = FrameLine(
            path: file.path, index: index, output: output, duration: info.animation == nil ? nil : frame.duration,
            raw: raw, isPartial: frame.isPartial)
        outcome.add(printsJSON ? line.json.text : line.text)
        if let partial = frame.partial {
            outcome.warnings.append((line.duration == nil ? "" : "frame \(index): ") + partial.summary)
        }
    }
}

/// What is printed about a frame that was written.
private struct FrameLine {
    let path: String
    let index: Int
    let output: String
    /// `nil` for stills.
    let duration: Duration?
    /// What is needed to draw a frame that is not composited.
    let raw: FrameInfo?
    let isPartial: Bool

    private var milliseconds: Int? { duration?.wholeMilliseconds }

    /// Path of the frame, duration, and of a frame that is not composited its size and position.
    var text: String {
        let columns = [milliseconds.map { "\($0) ms" }, raw.map { "\($0.rect)\t\($0.drawing)" }]
        return ([output.replacingControlCharacters] + columns.compactMap { $0 }).joined(separator: "\t")
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("path", .string(path)), ("index", .integer(index)), ("durationMS", .optional(milliseconds)),
            ("output", .string(output)),
        ]
        if let raw { members += raw.rectMembers + raw.drawingMembers }
        if isPartial { members.append(("partial", .bool(true))) }
        return .object(members)
    }
}

extension Outcome {
    /// Adds a line of output.
    fileprivate mutating func add(_ line: String) { output += (output.isEmpty ? "" : "\n") + line }
}
