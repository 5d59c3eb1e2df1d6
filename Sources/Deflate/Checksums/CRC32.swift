// The CRC-32 of PNG chunks and gzip members.

package import ImageCodecsCore

/// The CRC-32 of everything added so far: what ends every chunk of a PNG file.
///
/// Source: PNG 3rd ed. §5.5 "CRC algorithm".
package struct CRC32: Hashable, Sendable {
    /// The checksum of everything added so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// Adds bytes in steps between which the clock is asked.
    package mutating func add(_ bytes: Span<UInt8>, work: inout WorkGuard) throws(ImageError) {
        var position = 0
        while position < bytes.count {
            let end = min(position + WorkGuard.stepByteCount, bytes.count)
            add(bytes.extracting(position..<end))
            position = end
            try work.check()
        }
    }

    /// Adds bytes.
    package mutating func add(_ bytes: ArraySlice<UInt8>) { add(bytes.span) }

    /// Adds bytes.
    package mutating func add(_ bytes: Span<UInt8>) {
        value = ~CRC32Kernel.add(bytes, to: ~value)
    }
}
