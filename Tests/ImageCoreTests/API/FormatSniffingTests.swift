import ImageCodecsCore
import Testing

@Suite struct FormatSniffingTests {
    /// The beginning of a file of every format, as long as sniffing needs it.
    static let headers: [(ImageFormat, [UInt8])] = [
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.webP, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP".utf8)),
        (.tiff, [0x49, 0x49, 0x2A, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2A]),
        (.tiff, [0x49, 0x49, 0x2B, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2B]),
        (.bmp, [0x42, 0x4D, 9, 9, 0, 0, 0, 0, 0, 0]),
        (.heic, [0, 0, 0, 0x18] + Array("ftypheic".utf8)), (.heic, [0, 0, 0, 0x18] + Array("ftyphevx".utf8)),
        (.heif, [0, 0, 0, 0x18] + Array("ftypmif1".utf8)), (.heif, [0, 0, 0, 0x18] + Array("ftypmsf1".utf8)),
        (.avif, [0, 0, 0, 0x1C] + Array("ftypavif".utf8)), (.avif, [0, 0, 0, 0x1C] + Array("ftypavis".utf8)),
        (.jpegXL, [0xFF, 0x0A]),
        (.jpegXL, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.pdf, Array("%PDF-".utf8)),
        (.svg, Array("<svg".utf8)),
        (.svg, Array("<?xml version=\"1.0\"?>\n<!-- drawn by hand -->\n<svg".utf8)),
        (.svg, [0xEF, 0xBB, 0xBF] + Array(" \t\r\n<svg".utf8)),
    ]

    // Spans cannot be part of an expectation.
    private func sniff(_ header: [UInt8]) -> ImageFormat.SniffingResult { ImageFormat.sniff(header.span) }
    private func format(_ header: [UInt8]) -> ImageFormat? { ImageFormat(sniffing: header.span) }

    @Test(arguments: headers)
    func wholeSignaturesAreKnown(_ expected: ImageFormat, _ header: [UInt8]) {
        #expect(sniff(header) == .format(expected))
        let longer = header + [UInt8](repeating: 0x5A, count: 300)
        #expect(sniff(longer) == .format(expected))
        #expect(format(longer) == expected)
    }

    @Test(arguments: headers)
    func everyPrefixNeedsMoreBytes(_ expected: ImageFormat, _ header: [UInt8]) {
        for count in 0..<header.count {
            #expect(sniff(Array(header[..<count])) == .needsMoreBytes, "\(count) bytes")
            #expect(format(Array(header[..<count])) == nil)
        }
    }

    @Test(arguments: headers.filter { $0.0 != .svg })
    func aWrongByteAnywhereIsNotThatFormat(_ expected: ImageFormat, _ header: [UInt8]) {
        for index in header.indices {
            // Lengths inside a signature may be anything.
            if expected == .webP && (4..<8).contains(index) || expected == .bmp && (2..<6).contains(index) { continue }
            if header.starts(with: [0, 0, 0]) && header[4] == 0x66 && (1..<4).contains(index) { continue }
            var wrong = header
            wrong[index] ^= 0x40
            #expect(format(wrong) != expected, "byte \(index)")
        }
    }

    @Test func otherFilesAreUnknown() {
        for text in [
            "GIF88a", "RIFF1234WAVEfmt ", "hello, world", "BM, no bitmap", "P6\n1 1\n255\n", "\u{1}\u{2}\u{3}",
        ] {
            #expect(sniff(Array(text.utf8)) == .unknown, "\(text)")
        }
        #expect(sniff([0xEF, 0xBB, 0x41]) == .unknown)
        #expect(sniff([1, 0, 0, 0x18]) == .unknown)
        #expect(sniff(([1, 0, 0, 0x18] + Array("ftypheic".utf8))) == .unknown)
        #expect(sniff(([0, 0, 0, 0x18] + Array("ftypisom".utf8))) == .unknown)
    }

    @Test func longTextsWithoutAPictureAreUnknown() {
        let spaces = [UInt8](repeating: 0x20, count: ImageFormat.sniffingByteCount)
        #expect(sniff(Array(spaces.dropLast())) == .needsMoreBytes)
        #expect(sniff(spaces) == .unknown)
        let page = Array(("<html>" + String(repeating: "text ", count: 60) + "<svg>").utf8)
        #expect(sniff(page) == .unknown)
    }
}
