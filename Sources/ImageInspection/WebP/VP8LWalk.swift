// A VP8L bitstream symbol by symbol: what each pixel costs, and whether it is a literal, a copy or a hit of the color cache.
//
// A second way to the coded pixels beside that of module WebPLosslessCodec, written for reading. Transforms are read, not undone.

import ImageCodecsCore
import WebPLosslessCodec

/// Walks through a bitstream.
///
/// Source: RFC 9649 section 3 "Specification for WebP Lossless Bitstream".
struct VP8LWalk {
    /// An image of the bitstream: the picture's, or one that a transform or the prefix codes need.
    struct Image: Sendable {
        let size: PixelSize
        var pixels: [UInt32]
    }

    /// A transform with its data.
    struct Transform: Sendable {
        /// What a transform does.
        enum Kind: Int, Sendable {
            case predictor, color, subtractGreen, colorIndexing
        }

        let kind: Kind
        /// Pixels to a side of a block; 0 for transforms without.
        var blockSize = 0
        /// Modes, factors or colors; `nil` for subtract green.
        var data: Image?
        /// Bits of the transform with its data.
        var bitCount = 0
    }

    /// How a pixel is coded; the order of ``classes``.
    enum Source: Int {
        case literal, copy, near, cache
    }

    /// Gets the pixels of the picture.
    struct Tally {
        var bits: LayerValues
        var sources: LayerValues
        var groups: LayerValues
        /// Pixels of each source, and their bits.
        var counts = [Int](repeating: 0, count: 4)
        var bitCounts = [Int](repeating: 0, count: 4)
        /// The same of the first groups of prefix codes, as many as a table has rows.
        var groupCounts = [(pixels: Int, bits: Int)](repeating: (0, 0), count: FileMap.maxRowCount)

        mutating func add(pixels: Int, bits: Int, group: Int) {
            guard group < groupCounts.count else { return }
            groupCounts[group].pixels += pixels
            groupCounts[group].bits += bits
        }
    }

    private(set) var transforms: [Transform] = []
    /// The picture as it is coded, before any transform is undone.
    private(set) var coded: Image?
    private(set) var groupCount = 0
    private(set) var groupBlockSize = 0
    private(set) var colorCacheBits = 0
    /// Bits of the picture's prefix codes, of its entropy image, and of its pixels.
    private(set) var codeBitCount = 0
    private(set) var groupBitCount = 0
    private(set) var pixelBitCount = 0
    /// Bits of everything that was read.
    private(set) var usedBitCount = 0
    /// Whether all pixels are there.
    private(set) var isComplete = false
    private(set) var tally: Tally?

    private var reader = LowBitReader()
    private let build: MapBuild

    init(_ build: MapBuild) { self.build = build }

    /// Reads a bitstream as far as it is whole.
    mutating func run(_ bytes: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        defer { usedBitCount = reader.usedBitCount }
        guard let header = try? VP8LHeader(bytes, offset: 0) else { return }
        try build.limits.check(size: header.size)
        _ = reader.read(32, bytes)
        _ = reader.read(8, bytes)
        var size = header.size
        while let more = reader.read(1, bytes), more == 1 {
            guard transforms.count < 4, let transform = try readTransform(&size, bytes, &work) else { return }
            transforms.append(transform)
        }
        let grid = build.grid(size)
        tally = Tally(
            bits: try LayerValues(grid, meter: build.meter),
            sources: try LayerValues(grid, filledWith: -1, meter: build.meter),
            groups: try LayerValues(grid, filledWith: -1, meter: build.meter))
        coded = try readPicture(size, bytes, &work)
        isComplete = coded != nil
    }

