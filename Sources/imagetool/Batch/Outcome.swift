// What one file gave: text, remarks, a failure.

import ImageCodecs

/// What one file gave.
struct Outcome: Sendable {
    /// Text for standard output, without the last line break; empty for none.
    var output = ""
    /// Remarks for standard error that are no failures.
    var warnings: [String] = []
    /// What was written, if something was.
    var written: WrittenFile?
    /// Lines for standard error that were asked for.
    var remarks: [String] = []
    /// Why the file failed.
    var failure: ImageError?
    /// What is wrong with the file although the command did its work; makes it a failed one.
    var findings: [String] = []
    /// Whether there was nothing to do.
    var isSkipped = false
    /// What is left to do when it is this file's turn: names that depend on those before it are known then.
    var finish: (@Sendable () -> Outcome)?

    var isFailed: Bool { failure != nil || !findings.isEmpty }
}
