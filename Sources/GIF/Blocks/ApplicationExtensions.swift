// Application extensions: how often the animation is played, XMP packets, colour profiles.

import ImageCodecsCore

/// What an application extension is for, from the eleven bytes of identifier and authentication code.
///
/// Source: GIF89a section 26 "Application Extension".
package enum ApplicationExtension: Hashable, Sendable {
    /// NETSCAPE2.0 or ANIMEXTS1.0: a sub-block of three bytes, 1 and how often the animation is repeated.
    case loop
    /// XMP packet, not in sub-blocks (XMP Specification part 3, section 1.1.2 "GIF").
    case xmp
    /// ICC profile, in sub-blocks.
    case iccProfile
    /// Anybody's.
    case other

    /// Bytes of the block that names the application.
    package static let identifierByteCount = 11

    package init(_ identifier: Span<UInt8>) {
        if identifier.count != Self.identifierByteCount {
            self = .other
        } else if identifier.hasBytes("NETSCAPE2.0") || identifier.hasBytes("ANIMEXTS1.0") {
            self = .loop
        } else if identifier.hasBytes("XMP DataXMP") {
            self = .xmp
        } else if identifier.hasBytes("ICCRGBG1012") {
            self = .iccProfile
        } else {
            self = .other
        }
    }

    /// Total number of plays that a sub-block of a loop extension asks for, 0 for ever; `nil` for other sub-blocks.
    ///
    /// The stored number counts repetitions, so that one is added.
    package static func loopCount(_ subBlock: Span<UInt8>) -> Int? {
        guard subBlock.count >= 3, subBlock[0] & 7 == 1 else { return nil }
        let repetitions = Int(subBlock.littleEndianUInt16(at: 1))
        return repetitions == 0 ? 0 : repetitions + 1
    }
}
