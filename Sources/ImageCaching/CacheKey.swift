// What an entry of a cache is found by.

/// The name of something in a cache: where it came from, and what was made of it.
///
/// Two keys are equal if both texts are, byte for byte: two spellings of one letter are two names of files. The original of a
/// picture has an empty ``variant``; what was made of it (another size, colours, transformations) has a variant that says how, so
/// that a thumbnail is never taken for the whole picture.
public struct CacheKey: Sendable {
    /// Where it came from: a path, an address, a name of the caller's own.
    public let source: String
    /// What was made of the source; empty for the source itself.
    public let variant: String

    /// The hash of both texts, computed once: caches look at it several times.
    package let hash: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - source: where it came from.
    ///   - variant: what was made of it; empty for the source itself.
    public init(source: String, variant: String = "") {
        self.source = source
        self.variant = variant
        var hasher = Hasher()
        TextHash.combine(source, into: &hasher)
        TextHash.combine(variant, into: &hasher)
        hash = hasher.finalize()
    }

    /// The same source with another variant.
    public func with(variant: String) -> CacheKey { CacheKey(source: source, variant: variant) }

    /// A checksum of both texts, the same in every process.
    var checksum: UInt64 { TextHash.checksum(of: variant, seed: TextHash.checksum(of: source)) }

    /// The key as bytes, different for different keys: the length of the source in four bytes, the source, the variant.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + source.utf8.count + variant.utf8.count)
        bytes.append(UInt32(truncatingIfNeeded: source.utf8.count))
        bytes.append(contentsOf: source.utf8)
        bytes.append(contentsOf: variant.utf8)
        return bytes
    }
}

extension CacheKey: Hashable {
    /// Whether both texts are equal, byte for byte. Strings are equal too if they look alike, but then the hashes of their bytes differ.
    public static func == (lhs: CacheKey, rhs: CacheKey) -> Bool {
        lhs.hash == rhs.hash && lhs.source == rhs.source && lhs.variant == rhs.variant
    }

    /// Feeds the hash of both texts.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension CacheKey: CustomStringConvertible {
    /// The source, and the variant after a number sign.
    public var description: String { variant.isEmpty ? source : "\(source)#\(variant)" }
}

extension [UInt8] {
    /// Adds a number, its lowest byte first.
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}
