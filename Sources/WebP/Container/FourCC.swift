// The four letters that say what a chunk holds.

import ImageCodecsCore

/// A FourCC: four bytes, most of them letters.
///
/// - Source: RFC 9649 §2.3 "RIFF File Format".
package struct FourCC: Hashable, Sendable {
    /// The bytes, the first one in front.
    private let code: UInt32

    /// A code from its four letters; missing ones are spaces.
    package init(_ letters: StaticString) {
        var code: UInt32 = 0
        let bytes = Array(String(describing: letters).utf8)
        for index in 0..<4 { code = code << 8 | UInt32(index < bytes.count ? bytes[index] : 0x20) }
        self.code = code
    }

    /// The code that stands in a file.
    ///
    /// - Parameters:
    ///   - bytes: four bytes or more from `offset` on.
    ///   - offset: where the code begins.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        code = bytes.bigEndianUInt32(at: offset)
    }

    /// The four bytes, as they stand in a file.
    package var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: code >> UInt32(24 - 8 * $0)) } }

    /// The four letters; hexadecimal if a byte is none that can be shown.
    package var name: String {
        let bytes = bytes
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            let digits = String(code, radix: 16)
            return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A lossy picture.
    package static let lossy = FourCC("VP8 ")
    /// A lossless picture.
    package static let lossless = FourCC("VP8L")
    /// The extended header.
    package static let extended = FourCC("VP8X")
    /// The alpha of a lossy picture.
    package static let alpha = FourCC("ALPH")
    /// What counts for a whole animation.
    package static let animation = FourCC("ANIM")
    /// One frame of an animation.
    package static let frame = FourCC("ANMF")
    /// A colour profile.
    package static let colorProfile = FourCC("ICCP")
    /// EXIF metadata.
    package static let exif = FourCC("EXIF")
    /// XMP metadata.
    package static let xmp = FourCC("XMP ")
}
