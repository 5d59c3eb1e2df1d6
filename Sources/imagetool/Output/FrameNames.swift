// Names for the frames of all inputs of a run, with a number for each frame.

/// Where the frames of each input go: to `BASE.INDEX.EXTENSION`, the bases different from each other.
///
/// Numbers may have as many digits as the last frame's, so that names sort as frames do: `cat.07.png` of 12 frames.
struct FrameNames: Sendable {
    /// Of each input, by its index.
    private let bases: [String]
    /// Of each input, whether they are called as they are because of other inputs.
    private let areContested: [Bool]
    private let fileExtension: String

    /// - Parameter base: what stands before `.INDEX.EXTENSION` if no other input asks for the same.
    init(_ inputs: [InputFile], fileExtension: String, base: (InputFile) -> String) {
        self.fileExtension = fileExtension
        // Frames go to other files than their inputs do, which are looked at when they are written.
        var names = OutputNames(InputProtection([]))
        let wanted = inputs.map(base)
        // The names have dots of their own, which are no extensions.
        let bases = zip(wanted, inputs).map { String(names.uniqueName(for: $0 + ".x", of: $1).dropLast(2)) }
        areContested = zip(OutputNames.areContested(wanted), zip(wanted, bases)).map { $0 || $1.0 != $1.1 }
        self.bases = bases
    }

    /// - Parameter count: how many frames the input has; 1 pads no number.
    func path(of input: InputFile, index: Int, count: Int = 1) -> String {
        let digitCount = String(max(0, count - 1)).utf8.count
        let digits = String(index)
        let padding = String(repeating: "0", count: max(0, digitCount - digits.utf8.count))
        return "\(bases[input.index]).\(padding)\(digits).\(fileExtension)"
    }

    /// Whether the frames of `input` are called as they are because of other inputs.
    func isContested(_ input: InputFile) -> Bool { areContested[input.index] }
}
