// Writes large bitstreams of few bytes: literals, colors of the cache, and long copies from as far as copies reach.

import CodecTestSupport
import WebPLosslessCodec

/// Writes one bitstream whose copies reach back up to 2^20 pixels.
struct FarVP8L {
    /// What the bitstream has besides copies.
    enum Kind: CaseIterable {
        /// A color cache and groups for blocks.
        case cache
        /// A predictor and a color transform, groups, no color cache.
        case transforms
        /// A palette, a byte a pixel, and groups.
        case indices
    }

    /// Distance codes less this are distances.
    private static let nearCount = BackwardReferences.nearCount
    /// The farthest that a copy can reach.
    static let farthest = BackwardReferences.farthestDistance - nearCount

    private(set) var writer = VP8LWriter()
    private var source: DecisionSource
    private let width: Int
    private let height: Int
    private let kind: Kind

    /// A code with symbols of nearly one length.
    private struct Code {
        let lengths: [Int]
        let written: WrittenCode

        init(_ symbols: [Int], alphabet: Int) {
            var lengths = Array(repeating: 0, count: alphabet)
            let bits = Int.bitWidth - 1 - symbols.count.leadingZeroBitCount
            let shortCount = 2 << bits - symbols.count
            for (place, symbol) in symbols.enumerated() { lengths[symbol] = place < shortCount ? bits : bits + 1 }
            if symbols.count == 1 { lengths[symbols[0]] = 1 }
            self.lengths = lengths
            written = WrittenCode(lengths)
        }
    }

    /// - Parameters:
    ///   - size: wide enough that 2^20 pixels and more are coded.
    ///   - hasHeader: `false` for alpha planes.
    init(_ kind: Kind, size: (width: Int, height: Int), seed: UInt64, hasHeader: Bool = true) {
        self.kind = kind
        source = DecisionSource(seed: seed)
        (width, height) = size
        if hasHeader { writer.writeHeader(width: width, height: height) }
        switch kind {
        case .cache: break
        case .transforms:
            for number in 0...1 {
                writer.write(1, 1)
                writer.write(number, 2)
                // Blocks of 512 pixels, all with the same mode or factors.
                writer.write(7, 3)
                writer.write(0, 1)
                writer.writeConstantGroup(red: 3, green: 11, blue: 5)
            }
        case .indices:
            writer.write(1, 1)
            writer.write(3, 2)
            writer.write(255, 8)
            writer.write(0, 1)
            // Each color is the one before and this.
            writer.writeConstantGroup(alpha: 3, red: 7, green: 11, blue: 1)
        }
        writer.write(0, 1)
        let cacheBits = kind == .cache ? 6 : 0
        writer.write(cacheBits > 0 ? 1 : 0, 1)
        if cacheBits > 0 { writer.write(cacheBits, 4) }
        let blockBits = writeEntropyImage()
        let groups = (0..<2).map { _ in writeGroup(cacheBits: cacheBits) }
        let blocksPerRow = (width - 1) >> blockBits + 1
        writePixels(cacheBits: cacheBits) { x, y in
            groups[((y >> blockBits) * blocksPerRow + x >> blockBits) % 2]
        }
    }

    /// Writes the numbers 0, 1, 0, 1, ... for blocks of 64 pixels.
    ///
    /// - Returns: the exponent of a block's side.
    private mutating func writeEntropyImage() -> Int {
        writer.write(1, 1)
        writer.write(4, 3)
        writer.write(0, 1)
        writer.writeSimple([0, 1])
        for symbol in [0, 0, 0, 0] { writer.writeSimple([symbol]) }
        let count = ((width - 1) >> 6 + 1) * ((height - 1) >> 6 + 1)
        for block in 0..<count { writer.write(block % 2, 1) }
        return 6
    }

    private mutating func writeGroup(cacheBits: Int) -> [Code] {
        let cacheCount = cacheBits > 0 ? 1 << cacheBits : 0
        let literals = (0..<16).map { $0 * 16 + source.below(16) }
        let channels = kind == .indices ? [[0], [0], [255]] : [literals, literals, [200, 255]]
        var codes = [
            Code(literals + (256..<280) + (280..<280 + cacheCount).filter { $0 % 8 == 0 }, alphabet: 280 + cacheCount)
        ]
        codes += channels.map { Code($0, alphabet: 256) }
        // All distances.
        codes.append(Code(Array(0..<40), alphabet: 40))
        for code in codes { writer.writeNormal(code.lengths) }
        return codes
    }

    private mutating func writePixels(cacheBits: Int, group: (_ x: Int, _ y: Int) -> [Code]) {
        let count = width * height
        var place = 0
        while place < count {
            let codes = group(place % width, place / width)
            switch source.below(8) {
            case 0...4 where place > 0:
                let length = min(
                    count - place, source.oneIn(8) ? source.number(in: 1...8) : source.number(in: 1...4096))
                // As far as can be, near that, or anywhere.
                let limit = min(place, Self.farthest)
                let distance = source.pick([
                    limit, limit, max(1, limit - source.below(4096)), source.number(in: 1...limit),
                ])
                writePrefixed(length, offset: 256, codes[0])
                writePrefixed(distance + Self.nearCount, offset: 0, codes[4])
                place += length
            case 5 where cacheBits > 0:
                writer.write(280 + 8 * source.below(1 << cacheBits / 8), codes[0].written)
                place += 1
            default:
                for code in codes.prefix(4) {
                    let symbols = code.lengths.indices.filter { $0 < 256 && code.lengths[$0] > 0 }
                    writer.write(source.pick(symbols), code.written)
                }
                place += 1
            }
        }
    }

    /// Writes a length or a distance code: a symbol, and extra bits.
    private mutating func writePrefixed(_ value: Int, offset: Int, _ code: Code) {
        let rest = value - 1
        guard rest >= 4 else { return writer.write(offset + rest, code.written) }
        let highest = Int.bitWidth - 1 - rest.leadingZeroBitCount
        let extra = highest - 1
        writer.write(offset + 2 * highest + rest >> extra & 1, code.written)
        writer.write(rest & (1 << extra - 1), extra)
    }
}
