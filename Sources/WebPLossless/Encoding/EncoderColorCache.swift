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

    /// Where a pixel would be.
    @inline(__always)
    func place(of pixel: UInt32) -> Int { ColorCache.place(of: pixel, bitCount: bitCount) }

    /// The place of a pixel if it is there; puts it there.
    @inline(__always)
    mutating func find(_ pixel: UInt32) -> Int? {
        let place = place(of: pixel)
        if colors[place] == pixel { return place }
        colors[place] = pixel
        return nil
    }

    /// What a copy takes, in units of work: its pixels get into the cache, if there is one.
    static func workUnits(ofCopy range: Range<Int>, distance: Int, bitCount: Int) -> Int {
        16 + (bitCount > 0 && distance > 1 ? range.count / 2 : 0)
    }

    /// Takes the pixels of a copy.
    @inline(__always)
    mutating func insert(_ pixels: Span<UInt32>, _ range: Range<Int>, distance: Int) {
        // What equals the pixel before it is there already: all pixels of a copy from the pixel to the left.
        guard distance > 1 else { return }
        var last = pixels[range.lowerBound - 1]
        let copied = pixels.extracting(range)
        for index in copied.indices {
            let pixel = copied[index]
            guard pixel != last else { continue }
            colors[place(of: pixel)] = pixel
            last = pixel
        }
    }
}
