// The parts of a file as a table for people and as JSON, the same for every format.

import ImageCodecs
import ImageColor
import ImageInspection

/// The parts of one file, what is wrong with them, and their other properties.
struct FileStructure {
    /// The whole file.
    let data: ImageData
    let listing: FileListing
    let findings: StructureFindings
    private let texts: PartTexts
    private let ratio: CompressionRatio?
    /// Those of the colour profile, if there is one.
    private let profileTags: [ICCProfileTag]

    /// Parts after these are not listed.
    private static let maxPartCount = 10_000
    /// What a part takes at most in the listing, as text and as JSON together.
    private static let partByteCount = 4096

    /// Bytes that reading a file and telling its parts take at most.
    static func estimatedByteCount(_ path: String) -> Int {
        let byteCount = path == "-" ? 0 : FileStatus(ofFileAt: path)?.byteCount ?? 0
        // The smallest part has two bytes.
        let partCount = min(maxPartCount, byteCount / 2)
        return byteCount.addingSaturated(partCount * partByteCount)
    }

    /// The parts of a file; one of another format is not read beyond its first bytes.
    init(_ file: InputFile, limits: DecodingLimits) throws(ImageError) {
        if let problem = file.problem { throw problem }
        var reader = try FileReader(file.path, maxByteCount: limits.maxInputByteCount)
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        if header.isEmpty, file.path == "-" { StandardInput.recordThatItIsEmpty() }
        // A file of another format is not read beyond its first bytes.
        _ = try header.withSpan { (header) throws(ImageError) in try FileListing.format(of: header) }
        data = try reader.readToEnd()
        var bounded = limits
        bounded.maxMemoryByteCount = min(
            bounded.maxMemoryByteCount, FileListing.memoryByteCount(partCount: Self.maxPartCount))
        listing = try FileListing(of: data, limits: bounded)
        findings = StructureFindings(listing, data)
        texts = PartTexts(listing, data, limits: limits)
        ratio = CompressionRatio(listing, data)
        var options = DecodingOptions()
        options.limits = limits
        let profile = (try? ImageInfo(data, options: options))?.metadata.iccProfile
        profileTags = profile.map { ICCProfileTag.list(in: $0) } ?? []
    }

    /// The text that a part holds, cut to a few words.
    func textOfPart(_ index: Int) -> String? { texts.texts[index] }

    /// A line with the path and format, a line of column titles, a line for each part, and one for each remark about
    /// the whole file.
    func text(_ path: String) -> String {
        let words = listing.vocabulary
        var lines = ["\(path.replacingControlCharacters): \(listing.format.name)"]
        lines.append(
            row([("offset", 12), ("length", 12), (words.name, 12)] + listing.columns.map { ($0.title, 10) }, ""))
        lines += zip(0..., listing.parts).map { line($1, text: texts.texts[$0]) }
        lines += listing.notes.filter { !$0.remark.isEmpty }.map { "  " + $0.remark }
        if listing.trailingByteCount > 0 {
            lines.append("  \(listing.trailingByteCount.counted("byte")) after the last \(words.part)")
        }
        lines += profileTags.map {
            "  profile tag \($0.name), type \($0.type), \($0.byteCount.counted("byte"))".replacingControlCharacters
        }
        if listing.isCut { lines.append("  more \(words.part)s are not listed") }
        if let ratio { lines.append("  " + ratio.text) }
        return lines.joined(separator: "\n")
    }

    /// Whether the file ends within a part.
    private var isCut: Bool { listing.parts.contains { $0.damage == "cut off" } }

    private func line(_ part: FileListing.Part, text: String?) -> String {
        let columns = listing.columns.map { column in
            (text: part.details.first { $0.key == column.key }?.value.words ?? "", width: 10)
        }
        // A text says all that a summary of the same part would.
        let summary = text.map { part.summary.isEmpty || $0.hasPrefix(part.summary) ? $0 : "\(part.summary): \($0)" }
        let remarks = [part.damage ?? "", summary ?? part.summary] + part.details.map(\.remark)
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
    ///
    /// - Parameter map: how the file is coded, if that is asked for.
    func json(_ path: String, _ map: FileMap? = nil) -> JSONValue {
        let parts = zip(0..., listing.parts).map { index, part in
            JSONValue.object(
                [
                    ("offset", .integer(part.offset)), ("length", .optional(part.byteCount)),
                    (listing.vocabulary.name, .string(part.name)),
                ] + part.details.map(\.member) + [
                    ("isSound", .bool(part.damage == nil)), ("summary", .string(part.summary)),
                ] + (texts.texts[index].map { [("text", .string($0))] } ?? []))
        }
        return .object(
            [
                ("path", .string(path)), ("format", .string(listing.format.shortName)),
                (listing.vocabulary.part + "s", .array(parts)),
            ] + listing.notes.map(\.member) + [
                ("trailingByteCount", .integer(listing.trailingByteCount)), ("isCut", .bool(isCut)),
                ("isListedWhole", .bool(!listing.isCut)),
                ("findings", .array(findings.allLines.map { .string($0) })), ("compression", ratio?.json ?? .null),
                (
                    "profileTags",
                    .array(
                        profileTags.map {
                            .object([
                                ("tag", .string($0.name)), ("type", .string($0.type)), ("offset", .integer($0.offset)),
                                ("byteCount", .integer($0.byteCount)),
                            ])
                        })
                ),
            ] + (map.map { [("coding", $0.json)] } ?? []))
    }
}

extension FileListing.Detail {
    fileprivate var member: (key: String, value: JSONValue) {
        switch value {
        case .count(let count): (key, .integer(count))
        case .checksum(let checksum): (key, .string(checksum.hexadecimal(digits: 8)))
        case .flag(let flag): (key, .bool(flag))
        case .missing: (key, .null)
        }
    }
}

extension FileListing.Detail.Value {
    /// What stands in a column.
    fileprivate var words: String {
        switch self {
        case .count(let count): String(count)
        case .checksum(let checksum): checksum.hexadecimal(digits: 8)
        case .flag(let flag): flag ? "yes" : "no"
        case .missing: "missing"
        }
    }
}

extension CompressionRatio {
    private var ratio: Double { Double(rawByteCount) / Double(codedByteCount) }

    fileprivate var text: String {
        "\(rawByteCount) bytes of samples in \(codedByteCount) bytes, \(ratio.fixed(2)) : 1"
    }

    fileprivate var json: JSONValue {
        .object([
            ("rawByteCount", .integer(rawByteCount)), ("codedByteCount", .integer(codedByteCount)),
            ("ratio", .decimal(ratio, places: 2)),
        ])
    }
}
