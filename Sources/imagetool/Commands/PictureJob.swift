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

    @Sendable func run(_ file: InputFile) -> Outcome {
        if file.problem == nil, let path = plan.knownPath(for: file), !plan.isContested(path, for: file),
            skipping.skips(file.path, path)
        {
            return Outcome(isSkipped: true)
        }
        do throws(ImageError) {
            let format = try plan.format(for: file)
            let input = try InputPicture(file, options: conversion.decoding, reduction: conversion.reduction)
            let result = try conversion.run(input, to: format, budget: budget)
            let warnings = conversion.warnings(about: input, result)
            if plan.location.namesSize {
                // The first input to ask gets a name, so names are given in the order of the inputs.
                return Outcome(finish: { write(result, format, of: file, warnings) })
            }
            return write(result, format, of: file, warnings)
        } catch {
            return Outcome(failure: error)
        }
    }

    private func write(
        _ result: PictureConversion.Result, _ format: OutputFormat, of file: InputFile, _ warnings: [String]
    ) -> Outcome {
        let path = plan.path(for: file, size: result.size, format: format)
        if !plan.isContested(path, for: file, size: result.size), skipping.skips(file.path, path) {
            return Outcome(isSkipped: true)
        }
        do throws(ImageError) {
            try protection.write(result.bytes, to: path, of: file.path, in: plan.location.folder(of: path))
            return Outcome(warnings: warnings)
        } catch {
            return Outcome(warnings: warnings, failure: error)
        }
    }
}
