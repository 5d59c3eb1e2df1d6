// Small steps on rows of words: the edge of a picture repeated, means brought to the scale of samples.

import ImageCodecsCore

package enum EdgeKernels {
    /// Repeats the first word of a row before it, and the last from `width` to `end`.
    package static func extend(_ offset: Int, from width: Int, to end: Int, in workspace: inout MutableRawSpan) {
        precondition(width >= 1 && end >= width)
        let first = workspace.bytes.nativeUInt16(at: offset)
        let last = workspace.bytes.nativeUInt16(at: offset + 2 * width - 2)
        workspace.storeBytes(of: first, toByteOffset: offset - 2, as: UInt16.self)
        for word in width..<end { workspace.storeBytes(of: last, toByteOffset: offset + 2 * word, as: UInt16.self) }
    }

    /// 5 fractional bits to 4.
    package static func halve(_ offset: Int, count: Int, into result: Int, in workspace: inout MutableRawSpan) {
        for word in 0..<count {
            let value = Int16(bitPattern: workspace.bytes.nativeUInt16(at: offset + 2 * word))
            workspace.storeBytes(of: (value + 1) >> 1, toByteOffset: result + 2 * word, as: Int16.self)
        }
    }
}
