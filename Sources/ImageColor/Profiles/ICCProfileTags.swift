// The tags of a profile, for people who want to see what is in it.

import ImageCodecsCore

/// An entry of a profile's tag table.
///
/// - Source: ICC.1:2022 §7.3 "Tag table".
package struct ICCProfileTag: Hashable, Sendable {
    /// What it is for: `rTRC`, `A2B0`.
    package let name: String
    /// How it is written: `curv`, `mft2`; empty if it lies beyond the profile.
    package let type: String
    /// Where it begins in the profile.
    package let offset: Int
    /// Its length as the table says.
    package let byteCount: Int

    /// The tags of a profile in the order of its table, as far as the bytes go: at most as many as profiles may have that are used.
    package static func list(in profile: [UInt8]) -> [ICCProfileTag] {
        guard profile.count >= 132 else { return [] }
        let count = min(Int(profile.word32(at: 128)), (profile.count - 132) / 12, ICCProfileReader.maxTagCount)
        return (0..<count).map { index in
            let entry = 132 + 12 * index
            let offset = Int(profile.word32(at: entry + 4))
            return ICCProfileTag(
                name: profile.signature(at: entry),
                type: offset <= profile.count - 4 ? profile.signature(at: offset) : "", offset: offset,
                byteCount: Int(profile.word32(at: entry + 8)))
        }
    }
}
