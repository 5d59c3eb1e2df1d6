// Tells a format from the first bytes of a file: whole signatures, never a single byte.

extension ImageFormat {
    /// What the first bytes of a file say about its format.
    public enum SniffingResult: Hashable, Sendable {
        /// The bytes carry the whole signature of this format.
        case format(ImageFormat)
        /// The bytes cannot be any known format, however they go on.
        case unknown
        /// The bytes are the start of a known signature; more are needed.
        case needsMoreBytes
    }

    /// Bytes after which ``sniff(_:)`` no longer answers ``SniffingResult/needsMoreBytes``.
    public static let sniffingByteCount = 256

    /// The format whose signature `header` starts with; `nil` when there is none or the header is too short.
    ///
    /// PNG and APNG share a signature; both answer ``png``, and the coders look for the animation.
    public init?(sniffing header: Span<UInt8>) {
        guard case .format(let format) = Self.sniff(header) else { return nil }
        self = format
    }

    /// Tells the format from the first bytes, and whether more bytes could still change the answer.
    public static func sniff(_ header: Span<UInt8>) -> SniffingResult {
        var mayNeedMore = false
        for signature in Signature.all {
            switch signature.match(header) {
            case .whole: return .format(signature.format)
            case .start: mayNeedMore = true
            case .none: break
            }
        }
        switch sniffMediaContainer(header) {
        case .format(let format): return .format(format)
        case .needsMoreBytes: mayNeedMore = true
        case .unknown: break
        }
        switch sniffSVG(header) {
        case .format(let format): return .format(format)
        case .needsMoreBytes: mayNeedMore = true
        case .unknown: break
        }
        return mayNeedMore ? .needsMoreBytes : .unknown
    }

    /// ISO base media files: a box size, `ftyp`, and a major brand (ISO/IEC 14496-12 §4.3 "File Type Box").
    ///
    /// The box is never 16 MiB long, so its size starts with a zero byte.
    private static func sniffMediaContainer(_ header: Span<UInt8>) -> SniffingResult {
        guard header.isEmpty || header[0] == 0 else { return .unknown }
        let marker: [UInt8] = Array("ftyp".utf8)
        for index in 0..<4 where header.count > 4 + index && header[4 + index] != marker[index] { return .unknown }
        guard header.count >= 12 else { return .needsMoreBytes }
        let brand = String(decoding: (8..<12).map { header[$0] }, as: UTF8.self)
        switch brand {
        case "avif", "avis": return .format(.avif)
        case "heic", "heix", "heim", "heis", "hevc", "hevx": return .format(.heic)
        case "mif1", "msf1": return .format(.heif)
        default: return .unknown
        }
    }

    /// SVG is XML: optional byte order mark and white space, then `<svg`, or a prologue that leads to it.
    private static func sniffSVG(_ header: Span<UInt8>) -> SniffingResult {
        var text: [UInt8] = []
        for index in 0..<min(header.count, sniffingByteCount) { text.append(header[index]) }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if byteOrderMark.starts(with: text) { return .needsMoreBytes }
        if text.starts(with: byteOrderMark) { text.removeFirst(3) }
        let body = text.drop { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
        guard let first = body.first else {
            return text.count < sniffingByteCount ? .needsMoreBytes : .unknown
        }
        guard first == UInt8(ascii: "<") else { return .unknown }
        let root = Array("<svg".utf8)
        var at = body.startIndex
        while at < body.endIndex {
            if body[at...].starts(with: root) { return .format(.svg) }
            at += 1
        }
        return header.count < sniffingByteCount ? .needsMoreBytes : .unknown
    }
}

/// A run of bytes that a format starts with; `nil` stands for any byte.
private struct Signature {
    enum Match { case whole, start, none }

    let format: ImageFormat
    let bytes: [UInt8?]

    func match(_ header: Span<UInt8>) -> Match {
        for index in 0..<min(header.count, bytes.count) {
            if let wanted = bytes[index], header[index] != wanted { return .none }
        }
        return header.count >= bytes.count ? .whole : .start
    }

    private init(_ format: ImageFormat, _ bytes: [UInt8?]) {
        self.format = format
        self.bytes = bytes
    }

    private static func ascii(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }
    private static let anyFour: [UInt8?] = [nil, nil, nil, nil]

    static let all: [Signature] = [
        // PNG 3rd ed. §5.2 "PNG signature".
        Signature(.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        // ITU-T T.81 §B.1.1.3 "Marker assignments": SOI, then the first byte of another marker.
        Signature(.jpeg, [0xFF, 0xD8, 0xFF]),
        // GIF89a §17 "Header".
        Signature(.gif, ascii("GIF87a")),
        Signature(.gif, ascii("GIF89a")),
        // RFC 9649 §2.4 "WebP File Header".
        Signature(.webP, ascii("RIFF") + anyFour + ascii("WEBP")),
        // TIFF 6.0, section 2 "TIFF Structure", and BigTIFF.
        Signature(.tiff, [0x49, 0x49, 0x2A, 0x00]),
        Signature(.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
        Signature(.tiff, [0x49, 0x49, 0x2B, 0x00]),
        Signature(.tiff, [0x4D, 0x4D, 0x00, 0x2B]),
        // BITMAPFILEHEADER: "BM", file size, four reserved zero bytes.
        Signature(.bmp, ascii("BM") + anyFour + [0, 0, 0, 0]),
        // ISO/IEC 18181-1 codestream and ISO/IEC 18181-2 container.
        Signature(.jpegXL, [0xFF, 0x0A]),
        Signature(.jpegXL, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        // ISO 32000-1 §7.5.2 "File Header".
        Signature(.pdf, ascii("%PDF-")),
    ]
}
