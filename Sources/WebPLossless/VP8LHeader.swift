// The first five bytes of a VP8L bitstream: what a picture's size is, before anything is allocated for it.

package import ImageCodecsCore

/// The image header.
///
/// Source: RFC 9649 section 3.4 "RIFF Header".
package struct VP8LHeader: Hashable, Sendable {
    /// 1...16384 both ways.
    package let size: PixelSize
    /// A hint of the encoder: whether some pixel is not opaque. The pixels decide.
    package let alphaIsUsed: Bool

    /// Bytes of the header.
    package static let byteCount = 5
    /// The first byte.
    package static let signature: UInt8 = 0x2F

    /// What stands for the header if there is none: the alpha plane of a lossy picture has that picture's size.
    init(planeSize: PixelSize) {
        size = planeSize
        alphaIsUsed = false
    }

    /// - Parameters:
    ///   - bytes: the bitstream from its first byte.
    ///   - offset: where that is in the file.
    /// - Returns: `nil` if the header is not whole, as long as what is there is right.
    package init?(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) {
        guard bytes.count > 0 else { return nil }
        guard bytes[0] == Self.signature else {
            throw .corrupt(.webP, .vp8lSignature, offset: offset, reason: "no VP8L signature")
        }
        guard bytes.count >= Self.byteCount else { return nil }
        let bits = bytes.littleEndianUInt32(at: 1)
        guard bits >> 29 == 0 else {
            throw .corrupt(.webP, .vp8lVersion, offset: offset + 4, reason: "VP8L version \(bits >> 29), not 0")
        }
        size = PixelSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1)
        alphaIsUsed = bits >> 28 & 1 == 1
    }
}
