// Bytes of any kind for incremental decoders.

extension IncrementalImageDecoder {
    /// Decodes as far as `newBytes` allow; see `append(_:)` for spans.
    @discardableResult
    public mutating func append(_ newBytes: [UInt8]) throws(ImageError) -> DecodingProgress {
        try append(contentsOf: newBytes)
    }

    /// Decodes as far as `newBytes` allow. The bytes are copied only if they are not contiguous in memory: arrays,
    /// slices of arrays, `Data` and the views of most buffers are contiguous; see `append(_:)` for spans.
    @discardableResult
    public mutating func append(contentsOf newBytes: some Sequence<UInt8>) throws(ImageError) -> DecodingProgress {
        try newBytes.withContiguousBytes { (bytes) throws(ImageError) in try append(bytes) }
    }
}
