// The bytes that files of each format begin with: one table for sniffing, coders and writers.

/// A run of bytes that a format starts with.
package struct FormatSignature: Sendable {
    /// How far a header matches a signature.
    package enum Match: Sendable {
        /// All of it.
        case whole
        /// The header is shorter than the signature and agrees with its start.
        case start
        /// The header has a byte that differs from the signature.
        case none
    }

    package let format: ImageFormat
    /// The bytes; `nil` stands for any byte.
    private let pattern: [UInt8?]

    private init(_ format: ImageFormat, _ pattern: [UInt8?]) {
        self.format = format
        self.pattern = pattern
    }

    /// The length of the signature.
    package var byteCount: Int { pattern.count }

    /// The bytes that a writer writes, with 0 for those that may be any.
    package var bytes: [UInt8] { pattern.map { $0 ?? 0 } }

    /// Compares the signature with the first bytes of a file.
    package func match(_ header: Span<UInt8>) -> Match {
        for index in 0..<min(header.count, pattern.count) {
            if let wanted = pattern[index], header[index] != wanted { return .none }
        }
        return header.count >= pattern.count ? .whole : .start
    }

    /// PNG 3rd ed. §5.2 "PNG signature".
    package static let png = FormatSignature(.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    /// ITU-T T.81 §B.1.1.3 "Marker assignments": SOI, then the first byte of another marker.
    package static let jpeg = FormatSignature(.jpeg, [0xFF, 0xD8, 0xFF])
    /// GIF89a §17 "Header", of either version.
    package static let gif = [FormatSignature(.gif, ascii("GIF87a")), FormatSignature(.gif, ascii("GIF89a"))]
    /// RFC 9649 §2.4 "WebP File Header".
    package static let webP = FormatSignature(.webP, ascii("RIFF") + anyFour + ascii("WEBP"))

    /// Every known signature. No header matches two of them.
    package static let all: [FormatSignature] =
        [png, jpeg] + gif + [
            webP,
            // TIFF 6.0, section 2 "TIFF Structure", and BigTIFF.
            FormatSignature(.tiff, [0x49, 0x49, 0x2A, 0x00]),
            FormatSignature(.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
            FormatSignature(.tiff, [0x49, 0x49, 0x2B, 0x00]),
            FormatSignature(.tiff, [0x4D, 0x4D, 0x00, 0x2B]),
            // BITMAPFILEHEADER: "BM", file size, four reserved zero bytes.
            FormatSignature(.bmp, ascii("BM") + anyFour + [0, 0, 0, 0]),
            // ISO/IEC 18181-1 codestream and ISO/IEC 18181-2 container.
            FormatSignature(.jpegXL, [0xFF, 0x0A]),
            FormatSignature(.jpegXL, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
            // ISO 32000-1 §7.5.2 "File Header".
            FormatSignature(.pdf, ascii("%PDF-")),
        ]

    private static func ascii(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }
    private static let anyFour: [UInt8?] = [nil, nil, nil, nil]
}
