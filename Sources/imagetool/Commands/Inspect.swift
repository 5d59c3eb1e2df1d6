// imagetool inspect: the structure of a file, for people who study or repair formats.

import ArgumentParser
import ImageCodecs
import PNG

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the parts a file consists of, also of damaged ones.",
        discussion: """
            PNG: one line for each chunk with offset, length, type, checksum and what the chunk says. A wrong \
            or missing checksum is marked. Damage is no failure here: the listing says what is there.

            EXAMPLES:
              imagetool inspect photo.png
              imagetool inspect --json photo.png
            """)

    @OptionGroup var input: InputArguments

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var batch: BatchArguments

    func run() throws {
        let printsJSON = json
        try batch.run(input.files) { path in
            do throws(ImageError) {
                let structure = try FileStructure(ImageData(contentsOfFile: path))
                return Outcome(output: printsJSON ? structure.json(path).text : structure.text(path))
            } catch {
                return Outcome(output: printsJSON ? error.json(for: path).text : "", failure: error)
            }
        }
    }
}

/// The parts of one file.
private struct FileStructure {
    private let format: ImageFormat
    private let listing: PNGChunkListing

    init(_ data: ImageData) throws(ImageError) {
        let sniffed = data.withBytes { ImageFormat.sniff($0.extracting(first: ImageFormat.sniffingByteCount)) }
        guard case .format(let format) = sniffed else { throw .unknownFormat }
        guard format == .png else { throw .unsupported(format, feature: "listing its parts") }
        self.format = format
        listing = try PNGChunkListing(data)
    }

    func text(_ path: String) -> String {
        var lines = [path + ": \(format.name)", Self.row("offset", "length", "type", "CRC", "")]
        for chunk in listing.chunks {
            let checksum = chunk.checksum?.hexadecimal(digits: 8) ?? "missing"
            let mark = chunk.isSound || chunk.checksum == nil ? "" : "wrong"
            let remark = [mark, chunk.summary].filter { !$0.isEmpty }.joined(separator: ", ")
            lines.append(
                Self.row(
                    String(chunk.offset), String(chunk.byteCount), chunk.type, checksum,
                    remark.replacingControlCharacters))
        }
        if listing.trailingByteCount > 0 { lines.append("  \(listing.trailingByteCount) bytes behind the last chunk") }
        if listing.isCut { lines.append("  more chunks are not listed") }
        return lines.joined(separator: "\n")
    }

    private static func row(
        _ offset: String, _ length: String, _ type: String, _ checksum: String, _ remark: String
    ) -> String {
        let line =
            "  " + offset.padded(to: 12) + length.padded(to: 12) + type.padded(to: 12) + checksum.padded(to: 10)
            + remark
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    func json(_ path: String) -> JSONValue {
        let chunks = listing.chunks.map { chunk in
            JSONValue.object([
                ("offset", .integer(chunk.offset)), ("length", .integer(chunk.byteCount)),
                ("type", .string(chunk.type)),
                ("crc", chunk.checksum.map { .string($0.hexadecimal(digits: 8)) } ?? .null),
                ("isSound", .bool(chunk.isSound)), ("summary", .string(chunk.summary)),
            ])
        }
        return .object([
            ("path", .string(path)), ("format", .string(format.shortName)), ("chunks", .array(chunks)),
            ("trailingByteCount", .integer(listing.trailingByteCount)),
        ])
    }
}
