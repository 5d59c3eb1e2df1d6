// The four passes of interlaced GIF images, and what a viewer shows of them meanwhile.

/// Where the rows of an image go that comes in rows of four passes, as those of GIF do; no other format has rows that come whole,
/// but not from the top down.
///
/// | pass | rows | step |
/// |---|---|---|
/// | 1 | from 0 | 8 |
/// | 2 | from 4 | 8 |
/// | 3 | from 2 | 4 |
/// | 4 | from 1 | 2 |
///
/// Source: GIF89a Appendix E "Interlaced Images".
package struct RowInterlacing: Hashable, Sendable {
    /// Rows of the image.
    package let height: Int
    private static let starts = [0, 4, 2, 1]
    private static let steps = [8, 8, 4, 2]

    package init(height: Int) { self.height = height }

    /// The row that comes as number `index`, and how many it stands for until later passes bring their own.
    ///
    /// - Precondition: `index` is in `0..<height`.
    package func row(_ index: Int) -> (y: Int, shownRows: Range<Int>) {
        let (first, second, third) = (Self.count(0, height), Self.count(1, height), Self.count(2, height))
        let (y, shownCount): (Int, Int)
        if index < first {
            (y, shownCount) = (8 * index, 8)
        } else if index < first + second {
            (y, shownCount) = (4 + 8 * (index - first), 4)
        } else if index < first + second + third {
            (y, shownCount) = (2 + 4 * (index - first - second), 2)
        } else {
            (y, shownCount) = (1 + 2 * (index - first - second - third), 1)
        }
        return (y, y..<min(height, y + shownCount))
    }

    /// Rows of a pass.
    private static func count(_ pass: Int, _ height: Int) -> Int {
        switch pass {
        case 0: (height + 7) / 8
        case 1: (height + 3) / 8
        case 2: (height + 1) / 4
        default: height / 2
        }
    }

    /// Rows that one of a pass stands for, itself included: those that no pass so far has brought.
    private static func shownCount(_ pass: Int) -> Int { [8, 4, 2, 1][pass] }

    /// As what number row `y` comes.
    ///
    /// - Precondition: `y` is in `0..<height`.
    package func index(ofRow y: Int) -> Int {
        let pass = y % 8 == 0 ? 0 : y % 8 == 4 ? 1 : y % 4 == 2 ? 2 : 3
        let before = (0..<pass).reduce(0) { $0 + Self.count($1, height) }
        return before + (y - Self.starts[pass]) / Self.steps[pass]
    }

    /// The row that shows for row `y` when `rowCount` rows came; `nil` if there is none yet.
    package func source(ofRow y: Int, rowCount: Int) -> Int? {
        for pass in (0..<4).reversed() where y >= Self.starts[pass] {
            let row = Self.starts[pass] + (y - Self.starts[pass]) / Self.steps[pass] * Self.steps[pass]
            let before = (0..<pass).reduce(0) { $0 + Self.count($1, height) }
            let index = before + (row - Self.starts[pass]) / Self.steps[pass]
            if index < rowCount, y < row + Self.shownCount(pass) { return row }
        }
        return nil
    }

    /// Rows from the top that are complete when `count` rows came.
    package func decodedRowCount(_ count: Int) -> Int {
        guard count < height else { return height }
        var before = 0
        for pass in 0..<4 {
            let rows = Self.count(pass, height)
            if count < before + rows {
                // The first row that this pass has not brought is missing, or one of a later pass above it.
                var first = Self.starts[pass] + (count - before) * Self.steps[pass]
                for later in pass + 1..<4 where Self.count(later, height) > 0 { first = min(first, Self.starts[later]) }
                return first
            }
            before += rows
        }
        return height
    }
}
