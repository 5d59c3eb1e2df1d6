// tEXt, zTXt, iTXt and iCCP: keywords, text, and compressed payloads with a bound on what they unpack to.

import ImageCore

/// Bytes of metadata that may still be kept from a file.
struct MetadataBudget: Sendable {
    private(set) var remaining: Int
    private let allowed: Int

    init(limits: DecodingLimits) {
        remaining = max(0, limits.maxMetadata)
        allowed = remaining
    }

    /// Takes `byteCount` bytes, or throws `limitExceeded(.metadata)`.
    mutating func take(_ byteCount: Int) throws(ImageError) {
        guard byteCount <= remaining else {
            throw .limitExceeded(
                .metadata, requested: (allowed - remaining).addingSaturated(byteCount), allowed: allowed)
        }
        remaining -= byteCount
    }
}

/// Keyword chunks (PNG 3rd ed. §11.3.3 "Textual information") and embedded profiles.
enum TextChunks {
    /// The keyword that XMP packets are stored under.
    static let xmpKeyword = "XML:com.adobe.xmp"

    /// Reads tEXt: keyword, zero byte, Latin-1 text. `nil` when it is malformed, as for all of these.
    static func text(_ body: Span<UInt8>) -> TextEntry? {
        var reader = ByteReader(body)
        guard let keyword = keyword(&reader) else { return nil }
        return TextEntry(keyword: keyword, text: latin1(reader.readRest()))
    }

    /// Reads zTXt: keyword, zero byte, compression method 0, zlib stream of Latin-1 text.
    static func compressedText(_ body: Span<UInt8>, budget: inout MetadataBudget) throws(ImageError) -> TextEntry? {
        var reader = ByteReader(body)
        guard let keyword = keyword(&reader), reader.readUInt8() == 0,
            let text = try inflate(reader.readRest(), &budget)
        else { return nil }
        return TextEntry(keyword: keyword, text: latin1(text[...]))
    }

    /// Reads iTXt: keyword, compression flag and method, language, translated keyword, UTF-8 text.
    static func internationalText(
        _ body: Span<UInt8>, budget: inout MetadataBudget
    ) throws(ImageError) -> (entry: TextEntry, raw: [UInt8])? {
        var reader = ByteReader(body)
        guard let keyword = keyword(&reader), let isCompressed = reader.readUInt8(),
            let method = reader.readUInt8(), isCompressed <= 1, isCompressed == 0 || method == 0,
            let language = reader.readNullTerminated(), let translated = reader.readNullTerminated()
        else { return nil }
        var text = Array(reader.readRest())
        if isCompressed == 1 {
            guard let inflated = try inflate(text[...], &budget) else { return nil }
            text = inflated
        }
        let entry = TextEntry(
            keyword: keyword, text: keyword == xmpKeyword ? "" : String(decoding: text, as: UTF8.self),
            language: latin1(language), translatedKeyword: String(decoding: translated, as: UTF8.self))
        return (entry, text)
    }

    /// Reads iCCP: profile name, zero byte, compression method 0, zlib stream of the profile.
    ///
    /// Source: PNG 3rd ed. §11.3.2.3 "iCCP Embedded ICC profile".
    static func iccProfile(
        _ body: Span<UInt8>, budget: inout MetadataBudget
    ) throws(ImageError) -> (name: String, profile: [UInt8])? {
        var reader = ByteReader(body)
        guard let name = keyword(&reader), reader.readUInt8() == 0,
            let profile = try inflate(reader.readRest(), &budget), !profile.isEmpty
        else { return nil }
        return (name, profile)
    }

    /// A keyword of 1...79 Latin-1 characters and its zero byte.
    private static func keyword(_ reader: inout ByteReader) -> String? {
        guard let bytes = reader.readNullTerminated(), (1...79).contains(bytes.count) else { return nil }
        return latin1(bytes)
    }

    /// ISO 8859-1: every byte is the code point of the same number.
    private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// Unpacks a whole zlib stream; `nil` when it is damaged, `limitExceeded(.metadata)` when it unpacks to
    /// more than the budget has left. What was unpacked in front of the damage counts: it was work.
    private static func inflate(
        _ compressed: ArraySlice<UInt8>, _ budget: inout MetadataBudget
    ) throws(ImageError) -> [UInt8]? {
        let output = try ZlibInflater.inflateAll(compressed, maxByteCount: budget.remaining)
        try budget.take(output.bytes.count)
        return output.isWhole ? output.bytes : nil
    }
}
