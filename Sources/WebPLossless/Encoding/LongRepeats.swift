// Where a picture repeats itself: long stretches of pixels that were there before, whatever is around them.
//
// Few pixels are looked at, chosen by what they are: the same ones are chosen wherever a stretch occurs again. At each a table says
// where the same eight pixels were last: the position below, the other half of their hash above, so that pixels which are no longer
// in the processor's cache are read only if they are the same.

import ImageCodecsCore

/// The stretches of a picture that were there before, as far as they are long.
struct LongRepeats: Sendable {
    /// Begin in the upper half, end in the lower; in the order of the picture.
    private var ranges: NumberBuffer<UInt64>
    private var count = 0

    /// Pixels of the shortest stretch.
    private static let shortest = 12
    /// Pixels that a hash is of.
    private static let window = 8
    /// Of the pixels, one of two to this power is looked at.
    private static let chosenBits: UInt64 = 4
    /// Pixels between two looks at the clock.
    private static let stepCount = 1 << 13

    /// Bytes held while repeats are looked for.
    static func byteCount(pixelCount: Int) -> Int {
        8 * (pixelCount / shortest) + (8 << PixelMatchKernel.tableBits(pixelCount))
    }

    init(_ picture: PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        let pixelCount = picture.pixelCount
        ranges = try NumberBuffer(count: pixelCount / Self.shortest, meter: meter)
        var table = try NumberBuffer<UInt64>(count: 1 << PixelMatchKernel.tableBits(pixelCount), meter: meter)
        var start = 0
        while start + Self.window < pixelCount {
            let end = min(start + Self.stepCount, pixelCount - Self.window)
            try work.spend((end - start) / 2)
            picture.withSpan { pixels in
                table.withMutableSpan { find(in: start..<end, of: pixels, &$0) }
            }
            start = end
        }
    }

    private mutating func find(in range: Range<Int>, of pixels: Span<UInt32>, _ table: inout MutableSpan<UInt64>) {
        let tableBits = UInt64(PixelMatchKernel.tableBits(pixels.count))
        var (count, end) = (count, last?.upperBound ?? 0)
        ranges.withMutableSpan { ranges in
            for position in range
            where PixelMatchKernel.isChosen(pixels[position], pixels[position &+ 1], bits: Self.chosenBits) {
                let hash = PixelMatchKernel.longHash(window: Self.window) { pixels[position &+ $0] }
                let slot = Int(truncatingIfNeeded: hash &>> (64 &- tableBits))
                let entry = table[slot]
                table[slot] = hash &<< 32 | UInt64(truncatingIfNeeded: position &+ 1)
                guard position >= end, entry &>> 32 == hash & 0xFFFF_FFFF else { continue }
                let candidate = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
                guard candidate >= 0, position - candidate <= PixelMatchKernel.farthest else { continue }
                var length = 0
                let most = min(PixelMatchKernel.longest, pixels.count - position)
                while length < most, pixels[position + length] == pixels[candidate + length] {
                    length += 1
                }
                var before = 0
                while position - before > end, candidate - before > 0,
                    pixels[position - before - 1] == pixels[candidate - before - 1]
                {
                    before += 1
                }
                guard before + length >= Self.shortest else { continue }
                end = position + length
                ranges[count] = UInt64(position - before) << 32 | UInt64(end)
                count += 1
            }
        }
        self.count = count
    }

    private var last: Range<Int>? { count > 0 ? self[count - 1] : nil }

    private subscript(index: Int) -> Range<Int> {
        ranges.withSpan { Int($0[index] >> 32)..<Int($0[index] & 0xFFFF_FFFF) }
    }

    /// Asks for positions that follow one another.
    struct Walk {
        private var index = 0
        private var range = 0..<0

        /// Whether the pixel at a position belongs to a stretch.
        mutating func contains(_ position: Int, _ repeats: LongRepeats) -> Bool {
            while position >= range.upperBound, index < repeats.count {
                range = repeats[index]
                index += 1
            }
            return range.contains(position)
        }
    }
}
