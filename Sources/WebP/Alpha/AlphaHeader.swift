// ALPH: the first byte, which says how the alpha of a lossy picture is coded.
//
//   bit 7 6     5 4                     3 2         1 0
//   │ reserved │ P: levels were reduced │ F: filter │ C: compression │
//
// Writers set the reserved bits to 0 and readers ignore them, as they do the two undefined values of P, which is a hint.

package import ImageCodecsCore

/// How alpha is coded.
///
/// - Source: RFC 9649 §2.7.1.2 "Alpha".
package struct AlphaHeader: Hashable, Sendable {
    /// How the bytes of the plane are packed.
    package enum Compression: UInt8, Hashable, Sendable {
        /// They are not: one byte a pixel.
        case none
        /// The green channel of a lossless picture without its header.
        case lossless
    }

    /// How the bytes of the plane are packed.
    package let compression: Compression
    /// What the bytes are differences to.
    package let filter: AlphaFilter
    /// Whether the encoder made do with fewer levels of alpha. Decoders may smooth them; this one does not.
    package let hasReducedLevels: Bool

    /// Bytes of the header.
    package static let byteCount = 1

    /// The header of a plane that is written.
    package init(_ compression: Compression, _ filter: AlphaFilter, hasReducedLevels: Bool = false) {
        self.compression = compression
        self.filter = filter
        self.hasReducedLevels = hasReducedLevels
    }

    /// The header as it stands in a file.
    package var byte: UInt8 { compression.rawValue | filter.rawValue << 2 | (hasReducedLevels ? 1 << 4 : 0) }

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - byte: the first byte of the payload.
    ///   - offset: where it stands in the file.
    /// - Throws: `corrupt` for a compression that is not defined.
    package init(_ byte: UInt8, offset: Int) throws(ImageError) {
        guard let compression = Compression(rawValue: byte & 0x03),
            let filter = AlphaFilter(rawValue: byte >> 2 & 0x03)
        else {
            throw .corrupt(
                .webP, .webpAlphaHeader, offset: offset, reason: "alpha coded in the way 0x\(String(byte, radix: 16))")
        }
        self.compression = compression
        self.filter = filter
        hasReducedLevels = byte >> 4 & 0x03 == 1
    }
}
