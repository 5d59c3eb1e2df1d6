// Names of files in a file, a zero byte after each.

import ArgumentParser
import ImageCodecs

/// Reads the lists that `find -print0`, `git ls-files -z` and others write.
enum FileNameList {
    /// More bytes than this are no list of names.
    private static let maxByteCount = 1 << 28

    /// The names in the file at `path`; `-` is standard input. Empty names are passed over.
    static func read(_ path: String) throws -> [String] {
        let bytes: [UInt8]
        do throws(ImageError) {
            var reader = try FileReader(path, maxByteCount: maxByteCount)
            bytes = try reader.readToEnd().withBytes { Array($0) }
        } catch {
            throw ValidationError("--files0-from \(path): \(error.message(for: path))".replacingControlCharacters)
        }
        let names = bytes.split(separator: 0).map { SystemPath.text(Array($0)) }
        if path == "-", names.contains("-") {
            throw ValidationError("standard input is the list of files already; it cannot be an image too")
        }
        if names.count == 1, names[0].contains("\n") {
            throw ValidationError("--files0-from wants a zero byte after each name, not a line break (find -print0)")
        }
        return names
    }
}
