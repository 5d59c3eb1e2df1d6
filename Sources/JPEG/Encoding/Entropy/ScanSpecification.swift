// One scan of a file that is written.

import JPEGBaselineCodec

/// Which coefficients of which components a scan carries.
///
/// - Source: ITU-T T.81 (1992) §B.2.3 "Scan header syntax".
package struct ScanSpecification: Hashable, Sendable {
    /// Indices into the frame's components, ascending.
    package let components: [Int]
    /// `Ss` and `Se`.
    package let spectralStart: Int
    package let spectralEnd: Int
    /// `Ah` and `Al`.
    package let approximationHigh: Int
    package let approximationLow: Int
    /// Whether the frame is progressive.
    package let isProgressive: Bool

    private init(
        _ components: [Int], _ start: Int, _ end: Int, high: Int = 0, low: Int = 0, isProgressive: Bool = true
    ) {
        self.components = components
        spectralStart = start
        spectralEnd = end
        approximationHigh = high
        approximationLow = low
        self.isProgressive = isProgressive
    }

    /// All coefficients, of a sequential frame.
    package static func sequential(_ components: [Int]) -> ScanSpecification {
        ScanSpecification(components, 0, 63, isProgressive: false)
    }

    /// DC coefficients without their lowest `low` bits.
    package static func dcFirst(_ components: [Int], low: Int = 0) -> ScanSpecification {
        ScanSpecification(components, 0, 0, low: low)
    }

    /// Bit `low` of DC coefficients.
    package static func dcRefinement(_ components: [Int], low: Int) -> ScanSpecification {
        ScanSpecification(components, 0, 0, high: low + 1, low: low)
    }

    /// A band of one component without its lowest `low` bits.
    package static func acFirst(_ component: Int, _ band: ClosedRange<Int>, low: Int = 0) -> ScanSpecification {
        ScanSpecification([component], band.lowerBound, band.upperBound, low: low)
    }

    /// Bit `low` of a band of one component.
    package static func acRefinement(_ component: Int, _ band: ClosedRange<Int>, low: Int) -> ScanSpecification {
        ScanSpecification([component], band.lowerBound, band.upperBound, high: low + 1, low: low)
    }

    /// What it is in a progressive frame.
    package var kind: ScanKind { ScanKind(spectralStart: spectralStart, approximationHigh: approximationHigh) }
}
