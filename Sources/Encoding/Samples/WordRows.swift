// Rows of samples with fractional bits, between the stages of an encoder: words of 16 bits in one block of memory.
//
//      margin      word 0 ...                      margin
//     ┌──────┬────────────────────────────────────┬──────┐
//     │      │ row 0                              │      │    a window holds the last few rows of a picture: row
//     ├──────┼────────────────────────────────────┼──────┤    `rowCount` takes the place of row 0
//     │      │ row 1                              │      │
//     └──────┴────────────────────────────────────┴──────┘

import ImageCodecsCore

/// Rows that follow each other in a ring.
package struct RowWindow: Sendable {
    /// Byte offset of the first word of row 0, after its margin.
    package let origin: Int
    /// Bytes from a row to the next.
    package let stride: Int
    /// Rows that are held at once.
    package let rowCount: Int

    /// Words before and after each row.
    package static let margin = 16

    /// A window at the end of a block of memory, which grows by it.
    ///
    /// - Parameters:
    ///   - width: words of a row without its margins.
    ///   - end: bytes of the block so far.
    package init(width: Int, rowCount: Int, after end: inout Int) {
        stride = (2 * (width + 2 * Self.margin) + 63) & ~63
        origin = end + 2 * Self.margin
        self.rowCount = rowCount
        end += stride * rowCount
    }

    /// Byte offset of a row.
    package func offset(_ row: Int) -> Int { origin + row % rowCount * stride }

    /// Copies a row, its margins included, to the place of the next.
    package func repeatRow(_ row: Int, in workspace: inout MutableRawSpan) {
        let margin = 2 * Self.margin
        workspace.move(from: offset(row) - margin, to: offset(row + 1) - margin, count: stride)
    }
}

extension RawSpan {
    /// Word `index` of the row at byte offset `row`.
    package func word(_ row: Int, _ index: Int) -> Int16 { Int16(bitPattern: nativeUInt16(at: row + 2 * index)) }
}

extension MutableRawSpan {
    /// Word `index` of the row at byte offset `row`.
    package func word(_ row: Int, _ index: Int) -> Int16 { bytes.word(row, index) }

    /// Sets word `index` of the row at byte offset `row`.
    package mutating func setWord(_ value: Int16, _ row: Int, _ index: Int) {
        storeBytes(of: value, toByteOffset: row + 2 * index, as: Int16.self)
    }

    /// Repeats the first word of the row at byte offset `row` before it, and the last from `width` to `end`.
    package mutating func extendWords(_ row: Int, from width: Int, to end: Int) {
        precondition(width >= 1 && end >= width)
        let (first, last) = (word(row, 0), word(row, width - 1))
        setWord(first, row, -1)
        for index in width..<end { setWord(last, row, index) }
    }
}
