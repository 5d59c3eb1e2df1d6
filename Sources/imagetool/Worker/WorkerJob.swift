// One job from its line to the line of its answer.

import FoundationEssentials
import ImageCodecs
import ImagePipeline

/// Works on jobs; the answer to each is one JSON object.
struct WorkerJob: Sendable {
    struct Answer: Sendable {
        let text: String
        let isFailed: Bool
    }

    /// Limits of jobs that name none.
    let limits: DecodingLimits
    let maxLineByteCount: Int
    let budget: DecodingBudget

    /// Does what a line asks for.
    ///
    /// - Parameter number: which line it is, from 1; the answer to a line that is no job has it.
    func run(_ line: LineReader.Line, number: Int) -> Answer {
        var (id, place) = (JSONValue.null, [(key: "line", value: JSONValue.integer(number))])
        var path = ""
        do throws(ImageError) {
            guard case .text(let text) = line else {
                throw .invalidArgument("the line has more than \(maxLineByteCount) bytes (--max-line raises the limit)")
            }
            let members = try JSONMembers(ofLine: text)
            (id, place) = (members.id, [])
            let request = try WorkerRequest(members.values(), limits: limits)
            if case .path(let file) = request.input { path = file }
            return Answer(text: Self.text(id, try answer(request)), isFailed: false)
        } catch {
            return Answer(text: Self.text(id, place + [("error", error.members(for: path))]), isFailed: true)
        }
    }

    private static func text(_ id: JSONValue, _ members: [(key: String, value: JSONValue)]) -> String {
        JSONValue.object([("id", id)] + members).text
    }

    private func answer(_ request: WorkerRequest) throws(ImageError) -> [(key: String, value: JSONValue)] {
        switch request.operation {
        case .info: return [("info", try info(request))]
        case .checksum:
            let input = try picture(request)
            let job = ChecksumJob(
                options: input.options, chunk: nil, rawNames: nil, protection: InputProtection([]), budget: budget)
            let checksum = try job.describe(input, of: InputFile(path: input.path))
            return [("checksum", checksum.withoutEmptyPath)] + warnings(input.warnings)
        case .thumbnail, .convert: return try convert(request)
        }
    }

    private func info(_ request: WorkerRequest) throws(ImageError) -> JSONValue {
        let options = request.conversion.decoding
        switch request.input {
        case .path(let path):
            let reading = InfoReading(options: options, showsGPS: request.showsGPS)
            return try reading.report(on: InputFile(path: path)).json
        case .bytes(let bytes):
            let data = ImageData(bytes)
            let report = InfoReport(
                path: "", fileByteCount: data.count, info: try ImageInfo(data, options: options),
                jpeg: JPEGCodingReport(data, limits: options.limits), showsGPS: request.showsGPS)
            return report.json.withoutEmptyPath
        }
    }

    private func picture(_ request: WorkerRequest) throws(ImageError) -> InputPicture {
        let (options, reduction) = (request.conversion.decoding, request.conversion.reduction)
        switch request.input {
        case .path(let path):
            return try InputPicture(InputFile(path: path), options: options, reduction: reduction)
        case .bytes(let bytes): return try InputPicture("", ImageData(bytes), options: options, reduction: reduction)
        }
    }

    private func convert(_ request: WorkerRequest) throws(ImageError) -> [(key: String, value: JSONValue)] {
        let format = try request.resultFormat()
        var (protection, source) = (InputProtection([]), String?.none)
        if case .path(let path) = request.input {
            (protection, source) = (InputProtection([path], isForced: request.isForced), path)
        }
        if let output = request.output {
            try StandardDescriptors.checkOutput(output)
            try protection.check(output, of: source)
        }
        let picture: PictureSource
        switch request.input {
        case .path(let path): picture = .file(InputFile(path: path))
        case .bytes(let bytes): picture = .bytes(ImageData(bytes))
        }
        var bytes: [UInt8] = []
        let keyOf = { (option: String) in "\"\(option == "near-lossless" ? "nearLossless" : option)\"" }
        let result = try request.conversion.run(picture, to: format, budget: budget, optionOf: keyOf) {
            bytes.append(contentsOf: $0)
        }
        var members: [(key: String, value: JSONValue)] = [
            ("format", .string(format.name)), ("width", .integer(result.size.width)),
            ("height", .integer(result.size.height)), ("byteCount", .integer(bytes.count)),
        ]
        if let output = request.output {
            try protection.write(bytes, to: output, of: source, in: FilePath.folder(of: output))
            members.append(("output", .string(output)))
        } else {
            members.append(("base64", .string(Data(bytes).base64EncodedString())))
        }
        return members + warnings(result.warnings)
    }

    private func warnings(_ warnings: [String]) -> [(key: String, value: JSONValue)] {
        warnings.isEmpty ? [] : [("warnings", .array(warnings.map { .string($0) }))]
    }
}

extension WorkerRequest {
    /// The format asked for, or that of the output's extension, or PNG.
    fileprivate func resultFormat() throws(ImageError) -> OutputFormat {
        if let format { return format }
        guard let output, let promised = FilePath.splitExtension(FilePath.name(output)).fileExtension else {
            return .coded(.png)
        }
        guard let format = OutputFormat(name: promised) else {
            throw .invalidArgument(OutputFormat.refusal(of: promised) + "; \"format\" names what to write")
        }
        return format
    }
}

extension JSONValue {
    /// An object without the path of a picture that has none.
    fileprivate var withoutEmptyPath: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.filter { member in
                if member.key == "path", case .string("") = member.value { return false }
                return true
            })
    }
}
