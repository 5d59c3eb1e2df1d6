// What a bitstream says about how it is coded, for `info` and `inspect`.

/// How a bitstream is coded, as far as it was read.
public struct VP8LImageInfo: Hashable, Sendable {
    /// One of the transforms, as the bitstream has it.
    public enum Transform: Hashable, Sendable {
        /// Differences to predictions; squares of `blockSize` pixels a side have a mode of their own.
        case predictor(blockSize: Int)
        /// Red and blue without what green says about them; squares of `blockSize` pixels a side have factors of their own.
        case color(blockSize: Int)
        /// Red and blue without green.
        case subtractGreen
        /// Indices of a palette, `pixelsPerByte` of them in each pixel that is coded.
        case colorIndexing(colorCount: Int, pixelsPerByte: Int)
    }

    /// In the order of the bitstream, which is the reverse of that in which a decoder undoes them.
    public internal(set) var transforms: [Transform] = []
    /// 1...11, or 0 if there is no color cache.
    public internal(set) var colorCacheBits = 0
    /// Sets of five prefix codes that are used.
    public internal(set) var prefixCodeGroupCount = 0
    /// Sets of five prefix codes that the bitstream has, used or not.
    public internal(set) var declaredPrefixCodeGroupCount = 0
    /// The side of the squares that have a prefix code group of their own; `nil` if there is one group.
    public internal(set) var metaPrefixBlockSize: Int?
    /// Bytes that the tables of the prefix codes take.
    package internal(set) var tableByteCount = 0

    package init() {}
}
