// Tells a format from the first bytes of a file: whole signatures (`FormatSignature`), never a single byte.

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

    /// The number of bytes from which on ``sniff(_:)`` never answers ``SniffingResult/needsMoreBytes``.
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
        for signature in FormatSignature.all {
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
