// How many bytes and lines are kept while the scanlines of a picture are made.

import DeflateCodec
import ImageCodecsCore

/// The buffers between the inflater and the consumer of rows.
///
/// Unpacked bytes and finished lines together take what fits into the second-level cache of small processors, so that a
/// byte is still there when its pixel is written. An example: of 4000 pixels of three bytes, four lines are kept
/// (48 000 bytes), and as many may wait.
struct ScanlineForm: Hashable, Sendable {
    /// Bytes of the longest line, without its filter type byte.
    let lineByteCount: Int
    /// How many finished lines are kept, the line above among them.
    let lineCount: Int
    /// The most lines that are undone together; 1 where they go one by one.
    let groupCount: Int
    /// Unpacked bytes that may wait.
    let capacity: Int
    /// Whether a line may be longer than what may wait.
    let collectsLines: Bool
    /// Bytes of a line of straight samples, if those of the file are others.
    let straightByteCount: Int

    /// Bytes that wait and finished lines are kept within this, if lines are not too long for it.
    private static let byteCount = 128 << 10
    /// What is held of all, with all the inflater needs, besides the line above.
    private static let largestByteCount = 176 << 10
    /// If lines are too long for it, this many wait.
    private static let pieceByteCount = 16 << 10

    init(_ header: ImageHeader) {
        let line = header.bytesPerScanline(width: header.size.width)
        let height = header.size.height
        lineByteCount = line
        straightByteCount = ApplePixels.isNeeded(header) ? line : 0
        // Pixels of more than four bytes go in pairs.
        let largest = min(header.filterDistance > 4 ? 2 : FilterGroup.largestCount, height)
        // Room for the unpacked lines of a group and as many finished ones; for a pair also the line above it.
        let room = Self.byteCount + line
        if largest > 2, 8 * (line + 1) <= room {
            (groupCount, lineCount) = (largest, 4)
        } else if largest > 1, 5 * (line + 1) <= room {
            (groupCount, lineCount) = (2, 3)
        } else {
            (groupCount, lineCount) = (1, 2)
        }
        let left = room - lineCount * line
        if groupCount > 1 || line < left {
            // A line has at most 2^17 bytes here, and a picture 2^31 lines: no overflow.
            let wanted = min(left, height * (line + 1))
            // Reckoned with our own inflater in any case: how rows come does not depend on which one unpacks them.
            let held = SwiftInflater.byteCount(capacity: wanted) + lineCount * line
            let excess = held - Self.largestByteCount - line
            capacity = max(groupCount * (line + 1), wanted - max(0, excess))
            collectsLines = false
        } else {
            capacity = Self.pieceByteCount
            collectsLines = true
        }
    }

    /// Bytes of the finished lines.
    var linesByteCount: Int { lineCount * lineByteCount }

    /// Bytes of both buffers, and of what the inflater needs besides. Saturates.
    var byteCount: Int {
        (linesByteCount + straightByteCount).addingSaturated(Inflater.byteCount(capacity: capacity))
    }
}
