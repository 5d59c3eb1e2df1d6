// What makes two pieces of work the same.

package import ImageCaching
package import ImageCodecsCore

/// The name of a step: callers whose steps have equal names share one. An object, as tables that hold many are passed on then at the
/// cost of a reference each.
package final class WorkKey: Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A finished picture from the disk, or all that follows.
        case result
        /// Bytes, from the disk or the source.
        case transfer
        /// A picture of those bytes.
        case decode
        /// What a transformation makes of a picture.
        case transformation
    }

    package let kind: Kind
    /// The source alone for a transfer, with the variant for a picture.
    package let key: CacheKey
    /// How the bytes are got: callers that ask for the source again do not share what comes from the disk.
    package let policy: CachePolicy
    package let isOnlyFromCache: Bool
    /// Callers with other limits do not share a decode, which may be refused.
    package let limits: DecodingLimits

    /// The hash of the kind and the key.
    package var hash: Int { key.hash &+ Int(kind.rawValue) &* 0x9E37_79B9 }

    /// The key of a step that is gone.
    static let none = WorkKey(kind: .result, key: CacheKey(source: ""))

    package init(
        kind: Kind, key: CacheKey, policy: CachePolicy = .all, isOnlyFromCache: Bool = false,
        limits: DecodingLimits = .default
    ) {
        (self.kind, self.key, self.isOnlyFromCache, self.limits) = (kind, key, isOnlyFromCache, limits)
        // Who wants the source to be asked does not share what comes from the disk without asking.
        self.policy = policy.intersection(
            kind == .result ? [.readsOriginals, .readsResults, .revalidates] : [.readsOriginals, .revalidates])
    }
}

extension WorkKey: Equatable {
    package static func == (lhs: WorkKey, rhs: WorkKey) -> Bool {
        lhs === rhs
            || lhs.kind == rhs.kind && lhs.key == rhs.key && lhs.policy == rhs.policy
                && lhs.isOnlyFromCache == rhs.isOnlyFromCache && lhs.limits == rhs.limits
    }
}
