// One file of a run, and where below a folder it was found.

import ImageCodecs

/// A file to work on.
struct InputFile: Sendable {
    /// How it is opened and named in messages; `-` is standard input.
    let path: String
    /// Its place below the folder that was given, without slashes at either end; empty for files that were given
    /// themselves.
    var folder = ""
    /// Why it cannot be worked on: a folder that cannot be listed.
    var problem: ImageError?
    /// Its number in the run, from 0.
    var index = 0

    /// The last part of the path; `stdin` for standard input.
    var name: String { FilePath.name(path) }
}
