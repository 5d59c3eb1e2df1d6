// The color cache as the encoder keeps it: in step with what a decoder has.

/// The pixels that were last met, by their hash.
///
/// Source: RFC 9649 section 3.6.2.3 "Color Cache Coding".
struct EncoderColorCache {
    private var colors: [UInt32]
    private let bitCount: Int

    /// - Parameter bitCount: 1...11; with 0 it must not be asked.
    init(bitCount: Int) {
        colors = Array(repeating: 0, count: bitCount > 0 ? 1 << bitCount : 0)
        self.bitCount = bitCount
    }

    /// The place of a pixel if it is there; puts it there.
    @inline(__always)
    mutating func find(_ pixel: UInt32) -> Int? {
        let place = ColorCache.place(of: pixel, bitCount: bitCount)
        if colors[place] == pixel { return place }
        colors[place] = pixel
        return nil
    }
}
