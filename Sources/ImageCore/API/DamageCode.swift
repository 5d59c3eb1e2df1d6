// Codes for kinds of damage, for programs; `ImageError.corrupt` holds one, and a message for people.

/// What is wrong with a file, in a form that stays the same from release to release.
///
/// The raw value is the format's short name, a dot, and what is wrong: `png.chunk-crc`, `jpeg.huffman-overfull`. The
/// article <doc:DamageCodes> lists them all. Formats from outside this package define their own codes.
public struct DamageCode: RawRepresentable, Hashable, Sendable {
    /// The code, such as `png.chunk-crc`.
    public let rawValue: String

    /// A code of any text.
    @inlinable public init(rawValue: String) { self.rawValue = rawValue }
}

extension DamageCode: CustomStringConvertible {
    /// The ``rawValue``.
    public var description: String { rawValue }
}
