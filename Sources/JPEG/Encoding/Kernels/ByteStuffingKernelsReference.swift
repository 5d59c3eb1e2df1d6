// Byte stuffing, plain.

import ImageCodecsCore

/// The plain twin of `ByteStuffingKernels`.
package enum ByteStuffingKernelsReference {
    /// See `ByteStuffingKernels.stuff`.
    package static func stuff(_ source: RawSpan, into target: inout MutableRawSpan) -> Int {
        var written = 0
        for read in 0..<source.byteCount {
            let byte = source.byte(at: read)
            target.setByte(byte, at: written)
            written += 1
            guard byte == 0xFF else { continue }
            target.setByte(0, at: written)
            written += 1
        }
        return written
    }
}

#if ReferenceKernels
package typealias ByteStuffingKernels = ByteStuffingKernelsReference
#endif
