// What the differences that a predictor mode leaves take in prefix codes: by how often each one occurs in the blocks that have a mode
// already, and in the block itself.

import ImageCodecsCore

/// How often differences occur, of each channel that is not the same everywhere.
///
/// Places in tables are 256 times the channel plus the difference; channels are blue, green, red, alpha.
struct DifferenceCounts: Sendable {
    private let channels: [Int]
    /// Of the blocks that have a mode, and how many pixels that were.
    private var all: [UInt32]
    private var pixelCount: UInt32 = 0
    /// Bits of each difference, in 1/65,536, as of when ``pixelCount`` was what it was.
    private var prices: [UInt32]
    /// When prices are made again: often at first.
    private var nextCount: UInt32 = 0
    /// Of one block, and which places are not zero.
    private var block: [UInt32]
    private var places: [UInt16]
    private var placeCount = 0
    /// Differences of a row of a block.
    private var row: NumberBuffer<UInt32>

    init(_ plane: PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        let mask = try plane.changingBits(&work)
        channels = (0..<4).filter { mask >> UInt32(8 * $0) & 255 != 0 }
        let count = 4 * 256
        // As if each had occurred once, and none at all some times: it is what predictions are for.
        all = Array(repeating: 1, count: count)
        for channel in channels { all[256 * channel] = 16 }
        prices = Array(repeating: 0, count: count)
        block = Array(repeating: 0, count: count)
        places = Array(repeating: 0, count: count)
        row = try NumberBuffer(count: plane.width + ResidualKernel.margin, meter: meter)
        setPrices()
    }

    private mutating func setPrices() {
        for channel in channels {
            let range = 256 * channel..<256 * (channel + 1)
            let whole = Entropy.log2(range.reduce(0) { $0 + all[$1] })
            for place in range { prices[place] = UInt32(whole - Entropy.log2(all[place])) }
        }
        nextCount = pixelCount + pixelCount / 8 + 16
    }

    /// Bits of a block's differences from what a mode predicts, in 1/65,536: by the prices so far, and as much again if the block had
    /// codes of its own, since groups of codes follow what blocks have.
    mutating func bits(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, _ columns: Range<Int>, _ rows: StrideTo<Int>
    ) -> UInt64 {
        let count = count(mode, pixels, width: width, columns, rows)
        var (byPrices, own) = (UInt64(), UInt64(channels.count) * Entropy.product(count))
        for index in 0..<placeCount {
            let place = Int(places[index])
            byPrices &+= UInt64(block[place]) &* UInt64(prices[place])
            own &-= Entropy.product(block[place])
            block[place] = 0
        }
        return byPrices + own
    }

    /// Takes the differences of a block that has this mode.
    mutating func add(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, _ columns: Range<Int>, _ rows: StrideTo<Int>
    ) {
        pixelCount += count(mode, pixels, width: width, columns, rows)
        for index in 0..<placeCount {
            let place = Int(places[index])
            all[place] += block[place]
            block[place] = 0
        }
        if pixelCount >= nextCount { setPrices() }
    }

    /// Counts the differences of a block.
    ///
    /// - Returns: its pixels.
    private mutating func count(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, _ columns: Range<Int>, _ rows: StrideTo<Int>
    ) -> UInt32 {
        placeCount = 0
        var count: UInt32 = 0
        for y in rows {
            row.withMutableSpan {
                ResidualKernel.write(mode, pixels, width: width, row: y, columns: columns, to: &$0, at: 0)
            }
            count += UInt32(columns.count)
            for channel in channels { add(channel, columns.count) }
        }
        return count
    }

    private mutating func add(_ channel: Int, _ count: Int) {
        let (shift, base, row) = (UInt32(8 * channel), 256 * channel, row)
        row.withSpan { row in
            for x in 0..<count {
                let place = base &+ Int(row[x] &>> shift & 255)
                let before = block[place]
                block[place] = before &+ 1
                guard before == 0 else { continue }
                places[placeCount] = UInt16(truncatingIfNeeded: place)
                placeCount &+= 1
            }
        }
    }
}
