// What the chunks of a WebP file say about how it was written.

import ImageCodecs
import ImageInspection

/// The chunks of one file, and how its first picture is coded.
struct WebPCodingReport: Sendable {
    /// Names of chunks, each with how many of it follow each other.
    private var runs: [(name: String, count: Int)] = []
    /// Whether the file goes on after what was looked at.
    private var isCut = false
    /// What the first picture's chunk is described as.
    private var picture: FileListing.Part?

    /// Bytes looked at: profiles stand before the picture.
    private static let headByteCount = 1 << 22
    /// Runs that are listed.
    private static let maxRunCount = 24

    /// Looks ahead in a file; `nil` for other formats.
    ///
    /// - Parameter limits: of which time counts.
    init?(ahead reader: inout FileReader, limits: DecodingLimits) throws(ImageError) {
        let start = try reader.peek(ImageFormat.sniffingByteCount)
        guard start.withSpan({ ImageFormat(sniffing: $0) }) == .webP else { return nil }
        let head = try reader.peek(Self.headByteCount)
        // What is wrong with the file is reported by its inspection.
        guard let listing = try? FileListing(of: ImageData(head), limits: limits)
        else { return nil }
        for part in listing.parts.dropFirst() { record(part) }
        isCut = isCut || listing.isCut || head.count == Self.headByteCount
    }

    private mutating func record(_ part: FileListing.Part) {
        if picture == nil, part.name == "VP8L" || part.name == "VP8 " { picture = part }
        // Chunks of a frame take turns with the heads of frames; those of one name are listed together.
        if let index = runs.firstIndex(where: { $0.name == part.name }) {
            runs[index].count += 1
        } else if runs.count < Self.maxRunCount {
            runs.append((part.name, 1))
        } else {
            isCut = true
        }
    }

    /// Names as people write them.
    private var chunkWords: String {
        let words = runs.map { run in
            let name = run.name.last == " " ? String(run.name.dropLast()) : run.name
            return run.count == 1 ? name : "\(run.count) \(name)"
        }
        return (words + (isCut ? ["..."] : [])).joined(separator: ", ")
    }

    var textLines: [(name: String, value: String)] {
        var lines = [("chunks", chunkWords)]
        if let picture {
            // After the size, which is printed already.
            let words = picture.summary.split(separator: ";", maxSplits: 1).last.map(String.init) ?? ""
            let kind = picture.name == "VP8L" ? "lossless" : "lossy"
            lines.append(("coding", kind + (words == picture.summary ? "" : ":" + words)))
        }
        return lines
    }

    var members: [(key: String, value: JSONValue)] {
        let details = (picture?.details ?? []).compactMap { detail -> (key: String, value: JSONValue)? in
            guard case .count(let count) = detail.value else { return nil }
            return (detail.key, .integer(count))
        }
        return [
            (
                "chunks",
                .array(runs.map { .object([("type", .string($0.name)), ("count", .integer($0.count))]) })
            ),
            ("isLossless", picture.map { .bool($0.name == "VP8L") } ?? .null), ("coding", .object(details)),
        ]
    }
}
