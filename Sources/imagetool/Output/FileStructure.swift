// The parts of a file as a table for people and as JSON, the same for every format.

import ImageCodecs

/// The parts of one file.
struct FileStructure {
    let listing: FileListing

    /// The parts of the file at `path`; a file of another format is not read beyond its first bytes.
    init(fileAt path: String, limits: DecodingLimits) throws(ImageError) {
        var reader = try FileReader(path, maxByteCount: limits.maxInputByteCount)
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        let coder = try header.withSpan { (header) throws(ImageError) in
            try CoderRegistry.shared.listingCoder(for: header)
        }
        listing = try coder.listParts(of: reader.readToEnd(), limits: limits)
    }

    /// A line with the path and format, a line of column titles, a line for each part, and one for each remark about
    /// the whole file.
    func text(_ path: String) -> String {
        let words = listing.vocabulary
        var lines = ["\(path.replacingControlCharacters): \(listing.format.name)"]
        lines.append(
            row([("offset", 12), ("length", 12), (words.name, 12)] + listing.columns.map { ($0.title, 10) }, ""))
        lines += listing.parts.map(line)
        lines += listing.notes.filter { !$0.remark.isEmpty }.map { "  " + $0.remark }
        if listing.trailingByteCount > 0 {
            lines.append("  \(listing.trailingByteCount) bytes behind the last \(words.part)")
        }
        if listing.isCut { lines.append("  more \(words.part)s are not listed") }
        return lines.joined(separator: "\n")
    }

    private func line(_ part: FileListing.Part) -> String {
        let columns = listing.columns.map { column in
            (text: part.facts.first { $0.key == column.key }?.value.words ?? "", width: 10)
        }
        let remarks = [part.damage ?? "", part.summary] + part.facts.map(\.remark)
        return row(
            [("\(part.offset)", 12), (part.byteCount.map(String.init) ?? "", 12), (part.name, 12)] + columns,
            remarks.filter { !$0.isEmpty }.joined(separator: "; "))
    }

    /// Columns of fixed width and a last one of any, indented, without blanks at the end.
    private func row(_ columns: [(text: String, width: Int)], _ last: String) -> String {
        var line = "  " + columns.map { $0.text.padded(to: $0.width) }.joined() + last.replacingControlCharacters
        while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
        return line
    }

    /// An object with the parts under the format's name for them.
    func json(_ path: String) -> JSONValue {
        let parts = listing.parts.map { part in
            JSONValue.object(
                [
                    ("offset", .integer(part.offset)), ("length", .optional(part.byteCount)),
                    (listing.vocabulary.name, .string(part.name)),
                ] + part.facts.map(\.member) + [
                    ("isSound", .bool(part.damage == nil)), ("summary", .string(part.summary)),
                ])
        }
        return .object(
            [
                ("path", .string(path)), ("format", .string(listing.format.shortName)),
                (listing.vocabulary.part + "s", .array(parts)),
            ] + listing.notes.map(\.member) + [
                ("trailingByteCount", .integer(listing.trailingByteCount)), ("isCut", .bool(listing.isCut)),
            ])
    }
}

extension FileListing.Fact {
    fileprivate var member: (key: String, value: JSONValue) {
        switch value {
        case .count(let count): (key, .integer(count))
        case .checksum(let checksum): (key, .string(checksum.hexadecimal(digits: 8)))
        case .missing: (key, .null)
        }
    }
}

extension FileListing.Fact.Value {
    /// What stands in a column.
    fileprivate var words: String {
        switch self {
        case .count(let count): String(count)
        case .checksum(let checksum): checksum.hexadecimal(digits: 8)
        case .missing: "missing"
        }
    }
}
