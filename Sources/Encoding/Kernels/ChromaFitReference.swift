// Plain twin of ChromaFitKernels: one word at a time, and none after the last.

import ImageCodecsCore

/// See the functions of the same names in ``ChromaFitKernels``.
package enum ChromaFitReference {
    package static func reduce(
        rows: (Int, Int, Int, Int), count: Int, box: Int, adjoint: Int, in workspace: inout MutableRawSpan
    ) {
        for x in 0..<count {
            func column(_ word: Int) -> Int {
                let outer = Int(workspace.word(rows.0, word)) + Int(workspace.word(rows.3, word))
                return outer + 3 * (Int(workspace.word(rows.1, word)) + Int(workspace.word(rows.2, word)))
            }
            func pair(_ word: Int) -> Int { Int(workspace.word(rows.1, word)) + Int(workspace.word(rows.2, word)) }
            let mean = (pair(2 * x) + pair(2 * x + 1) + 1) >> 1
            let sum = column(2 * x - 1) + 3 * (column(2 * x) + column(2 * x + 1)) + column(2 * x + 2)
            workspace.setWord(Int16(clamping: mean), box, x)
            workspace.setWord(Int16(clamping: (sum + 16) >> 5), adjoint, x)
        }
    }

    package static func correction(
        rows: (Int, Int, Int), adjoint: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        smoothDown(rows, count, room, in: &workspace)
        for x in 0..<count {
            let error = workspace.word(adjoint, x) &- smoothAcross(room, x, in: workspace.bytes)
            workspace.setWord((error &<< 1) &- part(error, 26214), result, x)
        }
    }

    package static func fitted(
        rows: (Int, Int, Int), box: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        smoothDown(rows, count, room, in: &workspace)
        for x in 0..<count {
            let smooth = smoothAcross(room, x, in: workspace.bytes)
            let change = workspace.word(rows.1, x) &- smooth
            let sum = workspace.word(box, x) &+ (change &<< 1) &+ part(smooth, 26214)
            workspace.setWord(max(-2048, min(2032, (sum &+ 1) >> 1)), result, x)
        }
    }

    /// `value` times `factor` / 65536, rounded down.
    private static func part(_ value: Int16, _ factor: Int32) -> Int16 {
        Int16(truncatingIfNeeded: (Int32(value) * factor) >> 16)
    }

    private static func smooth(_ before: Int16, _ here: Int16, _ after: Int16) -> Int16 {
        here &+ part((before &+ after) &- (here &<< 1), 12288)
    }

    private static func smoothDown(
        _ rows: (Int, Int, Int), _ count: Int, _ room: Int, in workspace: inout MutableRawSpan
    ) {
        for x in 0..<count {
            let value = smooth(workspace.word(rows.0, x), workspace.word(rows.1, x), workspace.word(rows.2, x))
            workspace.setWord(value, room, x)
        }
        workspace.setWord(workspace.word(room, 0), room, -1)
        workspace.setWord(workspace.word(room, count - 1), room, count)
    }

    private static func smoothAcross(_ room: Int, _ x: Int, in workspace: RawSpan) -> Int16 {
        smooth(workspace.word(room, x - 1), workspace.word(room, x), workspace.word(room, x + 1))
    }
}

#if ReferenceKernels
package typealias ChromaFitKernels = ChromaFitReference
#endif
