// Portable anymaps as input, so that the tool reads what it and other programs write into pipes.

import ImageCodecs

/// Reads the binary portable anymaps: PGM (P5), PPM (P6) and PAM (P7).
///
/// Source: Netpbm's format pages pgm(5), ppm(5) and pam(5). One picture a file; what follows it is not looked at.
struct PNMCoder: RowImageCoder {
    /// The formats under one name; there is no uniform type identifier for them.
    static let format = ImageFormat(rawValue: "net.sourceforge.netpbm")

    /// What people and file systems call it.
    static let description = ImageFormat.Description(
        name: "PNM", fileExtensions: ["pnm", "pgm", "ppm", "pam"], mimeType: "image/x-portable-anymap")

    var decodableFormats: [ImageFormat] { [Self.format] }

    func canDecode(_ header: Span<UInt8>) -> Bool { PNMHeader.hasSignature(header) }

    func makeRowDecoder(options: DecodingOptions) -> PNMDecoder { PNMDecoder() }
}

extension DamageCode {
    /// A header of a portable anymap that does not say what it has to.
    static let pnmHeader = DamageCode(rawValue: "pnm.header")
}

/// The state of one file: what its header says.
struct PNMDecoder: RowImageDecoder {
    static let format = PNMCoder.format

    private var header: PNMHeader?

    mutating func readHeader(_ bytes: Span<UInt8>) throws(ImageError) -> RowImageHeader? {
        guard let header = try PNMHeader(bytes) else { return nil }
        self.header = header
        return RowImageHeader(
            byteCount: header.byteCount, size: header.size, pixelFormat: header.pixelFormat, bitDepth: header.bitDepth,
            colorDescription: header.kind)
    }

    mutating func readPixels(
        _ bytes: Span<UInt8>, offset: Int, into pixels: inout MutableSpan<UInt8>, filledByteCount: inout Int
    ) throws(ImageError) -> Int {
        guard let header else { return 0 }
        let (stored, delivered) = (header.bytesPerPixel, header.pixelFormat.bytesPerPixel)
        let count = min(bytes.count / stored, (pixels.count - filledByteCount) / delivered)
        for index in 0..<count {
            header.convert(bytes, at: index * stored, into: &pixels, at: filledByteCount + index * delivered)
        }
        filledByteCount += count * delivered
        return count * stored
    }
}
