// Which MCU rows of a picture are real.

import ImageCore

/// Counts how often each MCU row of the frame was delivered (once, or once for each component), and remembers damage.
package struct MCURowReport: Hashable, Sendable {
    /// Deliveries of each row so far; -1 once damaged.
    private var counts: [Int8]
    private let needed: Int8
    /// MCU rows from the top of which there is something to show, damaged or not.
    package private(set) var deliveredRowCount = 0
    private let rowHeight: Int
    private let height: Int
    /// Rows next to a border between MCU rows that are interpolated from both.
    private let overlap: Int

    /// - Parameter passes: How often a row is delivered before it is whole: once per component that comes in a scan
    ///   of its own, once for a picture of one scan.
    package init(_ geometry: FrameGeometry, passes: Int) {
        counts = Array(repeating: 0, count: geometry.mcuRows)
        needed = Int8(passes)
        rowHeight = 8 * geometry.maximumVerticalSampling
        height = geometry.size.height
        overlap = geometry.needsContextRows ? 8 / geometry.scale.rawValue : 0
    }

    /// Takes note of a decoded row.
    ///
    /// - Parameters:
    ///   - delivered: Passes the row has got with it; 0 for a scan that only refines.
    ///   - isReal: Whether all of it came from the file undamaged.
    package mutating func note(row: Int, delivered: Int, isReal: Bool) {
        if !isReal {
            counts[row] = -1
        } else if counts[row] >= 0 {
            counts[row] = min(needed, counts[row] + Int8(delivered))
        }
        while deliveredRowCount < counts.count, counts[deliveredRowCount] != 0 { deliveredRowCount += 1 }
    }

    /// Rows of the picture, from the top, that can be shown.
    package var shownRowCount: Int {
        deliveredRowCount == counts.count ? height : max(0, deliveredRowCount * rowHeight - overlap)
    }

    /// Rows of the picture that are whole and undamaged.
    ///
    /// - Parameter mcuRows: How many MCU rows from the top are looked at; all by default.
    package func rows(ofFirst mcuRows: Int = .max) -> [Range<Int>] {
        wholeRows(ofFirst: mcuRows).compactMap { range in
            let first = range.lowerBound + (range.lowerBound > 0 ? overlap : 0)
            let end = range.upperBound - (range.upperBound < height ? overlap : 0)
            return first < end ? first..<end : nil
        }
    }

    private func wholeRows(ofFirst mcuRows: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for (row, count) in counts.prefix(mcuRows).enumerated() where count == needed {
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
