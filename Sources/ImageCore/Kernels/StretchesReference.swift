// Plain twin of Stretches.

enum StretchesReference {
    /// The same, with two stretches in arrays, which the language checks: two allocations a row.
    static func run(
        _ source: RawSpan, bitsPerPixel sourceBits: Int,
        _ first: ConversionStep, bytesPerPixel middleBytes: Int, _ second: ConversionStep,
        into destination: inout MutableRawSpan, bytesPerPixel destinationBytes: Int, width: Int
    ) {
        // A multiple of eight pixels, so that every stretch starts at a whole byte at every depth.
        let stretchWidth = 64
        var middle = [UInt8](repeating: 0, count: stretchWidth * middleBytes)
        var last = [UInt8](repeating: 0, count: stretchWidth * destinationBytes)
        for x in stride(from: 0, to: width, by: stretchWidth) {
            let count = min(width - x, stretchWidth)
            let part = source.extracting(x * sourceBits / 8..<((x + count) * sourceBits + 7) / 8)
            middle.withMutableBytes { first.run(part, into: &$0, width: count) }
            middle.withRawSpan { middle in last.withMutableBytes { second.run(middle, into: &$0, width: count) } }
            last.withRawSpan(first: count * destinationBytes) { destination.copy($0, at: x * destinationBytes) }
        }
    }
}

#if ReferenceKernels
typealias Stretches = StretchesReference
#endif
