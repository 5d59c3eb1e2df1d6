// The colours of a picture that has few, and pixels as numbers of them.
//
//   pixels ──▶ colours, if there are at most 256 ──▶ their order ──▶ an index for each pixel, several to a pixel of the index image

import ImageCodecsCore

/// A palette.
///
/// Source: RFC 9649 section 3.5.4 "Color Indexing Transform".
struct IndexingPalette: Sendable {
    /// How colours are ordered.
    enum Order: Hashable, Sendable, CaseIterable {
        /// By their value.
        case value
        /// Each the nearest of those that are left to the one before.
        case neighbours
        /// The most frequent first.
        case frequency
    }

    /// The colours.
    let colors: [UInt32]

    /// The most colours.
    static let largest = 256

    /// Pixels that share a pixel of the index image, as a power of two.
    var bundleBits: Int {
        switch colors.count {
        case ...2: 3
        case ...4: 2
        case ...16: 1
        default: 0
        }
    }

    /// The size of the index image.
    func indexSize(_ size: PixelSize) -> PixelSize {
        PixelSize(width: (size.width + (1 << bundleBits) - 1) >> bundleBits, height: size.height)
    }

    /// Colours less the ones before them, as they are written.
    var differences: [UInt32] {
        colors.indices.map { $0 == 0 ? colors[0] : TransformReference.difference(colors[$0], colors[$0 - 1]) }
    }

    /// The index image: green has the indices.
    func indices(of picture: PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) -> PixelPlane
    {
        var result = try PixelPlane(indexSize(picture.size), meter: meter)
        var lookup = ColorLookup()
        for index in colors.indices { _ = lookup.insert(colors[index], index) }
        let (bits, width, indexWidth) = (bundleBits, picture.width, result.width)
        for y in 0..<picture.height {
            try work.spend(2 * width)
            picture.pixels.withSpan { pixels in
                result.pixels.withMutableSpan { result in
                    let start = PixelPlane.margin + y * width
                    let target = PixelPlane.margin + y * indexWidth
                    var (last, lastIndex) = (pixels[start], lookup.index(of: pixels[start]))
                    var bundle: UInt32 = 0
                    for x in 0..<width {
                        let pixel = pixels[start + x]
                        if pixel != last { (last, lastIndex) = (pixel, lookup.index(of: pixel)) }
                        let place = x & (1 << bits - 1)
                        // Eight, four, two or one bits an index.
                        bundle |= UInt32(lastIndex) << UInt32(8 >> bits * place)
                        if place == 1 << bits - 1 || x == width - 1 {
                            result[target + x >> bits] = 0xFF00_0000 | bundle << 8
                            bundle = 0
                        }
                    }
                }
            }
        }
        return result
    }
}

/// Colours by hash.
private struct ColorLookup: Sendable {
    private var colors = [UInt32](repeating: 0, count: 1024)
    private var indices = [Int16](repeating: -1, count: 1024)
    private(set) var count = 0

    /// Finds or adds a colour.
    ///
    /// - Returns: its index.
    mutating func insert(_ color: UInt32, _ index: Int) -> Int {
        var slot = Self.slot(color)
        while indices[slot] >= 0 {
            if colors[slot] == color { return Int(indices[slot]) }
            slot = (slot + 1) & 1023
        }
        colors[slot] = color
        indices[slot] = Int16(index)
        count += 1
        return index
    }

    /// The index of a colour that was added.
    @inline(__always)
    func index(of color: UInt32) -> Int {
        var slot = Self.slot(color)
        while colors[slot] != color || indices[slot] < 0 { slot = (slot + 1) & 1023 }
        return Int(indices[slot])
    }

    @inline(__always)
    private static func slot(_ color: UInt32) -> Int { Int((color &* 0x9E37_79B1) >> 22) }
}

/// The colours of a picture and how often they occur.
struct PictureColors: Sendable {
    private(set) var colors: [UInt32] = []
    private var counts: [Int] = []
    private var lookup = ColorLookup()

    /// - Returns: `nil` if there are more than 256 colours.
    init?(_ picture: PixelPlane, _ work: inout WorkGuard) throws(ImageError) {
        var lookup = ColorLookup()
        var colors: [UInt32] = []
        var counts: [Int] = []
        for y in 0..<picture.height {
            try work.spend(picture.width)
            let fits = picture.pixels.withSpan { pixels in
                let start = PixelPlane.margin + y * picture.width
                var x = 0
                while x < picture.width {
                    let pixel = pixels[start + x]
                    var end = x + 1
                    while end < picture.width, pixels[start + end] == pixel { end += 1 }
                    let index = lookup.insert(pixel, colors.count)
                    if index == colors.count {
                        guard colors.count < IndexingPalette.largest else { return false }
                        colors.append(pixel)
                        counts.append(0)
                    }
                    counts[index] += end - x
                    x = end
                }
                return true
            }
            guard fits else { return nil }
        }
        (self.colors, self.counts, self.lookup) = (colors, counts, lookup)
    }

    /// The number of a colour of the picture.
    @inline(__always)
    func index(of color: UInt32) -> Int { lookup.index(of: color) }

    /// A palette of the colours.
    func table(_ order: IndexingPalette.Order) -> IndexingPalette {
        switch order {
        case .value: return IndexingPalette(colors: colors.sorted())
        case .frequency:
            let places = colors.indices.sorted {
                counts[$0] == counts[$1] ? colors[$0] < colors[$1] : counts[$0] > counts[$1]
            }
            return IndexingPalette(colors: places.map { colors[$0] })
        case .neighbours: return IndexingPalette(colors: chained())
        }
    }

    private func chained() -> [UInt32] {
        var left = colors.sorted()
        var result: [UInt32] = []
        var last: UInt32 = 0
        while !left.isEmpty {
            var best = (place: 0, distance: Int.max)
            for place in left.indices {
                let distance = Self.distance(left[place], last)
                if distance < best.distance { best = (place, distance) }
            }
            last = left.remove(at: best.place)
            result.append(last)
        }
        return result
    }

    private static func distance(_ a: UInt32, _ b: UInt32) -> Int {
        (0..<4).reduce(0) { $0 + abs(Int(a >> UInt32(8 * $1) & 255) - Int(b >> UInt32(8 * $1) & 255)) }
    }
}
