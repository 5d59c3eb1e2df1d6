// The bytes of a text into a hash. String feeds what texts that look alike have in common: é is one character of two spellings, but two
// names of a file.

/// Hashes of texts, different for different bytes.
package enum TextHash {
    #if !ReferenceKernels
    /// Feeds the UTF-8 bytes of a text, and how many there are.
    package static func combine(_ text: String, into hasher: inout Hasher) {
        // SAFETY: the pointer is used while the text lends it, for as many bytes as it says.
        let isFed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isFed == nil { combineBytes(of: text, into: &hasher) }
        hasher.combine(text.utf8.count)
    }
    #else
    package static func combine(_ text: String, into hasher: inout Hasher) {
        combineBytes(of: text, into: &hasher)
        hasher.combine(text.utf8.count)
    }
    #endif

    /// The same byte for byte, which feeds the same.
    package static func combineBytes(of text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
