// Names for the results of one run: none is given twice, whatever the inputs are called.

/// Gives out names, the same ones for the same inputs in the same order.
///
///     a/x.jpg   out/x.png          the name that was asked for
///     b/x.jpg   out/x.jpg.png      taken: with the extension of the input
///     c/x.jpg   out/x-2.png        taken too: with a number
struct OutputNames: Sendable {
    /// Watches over inputs, which are nobody's names but their own.
    private let protection: InputProtection
    private var taken: Set<String> = []
    /// The number to try next, for each name that needed one.
    private var nextNumbers: [String: Int] = [:]

    init(_ protection: InputProtection) { self.protection = protection }

    /// Takes the name that was asked for, if nobody has it and it is not the file of another input.
    mutating func claim(_ path: String, for input: InputFile) -> Bool {
        !protection.belongsToAnother(path, than: input.path) && taken.insert(Self.key(path)).inserted
    }

    /// A name like `path` that nobody has; that one itself if it is free.
    mutating func uniqueName(for path: String, of input: InputFile) -> String {
        if claim(path, for: input) { return path }
        let (head, suffix) = FilePath.splitPath(path)
        if let inputExtension = FilePath.splitExtension(input.name).fileExtension {
            let candidate = "\(head).\(inputExtension)\(suffix)"
            if claim(candidate, for: input) { return candidate }
        }
        var number = nextNumbers[path] ?? 2
        while true {
            let candidate = "\(head)-\(number)\(suffix)"
            number += 1
            if claim(candidate, for: input) {
                nextNumbers[path] = number
                return candidate
            }
        }
    }

    /// Of each path, whether another of `paths` names the same file.
    static func areContested(_ paths: [String]) -> [Bool] {
        let keys = paths.map(key)
        var counts: [String: Int] = [:]
        for key in keys { counts[key, default: 0] += 1 }
        return keys.map { counts[$0, default: 0] > 1 }
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
