// Four-letter chunk names and what their letters say.

package import DeflateCodec

/// A chunk type: four ASCII letters whose case carries meaning.
///
/// Source: PNG 3rd ed. §5.4 "Chunk naming conventions".
package struct ChunkType: Hashable, Sendable {
    /// The four bytes as a big-endian integer.
    package let code: UInt32

    package init(code: UInt32) { self.code = code }

    private init(_ name: StaticString) {
        code = String(describing: name).utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The four letters; bytes that are no letters are shown in hexadecimal.
    package var name: String {
        if isWellFormed { return String(decoding: bytes, as: UTF8.self) }
        let digits = String(code, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The four bytes in file order.
    package var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) } }

    /// Whether all four bytes are ASCII letters.
    package var isWellFormed: Bool {
        (0..<4).allSatisfy { index in
            // Small letters differ from capital ones in bit 5.
            let letter = code >> UInt32(8 * index) & 0xDF
            return letter >= 0x41 && letter <= 0x5A
        }
    }

    /// Whether a decoder that does not know the chunk cannot show the picture: bit 5 of the first byte is 0.
    package var isCritical: Bool { code & 0x2000_0000 == 0 }

    package static let imageHeader = ChunkType("IHDR")
    package static let palette = ChunkType("PLTE")
    package static let imageData = ChunkType("IDAT")
    package static let imageEnd = ChunkType("IEND")
    package static let transparency = ChunkType("tRNS")
    package static let gamma = ChunkType("gAMA")
    package static let chromaticities = ChunkType("cHRM")
    package static let standardRGB = ChunkType("sRGB")
    package static let iccProfile = ChunkType("iCCP")
    package static let codePoints = ChunkType("cICP")
    package static let masteringDisplay = ChunkType("mDCV")
    package static let contentLight = ChunkType("cLLI")
    package static let significantBits = ChunkType("sBIT")
    package static let background = ChunkType("bKGD")
    package static let histogram = ChunkType("hIST")
    package static let physicalPixelDimensions = ChunkType("pHYs")
    package static let placement = ChunkType("oFFs")
    package static let stereoLayout = ChunkType("sTER")
    package static let physicalScale = ChunkType("sCAL")
    package static let calibration = ChunkType("pCAL")
    package static let suggestedPalette = ChunkType("sPLT")
    package static let time = ChunkType("tIME")
    package static let exif = ChunkType("eXIf")
    package static let text = ChunkType("tEXt")
    package static let compressedText = ChunkType("zTXt")
    package static let internationalText = ChunkType("iTXt")
    package static let animationControl = ChunkType("acTL")
    package static let frameControl = ChunkType("fcTL")
    package static let frameData = ChunkType("fdAT")
    /// Apple's variant of PNG starts with this chunk; see ``ApplePixels``.
    package static let appleVariant = ChunkType("CgBI")
}

extension CRC32 {
    /// The CRC-32 of a chunk type, to which that of the chunk's data is added.
    ///
    /// - Source: PNG 3rd ed. §5.5 "CRC algorithm"
    package init(_ type: ChunkType) {
        self.init()
        add(type.bytes[...])
    }
}
