// The files of a command line: named, in folders, or in a list.

import ArgumentParser
import ImageCodecs

/// Which files a command works on.
struct InputArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Image files; - is standard input, and so is nothing if that is a file or a pipe.", valueName: "files"))
    var names: [String] = []

    @Flag(name: [.short, .long], help: "Take the image files of folders, by their extensions.")
    var recursive = false

    @Option(
        name: .customLong("files0-from"),
        help: ArgumentHelp(
            "Read more file names from this file (- is standard input), a zero byte after each, as find -print0 writes.",
            valueName: "file"))
    var files0From: String?

    /// What was named, or standard input if nothing was and something comes from there.
    var files: [String] {
        names.isEmpty && files0From == nil && StandardInput.isRedirected ? ["-"] : names
    }

    /// Whether standard input is all there is.
    var isStandardInput: Bool { files == ["-"] && files0From == nil }

    func validate() throws {
        if files.isEmpty, files0From == nil { throw ValidationError("no input: name files, or use --files0-from") }
        if files.filter({ $0 == "-" }).count > 1 { throw ValidationError("standard input can be read only once") }
        if files.contains("-"), files0From == "-" {
            throw ValidationError("standard input is the list of files already; it cannot be an image too")
        }
    }

    /// Whether there may be several files, so that results go to a folder.
    var mayBeMany: Bool {
        files.count > 1 || files0From != nil || (recursive && files.contains { FileDetails.isFolder($0) })
    }

    /// Every file in order: those of the command line, folders replaced by what is in them, then those of the list.
    ///
    /// - Parameter outputFolder: a folder that no file is taken from.
    /// - Throws: `ValidationError` when the list cannot be read, or names standard input.
    func resolved(outputFolder: String? = nil) throws -> [InputFile] {
        var names = files
        if let files0From { names += try FileNameList.read(files0From) }
        let walk = FolderWalk(excluding: outputFolder)
        var result = names.flatMap { name in
            recursive && FileDetails.isFolder(name) ? walk.files(below: name) : [InputFile(path: name)]
        }
        for index in result.indices { result[index].index = index }
        return result
    }
}
