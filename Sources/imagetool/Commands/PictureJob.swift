// One file read and its picture written where it belongs: what convert and thumbnail do with each file.

import ImageCodecs
import ImagePipeline

/// Reads one file and writes its picture again.
struct PictureJob: Sendable {
    let conversion: PictureConversion
    let plan: OutputFilePlan
    let protection: InputProtection
    let skipping: SkipRule
    let budget: DecodingBudget
    var cache: ResultCache?

    @Sendable func run(_ file: InputFile) -> Outcome {
        if file.problem == nil, let path = plan.knownPath(for: file), !plan.isContested(path, for: file),
            skipping.skips(file.path, path)
        {
            return Outcome(isSkipped: true)
        }
        do throws(ImageError) {
            let format = try plan.format(for: file)
            let conversion = conversion(writing: format)
            guard plan.location.namesSize else {
                let path = plan.path(for: file, size: PixelSize(width: 0, height: 0), format: format)
                return try write(file, conversion, format, to: path)
            }
            var bytes: [UInt8] = []
            let result = try make(file, conversion, format) { bytes.append(contentsOf: $0) }
            // The first input to ask gets a name, so names are given in the order of the inputs.
            let whole = bytes
            return Outcome(finish: { write(whole, result, format, of: file) })
        } catch {
            return Outcome(failure: error)
        }
    }

    /// The conversion into a format that may be the input's, which has a quality or not.
    private func conversion(writing format: OutputFormat) -> PictureConversion {
        guard plan.location.namesFormat, case .coded(let format) = format else { return conversion }
        var conversion = conversion
        conversion.encoding = CoderRegistry.shared.qualityUsed(conversion.encoding, writing: format)
        return conversion
    }

    /// Makes the result of a file, or finds it in the cache.
    private func make(
        _ file: InputFile, _ conversion: PictureConversion, _ format: OutputFormat, _ sink: EncodedBytesSink
    ) throws(ImageError) -> PictureConversion.Result {
        guard let cache, let key = cache.key(file, format) else {
            return try conversion.run(.file(file), to: format, budget: budget, sink)
        }
        if let found = cache.find(key) {
            try found.bytes.withBytes { (bytes) throws(ImageError) in try sink(bytes) }
            return found.result
        }
        var bytes: [UInt8] = []
        func collecting(_ piece: Span<UInt8>) throws(ImageError) {
            bytes.append(contentsOf: piece)
            try sink(piece)
        }
        let result = try conversion.run(.file(file), to: format, budget: budget, collecting)
        cache.store(bytes, result, for: key)
        return result
    }

    /// Writes a result whose name is known as it is made.
    private func write(
        _ file: InputFile, _ conversion: PictureConversion, _ format: OutputFormat, to path: String
    ) throws(ImageError) -> Outcome {
        var outcome = Outcome()
        try protection.write(to: path, of: file.path, in: plan.location.folder(of: path)) {
            (output) throws(ImageError) in
            let result = try make(file, conversion, format) { (bytes) throws(ImageError) in try output.write(bytes) }
            outcome.warnings = result.warnings
            outcome.written = result.written(to: path, format)
        }
        return outcome
    }

    /// Writes a result whose name depends on its size.
    private func write(
        _ bytes: [UInt8], _ result: PictureConversion.Result, _ format: OutputFormat, of file: InputFile
    ) -> Outcome {
        let path = plan.path(for: file, size: result.size, format: format)
        if !plan.isContested(path, for: file, size: result.size), skipping.skips(file.path, path) {
            return Outcome(isSkipped: true)
        }
        do throws(ImageError) {
            try protection.write(bytes, to: path, of: file.path, in: plan.location.folder(of: path))
            return Outcome(warnings: result.warnings, written: result.written(to: path, format))
        } catch {
            return Outcome(warnings: result.warnings, failure: error)
        }
    }
}
