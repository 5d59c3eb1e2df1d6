// CRC-32 of chunks.

package import ImageCore

/// The CRC-32 that ends every chunk.
///
/// Source: PNG 3rd ed. §5.5 "CRC algorithm".
package struct Checksum: Hashable, Sendable {
    /// The checksum of everything added so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    /// The checksum of a chunk type.
    package init(_ type: ChunkType) {
        add(type.bytes[...])
    }

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
