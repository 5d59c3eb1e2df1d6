// The parts of a file as a table for people and as JSON.

import ImageCodecs
import JPEGBaseline
import PNG

/// The parts of one file.
enum FileStructure {
    case png(PNGChunkListing)
    case jpeg(JPEGMarkerListing)

    /// The parts of the file at `path`; a file of another format is not read beyond its first bytes.
    static func list(fileAt path: String, limits: DecodingLimits) throws(ImageError) -> FileStructure {
        var reader = try FileReader(path, maxByteCount: limits.maxInputByteCount)
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        switch ImageFormat.sniff(header.span) {
        case .format(.png): return .png(try PNGChunkListing(reader.readToEnd()))
        case .format(.jpeg): return .jpeg(try JPEGMarkerListing(reader.readToEnd()))
        case .format(let format): throw .unsupported(format, feature: "listing its parts")
        case .unknown, .needsMoreBytes: throw .unknownFormat
        }
    }

    /// A line with the path and format, a line of column titles, and a line for each part.
    func text(_ path: String) -> String {
        let lines =
            switch self {
            case .png(let listing): ["\(path): PNG"] + listing.textLines
            case .jpeg(let listing): ["\(path): JPEG"] + listing.textLines
            }
        return lines.joined(separator: "\n")
    }

    func json(_ path: String) -> JSONValue {
        switch self {
        case .png(let listing): .object([("path", .string(path)), ("format", .string("png"))] + listing.members)
        case .jpeg(let listing): .object([("path", .string(path)), ("format", .string("jpeg"))] + listing.members)
        }
    }

    /// Columns of fixed width and a last one of any, indented, without blanks at the end.
    fileprivate static func row(_ columns: [(text: String, width: Int)], _ last: String) -> String {
        let line = "  " + columns.map { $0.text.padded(to: $0.width) }.joined() + last.replacingControlCharacters
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension PNGChunkListing {
    fileprivate var textLines: [String] {
        var lines = [FileStructure.row([("offset", 12), ("length", 12), ("type", 12)], "CRC")]
        for chunk in chunks {
            let checksum = chunk.checksum?.hexadecimal(digits: 8) ?? "missing"
            let mark = chunk.isSound || chunk.checksum == nil ? "" : "wrong"
            lines.append(
                FileStructure.row(
                    [("\(chunk.offset)", 12), ("\(chunk.byteCount)", 12), (chunk.type, 12), (checksum, 10)],
                    [mark, chunk.summary].filter { !$0.isEmpty }.joined(separator: ", ")))
        }
        if trailingByteCount > 0 { lines.append("  \(trailingByteCount) bytes behind the last chunk") }
        if isCut { lines.append("  more chunks are not listed") }
        return lines
    }

    fileprivate var members: [(key: String, value: JSONValue)] {
        let parts = chunks.map { chunk in
            JSONValue.object([
                ("offset", .integer(chunk.offset)), ("length", .integer(chunk.byteCount)),
                ("type", .string(chunk.type)),
                ("crc", chunk.checksum.map { .string($0.hexadecimal(digits: 8)) } ?? .null),
                ("isSound", .bool(chunk.isSound)), ("summary", .string(chunk.summary)),
            ])
        }
        return [("chunks", .array(parts)), ("trailingByteCount", .integer(trailingByteCount))]
    }
}

extension JPEGMarkerListing {
    fileprivate var textLines: [String] {
        var lines = [FileStructure.row([("offset", 12), ("length", 12), ("marker", 0)], "")]
        for segment in segments {
            var remarks = segment.isWhole ? [] : ["cut off"]
            if !segment.summary.isEmpty { remarks.append(segment.summary) }
            if segment.codedByteCount > 0 { remarks.append("\(segment.codedByteCount) bytes of coded data") }
            if segment.restartCount > 0 { remarks.append("\(segment.restartCount) restart markers") }
            lines.append(
                FileStructure.row(
                    [("\(segment.offset)", 12), (segment.byteCount.map(String.init) ?? "", 12), (segment.name, 12)],
                    remarks.joined(separator: "; ")))
        }
        if strayByteCount > 0 { lines.append("  \(strayByteCount) bytes between segments belong to none") }
        if trailingByteCount > 0 { lines.append("  \(trailingByteCount) bytes behind the last segment") }
        if isCut { lines.append("  more segments are not listed") }
        return lines
    }

    fileprivate var members: [(key: String, value: JSONValue)] {
        let parts = segments.map { segment in
            JSONValue.object([
                ("offset", .integer(segment.offset)), ("length", .optional(segment.byteCount)),
                ("marker", .string(segment.name)), ("isWhole", .bool(segment.isWhole)),
                ("codedByteCount", .integer(segment.codedByteCount)),
                ("restartCount", .integer(segment.restartCount)), ("summary", .string(segment.summary)),
            ])
        }
        return [
            ("segments", .array(parts)), ("strayByteCount", .integer(strayByteCount)),
            ("trailingByteCount", .integer(trailingByteCount)),
        ]
    }
}
