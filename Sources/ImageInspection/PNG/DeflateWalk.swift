// A zlib stream symbol by symbol: what every unpacked byte costs, and where it comes from.
//
// Written for reading, and a second way to the bytes that module DeflateCodec unpacks: the stream's own checksum says whether both agree.

import ImageCodecsCore

/// Gets the bytes of a stream one by one.
protocol DeflateVisitor {
    /// A byte was unpacked.
    ///
    /// - Parameters:
    ///   - value: the byte.
    ///   - amount: what it costs, in 256ths of a bit; a match's bits are shared by its bytes.
    ///   - distance: how far back it was copied from; 0 for a literal, -1 for a byte of a stored block.
    ///   - block: the number of its block.
    mutating func add(_ value: UInt8, amount: Int, distance: Int, block: Int)
}

/// One block.
struct DeflateBlock: Hashable, Sendable {
    /// How a block is coded.
    enum Kind: String, Hashable, Sendable {
        case stored, fixed, dynamic
    }

    let kind: Kind
    /// Where in the stream the block begins, in bits.
    let bitOffset: Int
    /// Bits before the first symbol: three, and the tables or the length.
    var headerBitCount = 3
    /// All of its bits.
    var bitCount = 0
    var literalCount = 0
    var matchCount = 0
    /// Bytes that matches stand for.
    var matchedByteCount = 0
    var literalBitCount = 0
    var matchBitCount = 0
    /// Bits of the symbol that ends the block.
    var endBitCount = 0
    /// Codes of literals and lengths, and of distances, by their bits.
    var literalLengthCodeCounts = SIMD16<UInt16>()
    var distanceCodeCounts = SIMD16<UInt16>()

    /// Bytes that the block unpacks to.
    var byteCount: Int { literalCount + matchedByteCount }
}

/// Walks through a zlib stream.
///
/// Source: RFC 1950, RFC 1951.
struct DeflateWalk {
    /// Blocks in order; after the first ``maxBlockCount`` they are counted only.
    private(set) var blocks: [DeflateBlock] = []
    private(set) var blockCount = 0
    /// All blocks together.
    private(set) var total = DeflateBlock(kind: .dynamic, bitOffset: 0, headerBitCount: 0)
    /// How many blocks of each kind.
    private(set) var kinds: [DeflateBlock.Kind: Int] = [:]
    /// Bits of the zlib header and checksum, as far as they are there.
    private(set) var frameBitCount = 0
    /// Bits that fill bytes.
    private(set) var paddingBitCount = 0
    /// Bits that were read.
    private(set) var usedBitCount = 0
    /// What stopped the walk before its end.
    private(set) var damage: String?
    /// Whether the checksum at the end is that of the bytes; `nil` if it is not there.
    private(set) var isChecksumRight: Bool?

    private var reader = LowBitReader()
    private var window = [UInt8](repeating: 0, count: 1 << 15)
    private var byteCount = 0
    /// Adler-32, both sums.
    private var sums: (low: UInt32, high: UInt32) = (1, 0)
    /// Bytes since the sums were reduced.
    private var unreducedCount = 0

    /// Blocks after these are not kept.
    static let maxBlockCount = 1 << 14
    /// The most bytes that are unpacked.
    private let maxByteCount: Int

    /// - Parameter maxByteCount: bytes of the picture; a stream may have a few more.
    init(maxByteCount: Int) { self.maxByteCount = maxByteCount }

    /// Reads all of a stream, or up to what is wrong with it.
    ///
    /// - Parameter isRaw: whether there is no zlib header and no checksum, as in Apple's variant of PNG.
    mutating func run(
        _ bytes: Span<UInt8>, isRaw: Bool = false, _ visitor: inout some DeflateVisitor, _ work: inout WorkGuard
    ) throws(ImageError) {
        defer { usedBitCount = reader.usedBitCount }
        if !isRaw {
            guard let method = reader.read(8, bytes), let flags = reader.read(8, bytes) else {
                return stop("it is empty")
            }
            frameBitCount = 16
            guard method & 15 == 8, (method << 8 | flags) % 31 == 0, flags & 32 == 0 else {
                return stop("it does not begin as a zlib stream")
            }
        }
        while damage == nil {
            guard let isLast = reader.read(1, bytes), let kind = reader.read(2, bytes) else {
                return stop("it is cut off")
            }
            try readBlock(kind, bytes, &visitor, &work)
            if isLast == 1 || byteCount > maxByteCount { break }
        }
        guard damage == nil, !isRaw, byteCount <= maxByteCount else { return }
        paddingBitCount += reader.alignToByte()
        guard let high = reader.read(16, bytes), let low = reader.read(16, bytes) else { return }
        frameBitCount += 32
        reduce()
        let stored = [high, low].map { UInt32($0 & 255) << 8 | UInt32($0 >> 8) }
        isChecksumRight = stored[0] == sums.high && stored[1] == sums.low
    }

