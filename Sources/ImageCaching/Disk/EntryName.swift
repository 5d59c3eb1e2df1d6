// What the file of an entry is called.

/// The name of an entry's file, made of its key: 64 hexadecimal digits.
///
///     16 digits: a checksum           48 digits: the beginning of a SHA-256
///
/// The checksum is known ten times sooner than the rest, and says of nearly every key that has no entry that there is none. Keys may
/// be made that share it; none that share the rest, so that each has a file of its own.
package struct EntryName: Hashable, Sendable {
    private let digest: Digest

    package init(of key: CacheKey) {
        var words = SHA256.digest(of: key.bytes).words
        (words[1], words[2], words[3]) = (words[0], words[1], words[2])
        words[0] = key.checksum
        digest = Digest(words: words)
    }

    /// - Parameter words: as ``words`` says.
    package init(words: SIMD4<UInt64>) { digest = Digest(words: words) }

    /// The name that is spelled so; `nil` for any other text.
    package init?(text: some Collection<UInt8>) {
        guard let digest = Digest(text: text) else { return nil }
        self.digest = digest
    }

    /// The name as four numbers, 16 digits each.
    var words: SIMD4<UInt64> { digest.words }

    /// The first 16 digits, which are the checksum of the key.
    var beginning: UInt64 { digest.words[0] }

    /// The digits as text.
    package var text: [UInt8] { digest.digits }

    package static func == (lhs: EntryName, rhs: EntryName) -> Bool { lhs.words == rhs.words }

    /// Nobody can choose this part of a name at will.
    package func hash(into hasher: inout Hasher) { hasher.combine(digest.words[1]) }
}
