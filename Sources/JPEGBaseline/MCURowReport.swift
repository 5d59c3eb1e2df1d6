// Which MCU rows of a picture are decoded.

import ImageCodecsCore

/// Records for each MCU row of the frame which parts were delivered (all at once, or component by component), and
/// whether it is damaged.
package struct MCURowReport: Hashable, Sendable {
    /// A bit for each part of the row that was delivered, and ``damaged``.
    private var parts: [UInt8]
    /// All bits of a whole row.
    private let whole: UInt8
    private static let damaged: UInt8 = 0x80
    /// MCU rows from the top of which there is something to show, damaged or not.
    package private(set) var deliveredRowCount = 0
    private let rowHeight: Int
    private var height: Int
    /// Rows next to a border between MCU rows that are interpolated from both.
    private let overlap: Int

    /// - Parameter parts: In how many parts a row is delivered: one per component that may come in a scan of its own, one
    ///   for a picture of one scan.
    package init(_ geometry: FrameGeometry, parts: Int) {
        self.parts = Array(repeating: 0, count: geometry.mcuRows)
        whole = UInt8((1 << parts) - 1)
        rowHeight = 8 * geometry.maximumVerticalSampling
        height = geometry.size.height
        overlap = geometry.needsContextRows ? 8 / geometry.scale.rawValue : 0
    }

    /// Forgets the rows below the first `height` of the picture.
    package mutating func limit(to height: Int) {
        self.height = min(height, self.height)
        parts = Array(parts.prefix((self.height + rowHeight - 1) / rowHeight))
        deliveredRowCount = min(deliveredRowCount, parts.count)
    }

    /// Takes note of a decoded row.
    ///
    /// - Parameters:
    ///   - delivered: The parts that it brings; none for a scan that only refines.
    ///   - isDecoded: Whether all of it came from the file undamaged.
    package mutating func record(row: Int, delivered: some Sequence<Int>, isDecoded: Bool) {
        for part in delivered { parts[row] |= 1 << UInt8(part) }
        if !isDecoded { parts[row] |= Self.damaged }
        while deliveredRowCount < parts.count, parts[deliveredRowCount] != 0 { deliveredRowCount += 1 }
    }

    /// Rows of the picture that are whole and undamaged.
    ///
    /// - Parameters:
    ///   - mcuRows: How many MCU rows from the top are looked at; all by default.
    ///   - isEstimated: Whether coefficients were estimated from those of neighbours, at most two MCU rows away.
    package func rows(ofFirst mcuRows: Int = .max, isEstimated: Bool = false) -> [Range<Int>] {
        // A sum: what is interpolated reaches one row beyond what estimates reach.
        let overlap = overlap + (isEstimated ? 2 * rowHeight : 0)
        return wholeRows(ofFirst: mcuRows).compactMap { range in
            let first = range.lowerBound + (range.lowerBound > 0 ? overlap : 0)
            let end = range.upperBound - (range.upperBound < height ? overlap : 0)
            return first < end ? first..<end : nil
        }
    }

    private func wholeRows(ofFirst mcuRows: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for (row, parts) in parts.prefix(mcuRows).enumerated() where parts == whole {
            let range = row * rowHeight..<min((row + 1) * rowHeight, height)
            if let last = result.last, last.upperBound == range.lowerBound {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
        return result
    }
}
