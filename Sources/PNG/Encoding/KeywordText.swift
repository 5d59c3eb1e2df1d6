// tEXt, zTXt and iTXt: the smallest chunk that holds a text.

import DeflateCodec
import ImageCodecsCore

/// Texts as chunks.
///
/// Source: PNG 3rd ed. §11.3.3 "Textual information".
enum KeywordText {
    /// One chunk.
    struct Chunk: Sendable {
        var type: ChunkType
        var body: [UInt8]
    }

    /// Bytes from which on compression is tried.
    static let compressionThreshold = 1024
    /// The keyword that XMP packets are stored under.
    private static let xmpKeyword = "XML:com.adobe.xmp"

    /// Comments, texts and the XMP packet. Texts whose keyword is not allowed are left out.
    static func chunks(
        _ metadata: ImageMetadata, _ meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [Chunk] {
        let comments = metadata.comments.map { TextEntry(keyword: "Comment", text: $0) }
        var chunks: [Chunk] = []
        for entry in metadata.texts + comments where entry.keyword != xmpKeyword {
            if let chunk = try chunk(entry, meter, &work) { chunks.append(chunk) }
        }
        // Some programs write an end of string after the packet.
        var xmp = (metadata.xmp ?? [])[...]
        while xmp.last == 0 { xmp = xmp.dropLast() }
        if !xmp.isEmpty, !xmp.contains(0), xmp.count <= ChunkWriter.largestBody - 64 {
            // Uncompressed, so that programs that know nothing of PNG find the packet.
            chunks.append(
                Chunk(type: .internationalText, body: Array(xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp))
        }
        return chunks
    }

    /// tEXt for short Latin-1, zTXt if that is smaller, iTXt for everything else.
    private static func chunk(
        _ entry: TextEntry, _ meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> Chunk? {
        guard let keyword = keyword(entry.keyword) else { return nil }
        if entry.language.isEmpty && entry.translatedKeyword.isEmpty, let text = latin1(entry.text) {
            if let compressed = try compressed(text, meter, &work) {
                return fitting(.compressedText, keyword + [0, 0] + compressed)
            }
            return fitting(.text, keyword + [0] + text)
        }
        let translated = Array(entry.translatedKeyword.utf8)
        let text = Array(entry.text.utf8)
        guard let language = languageTag(entry.language), !translated.contains(0), !text.contains(0) else {
            return nil
        }
        let compressed = try compressed(text, meter, &work)
        let flags: [UInt8] = [0, compressed == nil ? 0 : 1, 0]
        return fitting(.internationalText, keyword + flags + language + [0] + translated + [0] + (compressed ?? text))
    }

    private static func fitting(_ type: ChunkType, _ body: [UInt8]) -> Chunk? {
        body.count <= ChunkWriter.largestBody ? Chunk(type: type, body: body) : nil
    }

    /// The text compressed; `nil` when it is short or gets no smaller.
    private static func compressed(
        _ text: [UInt8], _ meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [UInt8]? {
        guard text.count >= compressionThreshold else { return nil }
        let compressed = try text.withSpan { (text) throws(ImageError) in
            try Deflater.compress(text, effort: .default, meter: meter, work: &work)
        }
        return compressed.count < text.count ? compressed : nil
    }

    /// A keyword as Latin-1; `nil` when it is not 1...79 printable characters, or has spaces at its ends or two in a
    /// row.
    ///
    /// Source: PNG 3rd ed. §11.3.3.2 "Keywords and text strings".
    static func keyword(_ keyword: String) -> [UInt8]? {
        guard let bytes = latin1(keyword), (1...79).contains(bytes.count), bytes.first != 0x20, bytes.last != 0x20
        else { return nil }
        let isPrintable = bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 >= 0xA1 }
        let hasDoubleSpace = zip(bytes, bytes.dropFirst()).contains { $0 == 0x20 && $1 == 0x20 }
        return isPrintable && !hasDoubleSpace ? bytes : nil
    }

    /// ISO 8859-1 without the zero character; `nil` if that cannot hold the text.
    static func latin1(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard (1...255).contains(scalar.value) else { return nil }
            bytes.append(UInt8(scalar.value))
        }
        return bytes
    }

    /// A language tag: ASCII letters, digits and hyphens.
    private static func languageTag(_ tag: String) -> [UInt8]? {
        let bytes = Array(tag.utf8)
        let isTag = bytes.allSatisfy { byte in
            byte == 0x2D || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        return isTag ? bytes : nil
    }
}
