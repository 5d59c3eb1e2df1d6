// Which result goes where: worked out before anything is written, as far as names do not depend on sizes.

import ArgumentParser
import ImageCodecs
import Synchronization

/// The formats and places of the results of one run.
final class OutputPlan: Sendable {
    let location: OutputLocation
    let inputs: [InputFile]
    private let format: OutputFormat?
    /// Of each input, by its index; empty where names tell sizes.
    private let paths: [String]
    /// Names given out since.
    private let names = Mutex(OutputNames())

    /// - Parameters:
    ///   - format: that of all results; `nil` where each has that of its input's extension.
    init(_ location: OutputLocation, format: OutputFormat?, inputs: [InputFile]) {
        self.location = location
        self.format = format
        self.inputs = inputs
        paths = location.namesSize ? [] : Self.paths(location, format, inputs)
    }

    /// First everybody gets the name that was asked for who is the first to ask; then the others get theirs.
    private static func paths(
        _ location: OutputLocation, _ format: OutputFormat?, _ inputs: [InputFile]
    ) -> [String] {
        var names = OutputNames()
        var paths = inputs.map { input in
            let inputExtension = FilePath.splitExtension(input.name).fileExtension ?? ""
            let format = format ?? OutputFormat(name: inputExtension)
            return location.path(for: input, fileExtension: format?.fileExtension ?? "", size: nil)
        }
        let others = paths.indices.filter { !names.take(paths[$0]) }
        for index in others {
            paths[index] = names.uniqueName(for: paths[index], inputName: inputs[index].name)
        }
        return paths
    }

    /// The paths that are known.
    var knownPaths: [String] { paths }

    /// Where the result of `input` goes; `nil` when that is known only with its size.
    func knownPath(for input: InputFile) -> String? { paths.isEmpty ? nil : paths[input.index] }

    /// Where the result of `input` goes. Names that tell sizes are given to those who ask first.
    func path(for input: InputFile, size: PixelSize, format: OutputFormat) -> String {
        if let path = knownPath(for: input) { return path }
        let path = location.path(for: input, fileExtension: format.fileExtension, size: size)
        return names.withLock { $0.uniqueName(for: path, inputName: input.name) }
    }

    /// The format of the result of `input`.
    ///
    /// - Throws: `invalidArgument` when it would be that of the input's extension, and nothing writes that.
    func format(for input: InputFile) throws(ImageError) -> OutputFormat {
        if let format { return format }
        let promised = FilePath.splitExtension(input.name).fileExtension ?? ""
        guard let format = OutputFormat(name: promised) else {
            throw .invalidArgument(OutputFormat.refusal(of: promised) + "; --format names what to write")
        }
        return format
    }
}
