// The zero byte after each 0xFF of entropy-coded data.

import ImageCodecsCore

#if !ReferenceKernels
/// Byte stuffing, eight bytes at a time.
///
/// - Source: ITU-T T.81 (1992) §F.1.2.3 "Byte stuffing".
package enum ByteStuffingKernels {
    /// Copies bytes and inserts a zero after each 0xFF.
    ///
    /// - Returns: Bytes written.
    /// - Precondition: `target` has twice as many bytes, and eight more.
    package static func stuff(_ source: RawSpan, into target: inout MutableRawSpan) -> Int {
        let count = source.byteCount
        precondition(target.byteCount >= 2 * count + 8)
        var read = 0
        var written = 0
        while read &+ 8 <= count {
            // SAFETY: eight bytes from `read` on are in the source; at most 2 * read bytes were written before.
            let group = unsafe source.unsafeLoadUnaligned(fromUncheckedByteOffset: read, as: UInt64.self)
            unsafe target.storeBytes(of: group, toUncheckedByteOffset: written, as: UInt64.self)
            let inverted = ~group
            if (inverted &- 0x0101_0101_0101_0101) & group & 0x8080_8080_8080_8080 == 0 {
                read &+= 8
                written &+= 8
                continue
            }
            unsafe stuffBytes(source, &read, read &+ 8, &target, &written)
        }
        unsafe stuffBytes(source, &read, count, &target, &written)
        return written
    }

    /// One byte after another.
    @unsafe @inline(__always)
    private static func stuffBytes(
        _ source: RawSpan, _ read: inout Int, _ end: Int, _ target: inout MutableRawSpan, _ written: inout Int
    ) {
        while read < end {
            // SAFETY: `end` is in the source; two bytes are written for each that is read.
            let byte = unsafe source.unsafeLoad(fromUncheckedByteOffset: read, as: UInt8.self)
            unsafe target.storeBytes(of: byte, toUncheckedByteOffset: written, as: UInt8.self)
            unsafe target.storeBytes(of: 0, toUncheckedByteOffset: written &+ 1, as: UInt8.self)
            read &+= 1
            written &+= byte == 0xFF ? 2 : 1
        }
    }
}
#endif
