// What a format could not keep of a picture or an animation: for those who tell people.

import Synchronization

/// Something that a format has no place for.
package enum EncodingLoss: Int, Hashable, Sendable, CaseIterable {
    /// Translucent pixels have become opaque or transparent.
    case translucency
    /// Translucent pixels are laid over a colour that nobody asked for.
    case alpha
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
    private let partlyKept = Mutex(Set<ImageMetadata.Kind>())
    private let excess = Mutex(Duration?.none)

    package init() {}

    /// Records kinds of metadata of which something is left out.
    package func record(_ kinds: Set<ImageMetadata.Kind>) { metadata.withLock { $0.formUnion(kinds) } }

    /// Kinds of metadata of which something is left out.
    package var lostMetadata: Set<ImageMetadata.Kind> { metadata.withLock { $0 } }

    /// Records kinds of metadata that were lists, of which some items are kept.
    package func record(partlyKept kinds: Set<ImageMetadata.Kind>) { partlyKept.withLock { $0.formUnion(kinds) } }

    /// Kinds of ``lostMetadata`` of which some items are kept.
    package var partlyKeptMetadata: Set<ImageMetadata.Kind> { partlyKept.withLock { $0 } }

    /// Records by how much the animation as a whole is shown longer than it should be.
    package func record(excess duration: Duration) { excess.withLock { $0 = duration } }

    /// By how much the animation as a whole is shown longer than it should be; `nil` if the format does not make up for what it rounds.
    package var excessDuration: Duration? { excess.withLock { $0 } }

    /// Records a loss once more.
    package func record(_ loss: EncodingLoss) {
        counts.withLock { $0[loss.rawValue] = $0[loss.rawValue].addingSaturated(1) }
    }

    /// Begins anew, for another attempt at the same file; metadata and alpha are lost in all of them.
    package func clear() {
        counts.withLock { counts in
            for place in counts.indices where place != EncodingLoss.alpha.rawValue { counts[place] = 0 }
        }
        excess.withLock { $0 = nil }
    }

    /// How often something was lost.
    package func count(of loss: EncodingLoss) -> Int { counts.withLock { $0[loss.rawValue] } }

    package static func == (first: LossLog, second: LossLog) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
