// Which result goes where: worked out before anything is written, as far as names do not depend on sizes.

import ArgumentParser
import ImageCodecs
import Synchronization

/// The formats and places of the results of one run.
final class OutputFilePlan: Sendable {
    let location: OutputLocation
    let inputs: [InputFile]
    /// That of the result of each input, by its index; `nil` if it has the extension of the input, and nothing writes that.
    private let formats: [OutputFormat?]
    /// What the result of each input would be called if it were the only one, sizes taken for equal if names state them.
    private let wanted: [String]
    /// Of each input, by its index, whether another input asked for the same name.
    private let areContested: [Bool]
    /// Of each input, by its index; empty if names state sizes.
    private let paths: [String]
    /// Names given out since.
    private let names: Mutex<OutputNames>

    /// - Parameters:
    ///   - protection: watches over the inputs.
    ///   - format: that of the result of an input; `nil` if nothing writes that of its extension, which it is to have.
    init(
        _ location: OutputLocation, inputs: [InputFile], protection: InputProtection,
        format: (InputFile) -> OutputFormat?
    ) {
        self.location = location
        self.inputs = inputs
        formats = inputs.map(format)
        wanted = zip(inputs, formats).map { Self.wantedPath(location, $1, $0, size: nil) }
        areContested = OutputNames.areContested(wanted)
        paths = location.namesSize ? [] : Self.paths(wanted, inputs, protection)
        names = Mutex(OutputNames(protection))
    }

    /// What the result of `input` would be called if it were the only one.
    private static func wantedPath(
        _ location: OutputLocation, _ format: OutputFormat?, _ input: InputFile, size: PixelSize?
    ) -> String {
        location.path(for: input, fileExtension: format?.fileExtension ?? "", size: size)
    }

    /// Each wanted name goes to the first input that asks for it; after that the other inputs get names of their own.
    private static func paths(_ wanted: [String], _ inputs: [InputFile], _ protection: InputProtection) -> [String] {
        var names = OutputNames(protection)
        var paths = wanted
        let others = paths.indices.filter { !names.claim(paths[$0], for: inputs[$0]) }
        for index in others { paths[index] = names.uniqueName(for: paths[index], of: inputs[index]) }
        return paths
    }

    /// The paths that are known, each with its input.
    var knownPaths: [(path: String, input: String?)] { zip(paths, inputs).map { ($0, $1.path) } }

    /// Whether the result of `input` went to `path` because of other inputs: another run may have given that name to
    /// another picture. Sizes that are not known are taken for equal.
    func isContested(_ path: String, for input: InputFile, size: PixelSize? = nil) -> Bool {
        if areContested[input.index] { return true }
        let own = size.map { Self.wantedPath(location, formats[input.index], input, size: $0) } ?? wanted[input.index]
        return own != path
    }

    /// Where the result of `input` goes; `nil` when that is known only with its size.
    func knownPath(for input: InputFile) -> String? { paths.isEmpty ? nil : paths[input.index] }

    /// Where the result of `input` goes. Names that state sizes go to those that ask first.
    func path(for input: InputFile, size: PixelSize, format: OutputFormat) -> String {
        if let path = knownPath(for: input) { return path }
        let path = location.path(for: input, fileExtension: format.fileExtension, size: size)
        return names.withLock { $0.uniqueName(for: path, of: input) }
    }

    /// The format of the result of `input`.
    ///
    /// - Throws: `invalidArgument` when it would be that of the input's extension, and nothing writes that.
    func format(for input: InputFile) throws(ImageError) -> OutputFormat {
        guard let format = formats[input.index] else {
            let promised = FilePath.splitExtension(input.name).fileExtension ?? ""
            throw .invalidArgument(OutputFormat.refusal(of: promised) + "; --format names what to write")
        }
        return format
    }
}
