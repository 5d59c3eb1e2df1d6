// Which bits of which coefficients the scans so far have delivered, and whether the next scan may follow.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Records which bits of each coefficient the scans so far have delivered, and checks the next scan.
///
/// - Source: ITU-T T.81 (1992) §G.1.1.1.1 "Spectral selection control", §G.1.1.1.2 "Successive approximation
///   control".
package struct ScanScript: StoredScanScript {
    /// For each component 64 numbers: the lowest bit delivered at each zig-zag position, -1 if none was.
    private var lowest: [Int8]
    /// For each component ten: the same before its last scan.
    private var before: [Int8]
    private var scanCount = 0

    private static let smoothedCount = BlockSmoothing.positionCount

    package init(componentCount: Int) {
        lowest = Array(repeating: -1, count: componentCount * 64)
        before = Array(repeating: -1, count: componentCount * Self.smoothedCount)
    }

    private var componentCount: Int { lowest.count / 64 }

    /// Whether every bit of every coefficient is delivered.
    package var isComplete: Bool { lowest.allSatisfy { $0 == 0 } }

    /// Whether every component has DC coefficients, and of one there are bits to come among the first.
    package var hasEstimates: Bool {
        (0..<componentCount).allSatisfy { lowest[64 * $0] >= 0 }
            && (0..<componentCount).contains { component in
                (1..<Self.smoothedCount).contains { lowest[64 * component + $0] != 0 }
            }
    }

    /// What there is to estimate from, and where the current scan is still to come.
    ///
    /// Deviation: if the current scan is of another component, libjpeg-turbo uses what was known before this one's own
    /// last scan; if that was the first scan of the frame, everything counts as known.
    package var delivered: [DeliveredBits] {
        (0..<componentCount).map { component in
            let count = Self.smoothedCount
            return DeliveredBits(
                reached: Array(lowest[64 * component..<64 * component + count]),
                beyond: scanCount == 1
                    ? Array(repeating: -1, count: count)
                    : Array(before[count * component..<count * (component + 1)]))
        }
    }

    /// - Returns: `corrupt` for a scan that does not follow from those before it: AC before DC, a second first scan, a
    ///   refinement of bits that are not the next.
    /// - Throws: `corrupt` for a scan that no script can have: a DC scan with AC coefficients, an AC scan of several
    ///   components, a band or a bit out of range, a refinement by more than one bit.
    package func irregularity(of scan: ScanHeader) throws(ImageError) -> ImageError? {
        let (start, end) = (scan.spectralStart, scan.spectralEnd)
        let (high, low) = (scan.approximationHigh, scan.approximationLow)
        let isBandLegal =
            start == 0 ? end == 0 : start <= end && end <= 63 && scan.components.count == 1
        guard isBandLegal, low <= 13, high == 0 || low == high - 1 else {
            throw .corruptJPEG(
                .jpegScanProgression, scan.offset, "illegal progression: Ss \(start), Se \(end), Ah \(high), Al \(low)")
        }
        let expected = high > 0 ? Int8(high) : -1
        let isInOrder = scan.components.allSatisfy { component in
            let first = 64 * component.index
            return (start == 0 || lowest[first] >= 0)
                && lowest[first + start...first + end].allSatisfy { $0 == expected }
        }
        return isInOrder
            ? nil : .corruptJPEG(.jpegScanOrder, scan.offset, "scan does not follow from the scans before it")
    }

    package mutating func record(_ scan: ScanHeader) {
        for component in scan.components {
            let first = 64 * component.index
            for position in 0..<Self.smoothedCount {
                before[Self.smoothedCount * component.index + position] = scanCount == 0 ? 0 : lowest[first + position]
            }
            for position in first + scan.spectralStart...first + scan.spectralEnd {
                lowest[position] = Int8(scan.approximationLow)
            }
        }
        scanCount += 1
    }
}
