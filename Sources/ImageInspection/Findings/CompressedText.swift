// The text of one compressed chunk, unpacked by itself.

import ImageCodecs
import ImageCodecsCore

/// Unpacks a zTXt or iTXt chunk as the only text of a file of one pixel, so that it is not mistaken for another one.
enum CompressedText {
    /// Texts that come to more than this are not unpacked.
    private static let maxByteCount = 1 << 16

    /// The signature and IHDR of one gray pixel.
    private static let start: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
        0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55,
    ]
    /// IDAT of that pixel, and IEND.
    private static let end: [UInt8] = [
        0, 0, 0, 10, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0xE5, 0x27, 0xDE, 0xFC,
        0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    /// The text of the chunk; `nil` if the chunk is damaged or the text too long.
    static func text(of chunk: FileListing.Part, _ data: ImageData, limits: DecodingLimits) -> String? {
        guard let count = chunk.byteCount, count <= maxByteCount,
            let bytes = data.bytes(chunk.offset..<chunk.offset + 12 + count)
        else { return nil }
        var options = DecodingOptions()
        options.limits = limits
        options.limits.maxMetadataByteCount = min(limits.maxMetadataByteCount, maxByteCount)
        return try? ImageInfo(ImageData(start + bytes + end), options: options).metadata.texts.first?.text
    }
}
