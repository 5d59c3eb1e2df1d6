// Names for the results of one run: none is given twice, whatever the inputs are called.

/// Gives out names, the same ones for the same inputs in the same order.
///
///     a/x.jpg   out/x.png          the name that was asked for
///     b/x.jpg   out/x.jpg.png      taken: with the extension of the input
///     c/x.jpg   out/x-2.png        taken too: with a number
struct OutputNames: Sendable {
    private var taken: Set<String> = []
    /// The number to try next, for each name that needed one.
    private var nextNumbers: [String: Int] = [:]

    /// Takes the name that was asked for, if nobody has it.
    mutating func take(_ path: String) -> Bool { taken.insert(Self.key(path)).inserted }

    /// A name like `path` that nobody has; that one itself where it is free.
    ///
    /// - Parameter inputName: the input's file name.
    mutating func uniqueName(for path: String, inputName: String) -> String {
        if take(path) { return path }
        let (head, suffix) = FilePath.splitPath(path)
        if let inputExtension = FilePath.splitExtension(inputName).fileExtension {
            let candidate = "\(head).\(inputExtension)\(suffix)"
            if take(candidate) { return candidate }
        }
        var number = nextNumbers[path] ?? 2
        while true {
            let candidate = "\(head)-\(number)\(suffix)"
            number += 1
            if take(candidate) {
                nextNumbers[path] = number
                return candidate
            }
        }
    }

    /// What is the same for two names of the same file: some file systems take capitals for small letters.
    private static func key(_ path: String) -> String {
        #if canImport(Darwin)
        path.lowercased()
        #else
        path
        #endif
    }
}
