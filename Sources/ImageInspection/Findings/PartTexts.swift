// The texts in a file, by the part they are in: a bounded number of them, and of the characters of each.

package import ImageCodecsCore

/// Texts of parts, for people.
package struct PartTexts: Sendable {
    /// By the number of the part.
    package private(set) var texts: [Int: String] = [:]

    /// Texts after these are not shown.
    private static let maxCount = 1000
    /// Characters of a text that are shown.
    private static let maxLength = 200
    /// Bytes of which those are taken.
    private static let maxByteCount = 4 * maxLength

    /// - Parameters:
    ///   - data: the file that `listing` is of.
    ///   - limits: bound what compressed texts are unpacked to.
    package init(_ listing: FileListing, _ data: ImageData, limits: DecodingLimits) {
        // Both have the same chunks.
        let format = listing.format == .apng ? .png : listing.format
        for (index, part) in listing.parts.enumerated() where texts.count < Self.maxCount && part.damage != "cut off" {
            let text: String?
            switch (format, part.name) {
            case (.png, "tEXt"): text = Self.plain(part, data)
            case (.png, "iTXt") where Self.isCompressed(part, data) == false: text = Self.international(part, data)
            case (.png, "zTXt"), (.png, "iTXt"):
                text = part.damage == nil ? CompressedText.text(of: part, data, limits: limits) : nil
            case (.jpeg, "COM"): text = Self.body(part, data, behind: 4).map { Self.decoded($0) }
            default: text = nil
            }
            if let text, !text.isEmpty { texts[index] = Self.cut(text) }
        }
    }

    /// The first bytes of a part's body.
    private static func body(_ part: FileListing.Part, _ data: ImageData, behind header: Int) -> [UInt8]? {
        let start = part.offset + header
        let count = min(part.byteCount ?? 0, 79 + 2 + 3 * maxByteCount, max(0, data.count - start))
        return data.bytes(start..<start + count)
    }

    /// Keyword, zero byte, Latin-1 text.
    private static func plain(_ part: FileListing.Part, _ data: ImageData) -> String? {
        guard let body = body(part, data, behind: 8), let end = body.firstIndex(of: 0) else { return nil }
        return latin1(body[(end + 1)...])
    }

    /// Whether the text of an iTXt chunk is compressed; `nil` if there is none.
    private static func isCompressed(_ part: FileListing.Part, _ data: ImageData) -> Bool? {
        guard let body = body(part, data, behind: 8), let end = body.firstIndex(of: 0), end + 1 < body.count else {
            return nil
        }
        return body[end + 1] != 0
    }

    /// Keyword, zero byte, flag, method, language, zero byte, translated keyword, zero byte, UTF-8 text.
    private static func international(_ part: FileListing.Part, _ data: ImageData) -> String? {
        guard let body = body(part, data, behind: 8), let keyword = body.firstIndex(of: 0), keyword + 3 < body.count,
            let language = body[(keyword + 3)...].firstIndex(of: 0),
            let translated = body[(language + 1)...].firstIndex(of: 0)
        else { return nil }
        return String(decoding: body[(translated + 1)...].prefix(maxByteCount), as: UTF8.self)
    }

    /// UTF-8 where it is, else Latin-1.
    private static func decoded(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(maxByteCount), as: UTF8.self)
        return text.unicodeScalars.contains("\u{FFFD}") && bytes.count <= maxByteCount ? latin1(bytes[...]) : text
    }

    private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.prefix(maxByteCount).map { Unicode.Scalar($0) }))
    }

    private static func cut(_ text: String) -> String {
        text.unicodeScalars.count <= maxLength
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxLength))) + "…"
    }
}
