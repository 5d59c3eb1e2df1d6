// Paths as text: their last part, its extension, the folder.

/// What is done with paths before anything is opened.
enum FilePath {
    /// The last part of a path; `stdin` for standard input.
    static func name(_ path: String) -> String {
        path == "-" ? "stdin" : path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The last part of a path without its extension.
    static func stem(_ path: String) -> String { splitExtension(name(path)).stem }

    /// A file name before and after its last dot; a leading dot is part of the stem.
    static func splitExtension(_ name: String) -> (stem: String, fileExtension: String?) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, nil) }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }

    /// A file in a folder; that of an empty folder is the name alone.
    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// What stands before the last part, without the slash after it; `nil` for a name alone.
    static func folder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path before its extension, and the extension with its dot.
    static func splitPath(_ path: String) -> (head: String, suffix: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[start...].lastIndex(of: "."), dot != start else { return (path, "") }
        return (String(path[..<dot]), String(path[dot...]))
    }
}
