// Where the token partitions lie in the frame.
//
//   10 bytes │ first partition │ 3 bytes each: sizes of all partitions but the last │ partition 0 │ partition 1 │ ...
//
// Rows of macroblocks take turns: with four partitions, rows 0, 4, 8 ... are in the first. So a decoder needs bytes of all
// of them at once, and keeps from the first of which it needs more.

package import ImageCodecsCore

/// The token partitions of a frame.
///
/// - Source: RFC 6386 section 9.5 "Token Partition and Partition Data Offsets"
package struct TokenPartitions: Hashable, Sendable {
    /// Where each partition lies in the frame.
    package let ranges: [Range<Int>]
    /// Where decoding of each stands; readers count from the start of the frame.
    package var readers: [BooleanState]

    /// Bytes of the table of sizes.
    package static func tableByteCount(partitionCount: Int) -> Int { 3 * (partitionCount - 1) }

    /// Reads the table of sizes.
    ///
    /// - Parameters:
    ///   - table: its bytes.
    ///   - start: where it stands in the frame.
    ///   - frameByteCount: bytes of the frame, `.max` if that is not known.
    ///   - offset: where the table stands in the file.
    package init(
        _ table: Span<UInt8>, partitionCount: Int, start: Int, frameByteCount: Int, offset: Int
    ) throws(ImageError) {
        var ranges: [Range<Int>] = []
        var position = start + Self.tableByteCount(partitionCount: partitionCount)
        for index in 0..<partitionCount - 1 {
            let byteCount = Int(table.littleEndianUInt16(at: 3 * index)) | Int(table[3 * index + 2]) << 16
            // As other decoders do, a partition is cut off where the frame ends.
            let end = min(position + byteCount, frameByteCount)
            ranges.append(min(position, end)..<end)
            position = end
        }
        guard position < frameByteCount else {
            throw .corrupt(
                .webP, .vp8Partitions, offset: offset, reason: "nothing is left for the last token partition")
        }
        ranges.append(position..<frameByteCount)
        self.ranges = ranges
        readers = ranges.map { BooleanState(next: $0.lowerBound) }
    }

    /// The partition of a row.
    package func index(ofRow row: Int) -> Int { row & (ranges.count - 1) }

    /// The first byte of the frame that rows from `row` on need.
    package func firstNeeded(fromRow row: Int, rowCount: Int) -> Int {
        var first = Int.max
        for next in row..<min(row + ranges.count, rowCount) { first = min(first, readers[index(ofRow: next)].next) }
        return first
    }
}
