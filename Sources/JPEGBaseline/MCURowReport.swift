// Which MCU rows of a picture are real.

import ImageCore

/// Counts, for each MCU row of the frame, the components whose samples are there, and remembers damage.
package struct MCURowReport: Hashable, Sendable {
    /// Components that a row of this many delivered passes has; -1 once damaged.
    private var counts: [Int8]
    private let needed: Int8
    private let rowHeight: Int
    private let height: Int

    /// - Parameter passes: How often a row is delivered before it is whole: once per component that comes in a scan
    ///   of its own, once for a picture of one scan.
    package init(_ geometry: FrameGeometry, passes: Int) {
        counts = Array(repeating: 0, count: geometry.mcuRows)
        needed = Int8(passes)
        rowHeight = 8 * geometry.maximumVerticalSampling
        height = geometry.size.height
    }

    /// Takes note of a decoded row.
    ///
    /// - Parameters:
    ///   - delivered: Passes the row has got with it; 0 for a scan that only refines.
    ///   - isReal: Whether all of it came from the file undamaged.
    package mutating func note(row: Int, delivered: Int, isReal: Bool) {
        guard isReal else {
            counts[row] = -1
            return
        }
        if counts[row] >= 0 { counts[row] = min(needed, counts[row] + Int8(delivered)) }
    }

    /// Rows of the picture that are whole and undamaged.
    package var rows: [Range<Int>] {
        var result: [Range<Int>] = []
        for (row, count) in counts.enumerated() where count == needed {
            let range = row * rowHeight..<min((row + 1) * rowHeight, height)
            if let last = result.last, last.upperBound == range.lowerBound {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// MCU rows from the top that were delivered whole, damaged or not.
    package var deliveredRowCount: Int { counts.firstIndex { $0 >= 0 && $0 < needed } ?? counts.count }
}
