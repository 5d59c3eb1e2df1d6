// What is wrong with an ICC profile.

/// Why a profile cannot be used.
public struct ICCProfileError: Error, Hashable, Sendable {
    /// Stable names of all reasons.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Bytes end before what the header or a tag says.
        case truncated
        /// There is no `acsp` in the header.
        case notAProfile = "not-a-profile"
        /// More than 16 MiB, 256 tags, or 65,536 values of a curve.
        case tooLarge = "too-large"
        /// A class of profile that says nothing about pictures: device links, abstract and named colours.
        case unsupportedClass = "unsupported-class"
        /// Pictures that are neither gray nor RGB nor CMYK.
        case unsupportedColorSpace = "unsupported-color-space"
        /// A connection space that is neither XYZ nor Lab.
        case unsupportedConnectionSpace = "unsupported-connection-space"
        /// A tag that the model needs is not there.
        case missingTag = "missing-tag"
        /// A tag of an unknown type, or of one that cannot stand in its place.
        case unsupportedTagType = "unsupported-tag-type"
        /// Numbers of a tag are outside of what its type allows.
        case invalidTag = "invalid-tag"
    }

    /// The reason.
    public let code: Code
    /// The signature of the tag, `rTRC`, if it is about one.
    public let tag: String?
    /// Where in the profile, in bytes.
    public let offset: Int

    init(_ code: Code, tag: String? = nil, at offset: Int) {
        self.code = code
        self.tag = tag
        self.offset = offset
    }
}

extension ICCProfileError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let what =
            switch code {
            case .truncated: "the ICC profile ends too early"
            case .notAProfile: "this is no ICC profile"
            case .tooLarge: "the ICC profile is too large"
            case .unsupportedClass: "ICC profiles of this class are not for pictures"
            case .unsupportedColorSpace: "the ICC profile is for neither gray nor RGB nor CMYK"
            case .unsupportedConnectionSpace: "the ICC profile connects to neither XYZ nor Lab"
            case .missingTag: "the ICC profile lacks a tag"
            case .unsupportedTagType: "a tag of the ICC profile has a type that is not supported"
            case .invalidTag: "a tag of the ICC profile is damaged"
            }
        return what + (tag.map { " (\($0))" } ?? "") + " at byte \(offset)"
    }
}
