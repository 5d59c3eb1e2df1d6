// VP8L pixels by the book. The twins of PixelKernel and IndexKernel, which decode from the same tables, are in
// `PixelKernelReference+Tables.swift`; here all is asked anew: one symbol, one pixel and one color of the cache at a time.
//
// Source: RFC 9649 section 3.7.2.3 "Decoding Entropy-Coded Image Data".

/// Decodes the pixels of an image by the book.
package struct PixelKernelReference: Sendable {
    /// Five codes: green, red, blue, alpha, distance.
    package typealias Group = [PrefixCodeReference]

    private let groups: [Group]
    private let shape: PixelShape
    /// The group of each block; empty if there is one group.
    private let blocks: [UInt16]
    private let input: [UInt8]
    private var bitPosition: Int
    private var pixels: [UInt32] = []
    private var cache: [UInt32]
    private let near: [UInt32]

    package init(groups: [Group], _ shape: PixelShape, blocks: [UInt16], input: [UInt8], bitPosition: Int) {
        self.groups = groups
        self.shape = shape
        self.blocks = blocks
        self.input = input
        self.bitPosition = bitPosition
        cache = Array(repeating: 0, count: 1 << shape.cacheBits)
        near = BackwardReferences.nearDistances(width: shape.width)
    }

    /// All pixels, or those before where the bits end or a copy goes wrong.
    package mutating func decode() -> (pixels: [UInt32], bitPosition: Int, pause: PixelPause) {
        while pixels.count < shape.pixelCount {
            let start = bitPosition
            guard let pause = decodeUnit() else {
                bitPosition = start
                return (pixels, bitPosition, .inputUsed)
            }
            if pause == .outside { return (pixels, start, .outside) }
        }
        return (pixels, bitPosition, .reachedStop)
    }

    private mutating func bit() -> Int? {
        guard bitPosition < input.count * 8 else { return nil }
        defer { bitPosition += 1 }
        return Int(input[bitPosition / 8] >> UInt8(bitPosition % 8) & 1)
    }

    private mutating func bits(_ count: Int) -> Int? {
        var value = 0
        for place in 0..<count {
            guard let bit = bit() else { return nil }
            value |= bit << place
        }
        return value
    }

    private mutating func symbol(_ code: PrefixCodeReference) -> Int? { code.symbol { bit() } }

    /// - Returns: `nil` where the bits end, `outside` for a copy that goes wrong, `reachedStop` otherwise.
    private mutating func decodeUnit() -> PixelPause? {
        let (y, x) = pixels.count.quotientAndRemainder(dividingBy: shape.width)
        let block = (y >> shape.sizeBits) * shape.blocksPerRow + x >> shape.sizeBits
        let group = groups[shape.sizeBits == 0 ? 0 : Int(blocks[block])]
        guard let green = symbol(group[0]) else { return nil }
        if green < 256 {
            guard let red = symbol(group[1]), let blue = symbol(group[2]), let alpha = symbol(group[3]) else {
                return nil
            }
            append(UInt32(alpha << 24 | red << 16 | green << 8 | blue))
            return .reachedStop
        }
        guard green < 280 else {
            append(cache[green - 280])
            return .reachedStop
        }
        guard let length = prefixedValue(green - 256), let distanceSymbol = symbol(group[4]),
            let code = prefixedValue(distanceSymbol)
        else { return nil }
        let distance = code > near.count ? code - near.count : Int(near[code - 1])
        guard distance <= pixels.count, length <= shape.pixelCount - pixels.count else { return .outside }
        for _ in 0..<length { append(pixels[pixels.count - distance]) }
        return .reachedStop
    }

    private mutating func prefixedValue(_ symbol: Int) -> Int? {
        guard symbol >= 4 else { return symbol + 1 }
        let extra = (symbol - 2) / 2
        return bits(extra).map { (2 + symbol % 2) << extra + $0 + 1 }
    }

    private mutating func append(_ pixel: UInt32) {
        pixels.append(pixel)
        if shape.cacheBits > 0 { cache[ColorCache.place(of: pixel, bitCount: shape.cacheBits)] = pixel }
    }
}
