// Small steps on rows of words: means, brought to the scale of samples.

import ImageCodecsCore
import ImageEncoding

/// Steps on rows of `Int16` in a workspace, given by byte offsets.
enum RowMeans {
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
