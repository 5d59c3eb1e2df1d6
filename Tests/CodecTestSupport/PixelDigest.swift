// Checksums of pixels, as the conformance manifest and `imagetool checksum` write them.

#if SystemZlib
internal import ImageCodecsZlib
#endif
public import ImageCodecsCore

/// The CRC-32 of a picture's straight RGBA bytes, row by row without padding.
public enum PixelDigest {
    /// Eight hexadecimal digits.
    public static func crc32(of bitmap: Bitmap) throws -> String {
        let straight = try bitmap.converted(to: .rgba)
        return crc32(straight.packedBytes())
    }

    /// Eight hexadecimal digits.
    public static func crc32(_ bytes: [UInt8]) -> String {
        #if SystemZlib
        let value = unsafe bytes.withUnsafeBufferPointer { buffer in
            // SAFETY: zlib reads `buffer.count` bytes from its start.
            unsafe crc32_z(0, buffer.baseAddress, buffer.count)
        }
        #else
        let value = PNGBuilder.crc32(bytes)
        #endif
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
