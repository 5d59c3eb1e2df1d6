// Which MCU rows of a picture are decoded.

import ImageCodecsCore

/// Records for each MCU row of the frame which parts were delivered (all at once, or component by component), and
/// whether it is damaged.
package struct MCURowReport: Hashable, Sendable {
    /// For each row a bit for each part that was delivered, and ``damaged``; empty while the rows came whole, undamaged and in
    /// order, as those of most pictures of one scan do: then they are the first ``deliveredRowCount``.
    private var parts: [UInt8] = []
    private var mcuRows: Int
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
        mcuRows = geometry.mcuRows
        whole = UInt8((1 << parts) - 1)
        rowHeight = geometry.unitSide * geometry.maximumVerticalSampling
        height = geometry.size.height
        overlap = geometry.needsContextRows ? 8 / geometry.scale.rawValue : 0
    }

    /// Forgets the rows below the first `height` of the picture.
    package mutating func limit(to height: Int) {
        self.height = min(height, self.height)
        mcuRows = min(mcuRows, (self.height + rowHeight - 1) / rowHeight)
        if parts.count > mcuRows { parts.removeLast(parts.count - mcuRows) }
        deliveredRowCount = min(deliveredRowCount, mcuRows)
    }

    /// Records a decoded row.
    ///
    /// - Parameters:
    ///   - delivered: The parts that it brings; none for a scan that only refines.
    ///   - isDecoded: Whether all of it came from the file undamaged.
    package mutating func record(row: Int, delivered: some Sequence<Int>, isDecoded: Bool) {
        var bits = isDecoded ? 0 : Self.damaged
        for part in delivered { bits |= 1 << UInt8(part) }
        if parts.isEmpty {
            if row == deliveredRowCount, bits == whole {
                deliveredRowCount += 1
                return
            }
            parts = Array(repeating: whole, count: deliveredRowCount)
            parts += Array(repeating: 0, count: mcuRows - deliveredRowCount)
        }
        parts[row] |= bits
        while deliveredRowCount < mcuRows, parts[deliveredRowCount] != 0 { deliveredRowCount += 1 }
    }

    /// Whether all rows of the picture are whole and undamaged.
    package var isWhole: Bool {
        parts.isEmpty ? deliveredRowCount == mcuRows : parts.allSatisfy { $0 == whole }
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
        if parts.isEmpty {
            let count = min(mcuRows, deliveredRowCount)
            return count > 0 ? [0..<min(count * rowHeight, height)] : []
        }
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