    /// - Source: RFC 9649 section 3.5 "Transforms".
    private mutating func readTransform(
        _ size: inout PixelSize, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Transform? {
        let start = reader.usedBitCount - 1
        guard let number = reader.read(2, bytes), let kind = Transform.Kind(rawValue: number),
            !transforms.contains(where: { $0.kind == kind })
        else { return nil }
        var transform = Transform(kind: kind)
        switch kind {
        case .predictor, .color:
            guard let bits = reader.read(3, bytes) else { return nil }
            transform.blockSize = 1 << (bits + 2)
            transform.data = try readImage(size.blocks(of: transform.blockSize), bytes, &work)
            guard transform.data != nil else { return nil }
        case .subtractGreen: break
        case .colorIndexing:
            guard let count = reader.read(8, bytes).map({ $0 + 1 }) else { return nil }
            transform.data = try readImage(PixelSize(width: count, height: 1), bytes, &work)
            guard transform.data != nil else { return nil }
            let pixelsPerByte = count <= 2 ? 8 : count <= 4 ? 4 : count <= 16 ? 2 : 1
            size = PixelSize(width: (size.width + pixelsPerByte - 1) / pixelsPerByte, height: size.height)
        }
        transform.bitCount = reader.usedBitCount - start
        return transform
    }

    /// An image with one group of prefix codes.
    private mutating func readImage(
        _ size: PixelSize, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Image? {
        guard let cacheBits = readCacheBits(bytes), let group = try readGroup(cacheBits, bytes, &work) else {
            return nil
        }
        var none: Tally?
        return try readPixels(
            size, groups: [group], map: nil, blockSize: 0, cacheBits: cacheBits, &none, bytes, &work)
    }

    /// The image of the picture's pixels.
    ///
    /// - Source: RFC 9649 section 3.6.2.1 "Prefix-Coded Literals" and 3.7.2.2 "Decoding of Meta Prefix Codes".
    private mutating func readPicture(
        _ size: PixelSize, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Image? {
        guard let cacheBits = readCacheBits(bytes), let hasMap = reader.read(1, bytes) else { return nil }
        colorCacheBits = cacheBits
        var map: Image?
        groupCount = 1
        if hasMap == 1 {
            let start = reader.usedBitCount
            guard let bits = reader.read(3, bytes) else { return nil }
            groupBlockSize = 1 << (bits + 2)
            map = try readImage(size.blocks(of: groupBlockSize), bytes, &work)
            guard let map else { return nil }
            groupBitCount = reader.usedBitCount - start
            for pixel in map.pixels { groupCount = max(groupCount, Int(pixel >> 8 & 0xFFFF) + 1) }
        }
        let start = reader.usedBitCount
        var groups: [Group] = []
        for _ in 0..<groupCount {
            guard let group = try readGroup(cacheBits, bytes, &work) else { return nil }
            groups.append(group)
        }
        codeBitCount = reader.usedBitCount - start
        let pixelStart = reader.usedBitCount
        var tally = tally
        self.tally = nil
        defer {
            self.tally = tally
            pixelBitCount = reader.usedBitCount - pixelStart
        }
        return try readPixels(
            size, groups: groups, map: map, blockSize: groupBlockSize, cacheBits: cacheBits, &tally, bytes, &work)
    }

    private mutating func readCacheBits(_ bytes: Span<UInt8>) -> Int? {
        guard let has = reader.read(1, bytes) else { return nil }
        guard has == 1 else { return 0 }
        return reader.read(4, bytes).flatMap { (1...11).contains($0) ? $0 : nil }
    }
}

extension VP8LWalk {
    /// A prefix code; one of a single symbol takes no bits.
    struct Code: Sendable {
        fileprivate var single: Int?
        fileprivate var code: WalkedPrefixCode?

        @inline(__always)
        fileprivate func read(_ reader: inout LowBitReader, _ bytes: Span<UInt8>) -> Int? {
            if let single { return single }
            return code?.read(&reader, bytes)?.symbol
        }
    }

    /// The codes of green, red, blue, alpha and distances.
    typealias Group = [Code]

    private mutating func readGroup(
        _ cacheBits: Int, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Group? {
        var group: Group = []
        for index in 0..<5 {
            guard let code = try readCode(PrefixAlphabet.count(index, cacheBits: cacheBits), bytes, &work) else {
                return nil
            }
            group.append(code)
        }
        return group
    }

    /// - Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".
    private mutating func readCode(
        _ alphabet: Int, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Code? {
        guard let isSimple = reader.read(1, bytes) else { return nil }
        try work.spend(64)
        if isSimple == 1 {
            guard let second = reader.read(1, bytes), let wide = reader.read(1, bytes),
                let first = reader.read(wide == 1 ? 8 : 1, bytes), first < alphabet
            else { return nil }
            guard second == 1 else { return Code(single: first) }
            guard let other = reader.read(8, bytes), other < alphabet, other != first else { return nil }
            var lengths = [UInt8](repeating: 0, count: max(first, other) + 1)
            (lengths[first], lengths[other]) = (1, 1)
            return try made(lengths, &work)
        }
        guard let count = reader.read(4, bytes) else { return nil }
        var lengthLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<count + 4 {
            guard let length = reader.read(3, bytes) else { return nil }
            lengthLengths[Self.lengthOrder[index]] = UInt8(length)
        }
        guard let lengthCode = try made(lengthLengths, &work), let lengths = readLengths(alphabet, lengthCode, bytes)
        else {
            return nil
        }
        return try made(lengths, &work)
    }

    private mutating func readLengths(_ alphabet: Int, _ code: Code, _ bytes: Span<UInt8>) -> [UInt8]? {
        var left = alphabet
        guard let isLimited = reader.read(1, bytes) else { return nil }
        if isLimited == 1 {
            guard let bits = reader.read(3, bytes), let limit = reader.read(2 + 2 * bits, bytes) else { return nil }
            left = limit + 2
            guard left <= alphabet else { return nil }
        }
        var (lengths, previous): ([UInt8], UInt8) = ([], 8)
        while lengths.count < alphabet, left > 0 {
            left -= 1
            guard let symbol = code.read(&reader, bytes) else { return nil }
            guard symbol >= 16 else {
                lengths.append(UInt8(symbol))
                if symbol > 0 { previous = UInt8(symbol) }
                continue
            }
            guard let extra = reader.read(symbol == 16 ? 2 : symbol == 17 ? 3 : 7, bytes) else { return nil }
            let count = extra + (symbol == 18 ? 11 : 3)
            guard lengths.count + count <= alphabet else { return nil }
            lengths += [UInt8](repeating: symbol == 16 ? previous : 0, count: count)
        }
        return lengths
    }

    private func made(_ lengths: [UInt8], _ work: inout WorkGuard) throws(ImageError) -> Code? {
        try work.spend(lengths.count)
        if lengths.count(where: { $0 > 0 }) == 1 { return Code(single: lengths.firstIndex { $0 > 0 }) }
        let code = WalkedPrefixCode(lengths: lengths)
        guard code.shape == .complete else { return nil }
        try build.meter.reserve(WalkedPrefixCode.byteCount)
        return Code(code: code)
    }

    private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// - Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference", 3.6.2.3 "Color Cache Coding".
    private mutating func readPixels(
        _ size: PixelSize, groups: [Group], map: Image?, blockSize: Int, cacheBits: Int, _ tally: inout Tally?,
        _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Image? {
        let count = size.width * size.height
        try build.meter.reserve(4 * count)
        var image = Image(size: size, pixels: [UInt32](repeating: 0, count: count))
        var cache = [UInt32](repeating: 0, count: cacheBits > 0 ? 1 << cacheBits : 0)
        func keep(_ pixel: UInt32) {
            if cacheBits > 0 { cache[Int((pixel &* 0x1E35_A7BD) >> UInt32(32 - cacheBits))] = pixel }
        }
        let near = BackwardReferences.nearDistances(width: size.width)
        var place = 0
        while place < count {
            let (x, y) = (place % size.width, place / size.width)
            let number = map.map { Int($0.pixels[y / blockSize * $0.size.width + x / blockSize] >> 8 & 0xFFFF) } ?? 0
            let group = groups[number]
            let start = reader.usedBitCount
            guard let symbol = group[0].read(&reader, bytes) else { return nil }
            var (run, source) = (1, Source.literal)
            if symbol < 256 {
                guard let red = group[1].read(&reader, bytes), let blue = group[2].read(&reader, bytes),
                    let alpha = group[3].read(&reader, bytes)
                else { return nil }
                image.pixels[place] = UInt32(alpha << 24 | red << 16 | symbol << 8 | blue)
                keep(image.pixels[place])
            } else if symbol < 256 + PrefixAlphabet.lengthCount {
                guard let length = readPrefixed(symbol - 256, bytes), let code = group[4].read(&reader, bytes),
                    let distanceCode = readPrefixed(code, bytes)
                else { return nil }
                let isNear = distanceCode <= near.count
                let distance = isNear ? Int(near[distanceCode - 1]) : distanceCode - near.count
                guard distance <= place, length <= count - place else { return nil }
                (run, source) = (length, isNear ? .near : .copy)
                for index in place..<place + length {
                    image.pixels[index] = image.pixels[index - distance]
                    keep(image.pixels[index])
                }
            } else {
                let index = symbol - 256 - PrefixAlphabet.lengthCount
                guard index < cache.count else { return nil }
                source = .cache
                image.pixels[place] = cache[index]
            }
            try work.spend(run)
            let bits = reader.usedBitCount - start
            if tally != nil {
                tally?.counts[source.rawValue] += run
                tally?.bitCounts[source.rawValue] += bits
                tally?.add(pixels: run, bits: bits, group: number)
                for index in 0..<run {
                    let (column, row) = ((place + index) % size.width, (place + index) / size.width)
                    tally?.bits.add(
                        (bits * MapLayer.Kind.bitParts).share(of: index, among: run), column: column, row: row)
                    tally?.sources.set(source.rawValue, column: column, row: row)
                    tally?.groups.set(number, column: column, row: row)
                }
            }
            place += run
        }
        return image
    }

    /// A number of which the symbol has the highest bits, at least 1.
    private mutating func readPrefixed(_ symbol: Int, _ bytes: Span<UInt8>) -> Int? {
        guard symbol >= 4 else { return symbol + 1 }
        let bits = (symbol - 2) >> 1
        return reader.read(bits, bytes).map { ((2 + (symbol & 1)) << bits) + $0 + 1 }
    }

    /// How pixels are coded.
    static let classes = [
        MapLayer.Class(name: "literal", color: 0xD94801), MapLayer.Class(name: "copy from far", color: 0x4292C6),
        MapLayer.Class(name: "copy from near", color: 0x9ECAE1), MapLayer.Class(name: "color cache", color: 0x41AB5D),
    ]
}

extension PixelSize {
    /// Blocks that cover it.
    func blocks(of side: Int) -> PixelSize {
        PixelSize(width: (width + side - 1) / side, height: (height + side - 1) / side)
    }
}
