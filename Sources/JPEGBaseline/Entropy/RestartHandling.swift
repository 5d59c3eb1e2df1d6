// Restart markers: the places at which decoding can resume after damage.

package import ImageCodecsCore

/// Counts restart intervals and finds the marker between two of them.
///
/// A plain value, part of a scan's checkpoint.
///
/// - Source: ITU-T T.81 (1992) §E.2.4 "Control procedure for decoding a restart interval".
package struct RestartHandling: Hashable, Sendable {
    /// MCUs between restart markers, 0 for none.
    package let interval: Int
    private let mayEndWithLines: Bool
    /// MCUs left in the current interval; meaningless when `interval` is 0.
    package private(set) var remaining: Int
    /// The number of the next marker, 0...7.
    private var expected = 0

    /// - Parameter mayEndWithLines: Whether a DNL segment may stand in place of a restart marker; see ``ScanHeader``.
    package init(interval: Int, mayEndWithLines: Bool = false) {
        self.interval = interval
        self.mayEndWithLines = mayEndWithLines
        remaining = interval
    }

    /// Whether a restart marker comes before the next MCU.
    package var isDue: Bool { interval > 0 && remaining == 0 }

    /// How many of the next `count` MCUs come before the next restart marker.
    package func limit(_ count: Int) -> Int { interval > 0 ? min(count, remaining) : count }

    /// Counts MCUs.
    package mutating func advance(by count: Int) {
        if interval > 0 { remaining -= count }
    }

    /// What the search for a restart marker came to.
    package enum Outcome: Equatable {
        /// The next interval begins at `position`; its marker may have another number than the one expected.
        case found(position: Int, isExpected: Bool)
        /// The marker is missing: another one follows at `position`, and the next interval is empty.
        case missing(position: Int)
        /// More bytes are needed, from `position` on.
        case needsMoreInput(position: Int)
    }

    /// Looks for the marker that is due.
    ///
    /// Where another restart marker stands in its place, the decision is libjpeg's: one of the next two means that
    /// data are missing, and the interval is left empty; one of the last two is skipped; any other is taken as the
    /// one expected, with a damaged number.
    ///
    /// - Parameter work: Asked now and then.
    /// - Throws: `corrupt` under `.strict` unless the right marker follows.
    package mutating func findMarker(
        in input: Span<UInt8>, from start: Int, offset: Int, strictness: DecodingOptions.Strictness,
        work: inout WorkGuard
    ) throws(ImageError) -> Outcome {
        var position = start
        while true {
            let marker: Marker
            let end: Int
            switch try MarkerReader.next(in: input, from: position, work: work) {
            case .needsMoreInput(let resumeAt, _): return .needsMoreInput(position: resumeAt)
            case .found(let found, let foundEnd, _): (marker, end) = (found, foundEnd)
            }
            // Not while it is waited for, which each piece of the input asks anew.
            try work.spend(16)
            let endsWithLines = marker == .dnl && mayEndWithLines
            if marker.restartNumber != expected, strictness == .strict, !endsWithLines {
                let code: DamageCode = marker.restartNumber == nil ? .jpegRestartMissing : .jpegRestartNumber
                throw .corruptJPEG(code, offset + end - 2, "restart marker \(expected) is missing")
            }
            switch decision(about: marker) {
            case .take:
                let isExpected = marker.restartNumber == expected
                beginInterval()
                return .found(position: end, isExpected: isExpected)
            case .skip:
                position = end
            case .leave:
                beginInterval()
                return .missing(position: end - 2)
            }
        }
    }

    /// Begins the next interval without a marker: the input has ended.
    package mutating func skipInterval() { beginInterval() }

    private enum Decision { case take, skip, leave }

    private func decision(about marker: Marker) -> Decision {
        guard let number = marker.restartNumber else {
            return marker.isReserved ? .skip : .leave
        }
        return switch (number - expected) & 7 {
        case 1, 2: .leave
        case 6, 7: .skip
        default: .take
        }
    }

    private mutating func beginInterval() {
        expected = (expected + 1) & 7
        remaining = interval
    }
}
