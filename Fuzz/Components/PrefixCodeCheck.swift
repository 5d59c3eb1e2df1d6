// Any bytes as the code lengths of a prefix code, and as bits that are coded with it. The lengths go into a bitstream, one
// by one, as those of green, and the bits after them: the pixels must be what counting up codes gives, and lengths that make
// no code must be refused.

import CodecTestSupport
import ImageCodecsCore
import WebPLosslessCodec

enum PrefixCodeCheck {
    /// Literals that have a length; symbols after them, which begin copies, have none.
    private static let symbolCount = 256

    static func check(_ bytes: [UInt8]) throws {
        guard bytes.count > 4 else { return }
        let lengths = lengths(bytes)
        let codes = codes(lengths)
        let bits = bytes.suffix(bytes.count / 2)
        // How many symbols the bits are enough for.
        var symbols: [Int] = []
        if let codes { symbols = decode(bits, codes) }
        let isSingle = lengths.count { $0 > 0 } == 1
        let width = isSingle ? 7 : min(4096, max(1, symbols.count))
        var writer = BitWriter()
        write(&writer, width: width, lengths)
        for byte in bits { writer.write(Int(byte), 8) }
        var options = DecodingOptions()
        options.limits = .small
        options.pixelFormat = .rgb
        var decoder = VP8LDecoder(options: options)
        let picture: Result<Bitmap?, ImageError> = Result { () throws(ImageError) in
            _ = try decoder.append(writer.bytes.span)
            _ = try decoder.finish()
            return try decoder.image()?.bitmap
        }
        switch picture {
        case .success(let bitmap):
            guard let bitmap else { throw Violation("no picture") }
            try require(codes != nil, "lengths that make no code are taken")
            let single = lengths.firstIndex { $0 > 0 } ?? 0
            try bitmap.withRow(0) { row in
                for x in 0..<width {
                    let expected = isSingle ? single : symbols[x]
                    try require(Int(row[3 * x + 1]) == expected, "symbol \(x)")
                }
            }
        case .failure(let error):
            // With no whole symbol the picture of one pixel is cut off.
            try require(codes == nil ? error.code == "corrupt" : symbols.isEmpty, "\(error)")
        }
    }

    /// Lengths from the first half of the input: any, or those of leaves that are split until there are enough, with a little
    /// damage sometimes.
    private static func lengths(_ bytes: [UInt8]) -> [UInt8] {
        let first = bytes.prefix(bytes.count - bytes.count / 2)
        var lengths = [UInt8](repeating: 0, count: symbolCount)
        if bytes[0] & 3 == 0 {
            for (symbol, byte) in zip(0..., first.prefix(symbolCount)) { lengths[symbol] = byte & 15 }
            return lengths
        }
        var leaves: [UInt8] = [1, 1]
        for byte in first.dropFirst(2) where leaves.count < symbolCount {
            let place = Int(byte) % leaves.count
            guard leaves[place] < 15 else { continue }
            leaves[place] += 1
            leaves.append(leaves[place])
        }
        // Symbols that have a code lie apart.
        let step = max(1, symbolCount / leaves.count)
        for (index, length) in leaves.enumerated() { lengths[index * step] = length }
        if bytes[0] & 15 == 1 { lengths[Int(bytes[1])] ^= 1 }
        return lengths
    }

    private struct Code: Hashable {
        let length: Int
        let bits: Int
    }

    /// The canonical code, or `nil` if the lengths make none; empty for a single symbol.
    private static func codes(_ lengths: [UInt8]) -> [Code: Int]? {
        let used = lengths.indices.filter { lengths[$0] > 0 }
        if used.count == 1 { return [:] }
        guard used.reduce(0, { $0 + 1 << (15 - Int(lengths[$1])) }) == 1 << 15 else { return nil }
        var (codes, next) = ([Code: Int](), 0)
        for length in 1...15 {
            next <<= 1
            for symbol in used where Int(lengths[symbol]) == length {
                codes[Code(length: length, bits: next)] = symbol
                next += 1
            }
        }
        return codes
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, _ codes: [Code: Int]) -> [Int] {
        guard !codes.isEmpty else { return [] }
        var (symbols, length, bits) = ([Int](), 0, 0)
        for byte in bytes {
            for place in 0..<8 {
                (length, bits) = (length + 1, bits << 1 | Int(byte >> UInt8(place) & 1))
                if let symbol = codes[Code(length: length, bits: bits)] {
                    symbols.append(symbol)
                    (length, bits) = (0, 0)
                }
            }
        }
        return symbols
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        /// Writes the low bits of `value`, the lowest first.
        mutating func write(_ value: Int, _ bitCount: Int) {
            for place in 0..<bitCount {
                if count & 7 == 0 { bytes.append(0) }
                bytes[count >> 3] |= UInt8(value >> place & 1) << UInt8(count & 7)
                count += 1
            }
        }
    }

    /// A picture of one row: header, and five codes, of which green's lengths are said one by one.
    private static func write(_ writer: inout BitWriter, width: Int, _ lengths: [UInt8]) {
        writer.write(0x2F, 8)
        writer.write(width - 1, 14)
        writer.write(0, 14 + 4)
        // No transform, no color cache, one group.
        writer.write(0, 3)
        // A code length code of sixteen codes of four bits: of the nineteen symbols 16, 17 and 18 have none.
        writer.write(0, 1)
        writer.write(15, 4)
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] {
            writer.write(symbol < 16 ? 4 : 0, 3)
        }
        writer.write(0, 1)
        for length in lengths + [UInt8](repeating: 0, count: 24) {
            // A code's first bit is its highest.
            for place in [3, 2, 1, 0] { writer.write(Int(length) >> place & 1, 1) }
        }
        // Red, blue and distance 0, alpha 255, without bits.
        for symbol in [0, 0, 255, 0] {
            writer.write(symbol == 0 ? 0b0001 : 0b101, symbol == 0 ? 4 : 3)
            if symbol > 0 { writer.write(symbol, 8) }
        }
    }
}
