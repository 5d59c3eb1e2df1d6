// What alerts and logs of Foundation show of an error.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageCodecs

extension ImageError: LocalizedError {
    /// The error in one line, without the file's name; not translated.
    public var errorDescription: String? { description }

    /// The stable code: of damage that of `ImageError.damageCode`, else `ImageError.code`.
    public var failureReason: String? { damageCode?.rawValue ?? code }

    /// What can be done about it.
    public var recoverySuggestion: String? { suggestion }
}
