// Small steps on rows of words: the edge of a picture repeated, means brought to the scale of samples.

import ImageCodecsCore

/// Steps on rows of `Int16` in a workspace, given by byte offsets.
enum RowEdges {
    /// Repeats the first word of a row before it, and the last from `width` to `end`.
    static func extend(_ offset: Int, from width: Int, to end: Int, in workspace: inout MutableRawSpan) {
        precondition(width >= 1 && end >= width)
        let first = workspace.bytes.nativeUInt16(at: offset)
        let last = workspace.bytes.nativeUInt16(at: offset + 2 * width - 2)
        workspace.storeBytes(of: first, toByteOffset: offset - 2, as: UInt16.self)
        for word in width..<end { workspace.storeBytes(of: last, toByteOffset: offset + 2 * word, as: UInt16.self) }
    }

    /// Means of `across` words of each of several rows.
    static func average(
        _ rows: [Int], across: Int, count: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        let total = across * rows.count
        for word in 0..<count {
            var sum = total / 2
            for row in rows { for x in across * word..<across * (word + 1) { sum += Int(workspace.word(row, x)) } }
            workspace.setWord(Int16(truncatingIfNeeded: sum >> total.trailingZeroBitCount), result, word)
        }
    }

    /// Brings `count` words from 5 fractional bits to 4.
    static func halve(_ offset: Int, count: Int, into result: Int, in workspace: inout MutableRawSpan) {
        for word in 0..<count {
            let value = workspace.word(offset, word)
            workspace.setWord((value + 1) >> 1, result, word)
        }
    }
}

extension RawSpan {
    /// Word `index` of the row at byte offset `row`.
    func word(_ row: Int, _ index: Int) -> Int16 { Int16(bitPattern: nativeUInt16(at: row + 2 * index)) }
}

extension MutableRawSpan {
    /// Word `index` of the row at byte offset `row`.
    func word(_ row: Int, _ index: Int) -> Int16 { bytes.word(row, index) }

    /// Sets word `index` of the row at byte offset `row`.
    mutating func setWord(_ value: Int16, _ row: Int, _ index: Int) {
        storeBytes(of: value, toByteOffset: row + 2 * index, as: Int16.self)
    }
}
