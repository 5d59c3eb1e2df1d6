// Which bits of which coefficients the scans so far have delivered, and whether the next scan may follow.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Records which bits of each coefficient the scans so far have delivered, and checks the next scan.
///
/// - Source: ITU-T T.81 (1992) §G.1.1.1.1 "Spectral selection control", §G.1.1.1.2 "Successive approximation
///   control".
package struct ScanScript: StoredScanScript {
    /// For each component and zig-zag position the lowest bit delivered; -1 if none was.
    private var lowest: [[Int8]]
    /// The same before the last scan of each component, positions 0...9.
    private var before: [[Int8]]
    private var scanCount = 0

    package init(componentCount: Int) {
        lowest = Array(repeating: Array(repeating: -1, count: 64), count: componentCount)
        before = Array(repeating: Array(repeating: -1, count: BlockSmoothing.positionCount), count: componentCount)
    }

    /// Whether every bit of every coefficient is delivered.
    package var isComplete: Bool { lowest.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// What there is to estimate from, and where the current scan is still to come.
    ///
    /// Deviation: if the current scan is of another component, libjpeg-turbo uses what was known before this one's own
    /// last scan; if that was the first scan of the frame, everything counts as known.
    package var delivered: [DeliveredBits]? {
        let count = BlockSmoothing.positionCount
        return zip(lowest, before).map { lowest, before in
            DeliveredBits(
                reached: Array(lowest[..<count]),
                beyond: scanCount == 1 ? Array(repeating: -1, count: count) : before)
        }
    }

    /// Checks a scan and records it.
    ///
    /// - Returns: `corrupt` for a scan that does not follow from those before it: AC before DC, a second first scan, a
    ///   refinement of bits that are not the next.
    /// - Throws: `corrupt` for a scan that no script can have: a DC scan with AC coefficients, an AC scan of several
    ///   components, a band or a bit out of range, a refinement by more than one bit.
    package mutating func accept(_ scan: ScanHeader) throws(ImageError) -> ImageError? {
        let (start, end) = (scan.spectralStart, scan.spectralEnd)
        let (high, low) = (scan.approximationHigh, scan.approximationLow)
        let isBandLegal =
            start == 0 ? end == 0 : start <= end && end <= 63 && scan.components.count == 1
        guard isBandLegal, low <= 13, high == 0 || low == high - 1 else {
            throw .corruptJPEG(
                .jpegScanProgression, scan.offset, "illegal progression: Ss \(start), Se \(end), Ah \(high), Al \(low)")
        }
        var isInOrder = true
        for component in scan.components {
            let count = BlockSmoothing.positionCount
            before[component.index] =
                scanCount == 0 ? Array(repeating: 0, count: count) : Array(lowest[component.index][..<count])
            for position in start...end {
                let before = Int(lowest[component.index][position])
                let follows = max(before, 0) == high && (start == 0 || lowest[component.index][0] >= 0)
                let isNew = high > 0 || before < 0
                isInOrder = isInOrder && follows && isNew
                lowest[component.index][position] = Int8(low)
            }
        }
        scanCount += 1
        return isInOrder
            ? nil : .corruptJPEG(.jpegScanOrder, scan.offset, "scan does not follow from the scans before it")
    }
}
