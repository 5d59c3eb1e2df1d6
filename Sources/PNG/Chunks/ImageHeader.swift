// IHDR: size, sample depth, colour type, interlacing.

package import ImageCodecsCore

/// The image header.
///
/// Source: PNG 3rd ed. §11.2.1 "IHDR Image header".
package struct ImageHeader: Hashable, Sendable {
    /// What a pixel consists of; raw values are those of the file.
    package enum ColorType: UInt8, Sendable {
        case gray = 0
        case rgb = 2
        case indexed = 3
        case grayAlpha = 4
        case rgba = 6

        /// Samples per pixel in the file.
        package var channelCount: Int {
            switch self {
            case .gray, .indexed: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        /// The depths the standard allows.
        var allowedDepths: [UInt8] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .indexed: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }

        /// The words used in `ImageInfo.colorDescription`.
        package var description: String {
            switch self {
            case .gray: "gray"
            case .rgb: "RGB"
            case .indexed: "palette"
            case .grayAlpha: "gray and alpha"
            case .rgba: "RGBA"
            }
        }
    }

    package private(set) var size: PixelSize
    /// Bits of one sample, or of one palette index.
    package let bitDepth: Int
    package let colorType: ColorType
    /// Whether the picture is stored in the seven passes of Adam7.
    package let isInterlaced: Bool
    /// Whether the image data are those of Apple's variant of PNG: see ``ApplePixels``.
    package let isAppleVariant: Bool

    /// Bytes of the chunk's body.
    package static let byteCount = 13

    /// Reads the body of an IHDR chunk.
    ///
    /// - Parameters:
    ///   - offset: where the body starts, for error messages.
    ///   - isAppleVariant: whether CgBI came before.
    package init(_ body: Span<UInt8>, offset: Int, isAppleVariant: Bool = false) throws(ImageError) {
        guard body.count == Self.byteCount else {
            throw .corrupt(.png, .pngHeaderLength, offset: offset, reason: "IHDR of \(body.count) bytes instead of 13")
        }
        let width = body.bigEndianUInt32(at: 0)
        let height = body.bigEndianUInt32(at: 4)
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
            throw .corrupt(.png, .pngHeaderSize, offset: offset, reason: "size of \(width)x\(height) pixels")
        }
        size = PixelSize(width: Int(width), height: Int(height))
        guard let colorType = ColorType(rawValue: body[9]), colorType.allowedDepths.contains(body[8]) else {
            throw .corrupt(
                .png, .pngHeaderDepth, offset: offset + 8, reason: "bit depth \(body[8]) with color type \(body[9])")
        }
        self.colorType = colorType
        bitDepth = Int(body[8])
        guard body[10] == 0 else {
            throw .corrupt(.png, .pngHeaderMethod, offset: offset + 10, reason: "compression method \(body[10])")
        }
        guard body[11] == 0 else {
            throw .corrupt(.png, .pngHeaderMethod, offset: offset + 11, reason: "filter method \(body[11])")
        }
        guard body[12] <= 1 else {
            throw .corrupt(.png, .pngHeaderMethod, offset: offset + 12, reason: "interlace method \(body[12])")
        }
        isInterlaced = body[12] == 1
        self.isAppleVariant = isAppleVariant
    }

    /// The header of a frame of the same file: its own size, everything else as it is.
    ///
    /// - Precondition: both sides are in 1...2^31 - 1.
    package func forFrame(of size: PixelSize) -> ImageHeader {
        var header = self
        header.size = size
        return header
    }

    /// Bits from one pixel to the next.
    package var bitsPerPixel: Int { bitDepth * colorType.channelCount }

    /// Bytes of a scanline of `width` pixels without its filter type byte.
    ///
    /// Cannot overflow: at most 2^31 pixels of 64 bits.
    package func bytesPerScanline(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }

    /// The distance in bytes that filters look back: that of a whole pixel, at least one.
    package var filterDistance: Int { max(1, bitsPerPixel / 8) }
}