    private mutating func stop(_ reason: String) { damage = reason }

    private mutating func readBlock(
        _ kind: Int, _ bytes: Span<UInt8>, _ visitor: inout some DeflateVisitor, _ work: inout WorkGuard
    ) throws(ImageError) {
        let kinds: [DeflateBlock.Kind] = [.stored, .fixed, .dynamic]
        guard kind < 3 else { return stop("a block is of kind 3") }
        var block = DeflateBlock(kind: kinds[kind], bitOffset: reader.usedBitCount - 3)
        let number = blockCount
        defer {
            block.bitCount = reader.usedBitCount - block.bitOffset
            keep(block)
        }
        // A block takes that much for its tables.
        try work.spend(kind == 2 ? 1 << 11 : 16)
        switch block.kind {
        case .stored: try readStored(&block, number, bytes, &visitor, &work)
        case .fixed:
            try readSymbols(Self.fixedCodes.0, Self.fixedCodes.1, &block, number, bytes, &visitor, &work)
        case .dynamic:
            guard let codes = readCodes(bytes) else { return stop(damage ?? "it is cut off") }
            block.headerBitCount = reader.usedBitCount - block.bitOffset
            (block.literalLengthCodeCounts, block.distanceCodeCounts) = (codes.0.countsByLength, codes.1.countsByLength)
            try readSymbols(codes.0, codes.1, &block, number, bytes, &visitor, &work)
        }
    }

    private mutating func keep(_ block: DeflateBlock) {
        blockCount += 1
        kinds[block.kind, default: 0] += 1
        total.headerBitCount += block.headerBitCount
        total.bitCount += block.bitCount
        total.literalCount += block.literalCount
        total.matchCount += block.matchCount
        total.matchedByteCount += block.matchedByteCount
        total.literalBitCount += block.literalBitCount
        total.matchBitCount += block.matchBitCount
        total.endBitCount += block.endBitCount
        if blocks.count < Self.maxBlockCount { blocks.append(block) }
    }

    private mutating func readStored(
        _ block: inout DeflateBlock, _ number: Int, _ bytes: Span<UInt8>, _ visitor: inout some DeflateVisitor,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        block.headerBitCount += reader.alignToByte()
        guard let count = reader.read(16, bytes), let check = reader.read(16, bytes) else {
            return stop("it is cut off")
        }
        block.headerBitCount += 32
        guard count ^ check == 0xFFFF else { return stop("the length of a stored block does not fit its check") }
        for _ in 0..<count {
            guard let value = reader.read(8, bytes) else { return stop("it is cut off") }
            try work.spend(1)
            block.literalCount += 1
            block.literalBitCount += 8
            put(UInt8(value), amount: 8 * MapLayer.Kind.bitParts, distance: -1, number, &visitor)
        }
    }

    private mutating func readSymbols(
        _ literals: WalkedPrefixCode, _ distances: WalkedPrefixCode, _ block: inout DeflateBlock, _ number: Int,
        _ bytes: Span<UInt8>, _ visitor: inout some DeflateVisitor, _ work: inout WorkGuard
    ) throws(ImageError) {
        while byteCount <= maxByteCount {
            guard let (symbol, bits) = literals.read(&reader, bytes) else {
                return stop("a code is none, or it is cut off")
            }
            if symbol < 256 {
                try work.spend(1)
                block.literalCount += 1
                block.literalBitCount += bits
                put(UInt8(symbol), amount: bits * MapLayer.Kind.bitParts, distance: 0, number, &visitor)
            } else if symbol == 256 {
                block.endBitCount = bits
                return
            } else {
                let before = reader.usedBitCount - bits
                guard let (length, distance) = readMatch(symbol, distances, bytes) else {
                    return stop(damage ?? "a code is none, or it is cut off")
                }
                try work.spend(length)
                let cost = reader.usedBitCount - before
                block.matchCount += 1
                block.matchedByteCount += length
                block.matchBitCount += cost
                for index in 0..<length {
                    let value = window[(byteCount - distance) & (window.count - 1)]
                    let amount = (cost * MapLayer.Kind.bitParts).share(of: index, among: length)
                    put(value, amount: amount, distance: distance, number, &visitor)
                }
            }
        }
    }

