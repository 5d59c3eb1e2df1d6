// What a format could not keep of a picture or an animation: for those who tell people.

import Synchronization

/// Something that a format has no place for.
package enum EncodingLoss: Int, Hashable, Sendable, CaseIterable {
    /// Translucent pixels have become opaque or transparent.
    case translucency
    /// There are more colours than the format holds, so that pixels have others.
    case colors
    /// Durations are rounded to what the format can say.
    case durations
    /// Frames that equal the one before are part of it now.
    case frames
    /// Samples of sixteen bits are rounded to eight.
    case sampleDepth
    /// The animation is to be played more often than the format can say, and is played as often as it can.
    case plays
}

/// Collects what was lost, and how often.
package final class LossLog: Sendable, Hashable {
    private let counts = Mutex([Int](repeating: 0, count: EncodingLoss.allCases.count))
    private let metadata = Mutex(Set<ImageMetadata.Kind>())

    package init() {}

    /// Records kinds of metadata of which something is left out.
    package func record(_ kinds: Set<ImageMetadata.Kind>) { metadata.withLock { $0.formUnion(kinds) } }

    /// Kinds of metadata of which something is left out.
    package var lostMetadata: Set<ImageMetadata.Kind> { metadata.withLock { $0 } }

    /// Records a loss once more.
    package func record(_ loss: EncodingLoss) {
        counts.withLock { $0[loss.rawValue] = $0[loss.rawValue].addingSaturated(1) }
    }

    /// Begins anew, for another attempt at the same file; metadata are lost in all of them.
    package func clear() {
        counts.withLock { counts in
            for place in counts.indices { counts[place] = 0 }
        }
    }

    /// How often something was lost.
    package func count(of loss: EncodingLoss) -> Int { counts.withLock { $0[loss.rawValue] } }

    package static func == (first: LossLog, second: LossLog) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
