// The bytes of a text into a hash. String feeds what texts that look alike have in common: é is one character of two spellings, but two
// names of a file.

/// Hashes of texts, different for different bytes.
package enum TextHash {
    /// Feeds the UTF-8 bytes of a text, and how many there are.
    package static func combine(_ text: String, into hasher: inout Hasher) {
        #if !ReferenceKernels
        // SAFETY: the pointer is used while the text lends it, for as many bytes as it says.
        let isFed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        #else
        let isFed: Void? = nil
        #endif
        if isFed == nil { combineBytes(of: text, into: &hasher) }
        hasher.combine(text.utf8.count)
    }

    /// The same byte for byte, which feeds the same.
    package static func combineBytes(of text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// The XXH64 of the UTF-8 bytes of a text, the same in every process.
    package static func checksum(of text: String, seed: UInt64 = 0) -> UInt64 {
        #if !ReferenceKernels
        // SAFETY: the span is used while the text lends its bytes.
        let checksum = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            XXHash64.hash(of: unsafe Span(_unsafeElements: bytes), seed: seed)
        }
        if let checksum { return checksum }
        #endif
        return XXHash64.hash(of: Array(text.utf8)[...], seed: seed)
    }
}
