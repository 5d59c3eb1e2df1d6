// What the samples are that an ICC profile is for: encoders write a profile only with pixels of its own channels.

/// The colour space of a profile's pictures.
///
/// - Source: ICC.1:2022 §7.2.6 "Data colour space field".
package enum ICCColorSpace: Hashable, Sendable {
    case gray, rgb, cmyk
    /// One that no format here has pixels of, or a profile that is cut off.
    case other

    private static let headerByteCount = 128

    /// Reads the field in the header of a profile.
    package init(ofProfile profile: [UInt8]) {
        guard profile.count >= Self.headerByteCount else {
            self = .other
            return
        }
        switch String(decoding: profile[16..<20], as: UTF8.self) {
        case "RGB ": self = .rgb
        case "GRAY": self = .gray
        case "CMYK": self = .cmyk
        default: self = .other
        }
    }
}