    /// Length and distance of a match whose first symbol was read.
    private mutating func readMatch(
        _ symbol: Int, _ distances: WalkedPrefixCode, _ bytes: Span<UInt8>
    ) -> (length: Int, distance: Int)? {
        guard symbol <= 285 else { return nil }
        let (lengthBase, lengthBits) = Self.lengths[symbol - 257]
        guard let lengthExtra = reader.read(lengthBits, bytes),
            let (code, _) = distances.read(&reader, bytes), code < 30,
            let distanceExtra = reader.read(Self.distances[code].bits, bytes)
        else { return nil }
        let distance = Self.distances[code].base + distanceExtra
        guard distance <= byteCount else {
            damage = "a match reaches back beyond the first byte"
            return nil
        }
        return (lengthBase + lengthExtra, distance)
    }

    @inline(__always)
    private mutating func put(
        _ value: UInt8, amount: Int, distance: Int, _ block: Int, _ visitor: inout some DeflateVisitor
    ) {
        window[byteCount & (window.count - 1)] = value
        byteCount += 1
        sums.low &+= UInt32(value)
        sums.high &+= sums.low
        unreducedCount += 1
        // After fewer than 5552 bytes the larger sum fits 32 bits (RFC 1950 section 9).
        if unreducedCount == 4096 { reduce() }
        visitor.add(value, amount: amount, distance: distance, block: block)
    }

    private mutating func reduce() {
        sums = (sums.low % 65521, sums.high % 65521)
        unreducedCount = 0
    }
}

extension DeflateWalk {
    /// Reads the codes of a dynamic block.
    ///
    /// Source: RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
    private mutating func readCodes(_ bytes: Span<UInt8>) -> (WalkedPrefixCode, WalkedPrefixCode)? {
        guard let literals = reader.read(5, bytes), let distances = reader.read(5, bytes),
            let codes = reader.read(4, bytes)
        else { return nil }
        let (literalCount, distanceCount) = (literals + 257, distances + 1)
        var lengthLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<codes + 4 {
            guard let length = reader.read(3, bytes) else { return nil }
            lengthLengths[Self.lengthOrder[index]] = UInt8(length)
        }
        let lengthCode = WalkedPrefixCode(lengths: lengthLengths)
        guard literalCount <= 286, distanceCount <= 30, lengthCode.shape == .complete else {
            return damaged("the code of code lengths is not complete")
        }
        var lengths: [UInt8] = []
        while lengths.count < literalCount + distanceCount {
            guard let (symbol, _) = lengthCode.read(&reader, bytes) else { return nil }
            if symbol < 16 {
                lengths.append(UInt8(symbol))
                continue
            }
            guard let extra = reader.read(symbol == 16 ? 2 : symbol == 17 ? 3 : 7, bytes) else { return nil }
            guard symbol != 16 || !lengths.isEmpty else { return damaged("a length is repeated before the first one") }
            let value = symbol == 16 ? lengths[lengths.count - 1] : 0
            lengths += [UInt8](repeating: value, count: extra + (symbol == 18 ? 11 : 3))
        }
        guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else {
            return damaged("code lengths do not fit")
        }
        let (first, second) = (
            WalkedPrefixCode(lengths: lengths[..<literalCount]), WalkedPrefixCode(lengths: lengths[literalCount...])
        )
        guard [.complete, .single].contains(first.shape), [.complete, .single, .empty].contains(second.shape) else {
            return damaged("a code is not complete")
        }
        return (first, second)
    }

    private mutating func damaged(_ reason: String) -> (WalkedPrefixCode, WalkedPrefixCode)? {
        damage = reason
        return nil
    }

    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Source: RFC 1951 section 3.2.6 "Compression with fixed Huffman codes (BTYPE=01)".
    private static let fixedCodes: (WalkedPrefixCode, WalkedPrefixCode) = (
        WalkedPrefixCode(
            lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }),
        WalkedPrefixCode(lengths: [UInt8](repeating: 5, count: 32))
    )

    /// Source: RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)".
    private static let lengths: [(base: Int, bits: Int)] = {
        var (entries, base): ([(base: Int, bits: Int)], Int) = ([], 3)
        for code in 0..<28 {
            let bits = code < 8 ? 0 : code / 4 - 1
            entries.append((base, bits))
            base += 1 << bits
        }
        return entries + [(258, 0)]
    }()

    private static let distances: [(base: Int, bits: Int)] = {
        var (entries, base): ([(base: Int, bits: Int)], Int) = ([], 1)
        for code in 0..<30 {
            let bits = code < 4 ? 0 : code / 2 - 1
            entries.append((base, bits))
            base += 1 << bits
        }
        return entries
    }()
}
