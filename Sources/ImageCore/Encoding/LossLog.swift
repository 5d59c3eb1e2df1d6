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
    /// What says how samples are meant as colours is left out: gamma, primaries, code points, a profile of other channels.
    case colorDescription
    /// Texts, comments or IPTC data are left out.
    case texts
    /// The animation is to be played more often than the format can say, and is played as often as it can.
    case plays
}

/// Collects what was lost, and how often.
package final class LossLog: Sendable, Hashable {
    private let counts = Mutex([Int](repeating: 0, count: EncodingLoss.allCases.count))

    package init() {}

    /// Records a loss once more.
    package func record(_ loss: EncodingLoss) {
        counts.withLock { $0[loss.rawValue] = $0[loss.rawValue].addingSaturated(1) }
    }

    /// Begins anew, for another attempt at the same file.
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
