// Inflate as RFC 1951 describes it, one bit after another: for builds without zlib, and as a third opinion.

/// Undoes a whole zlib stream. Slow, and strict if it need not be lenient.
package enum PlainInflate {
    /// The content of a zlib stream; `nil` when it is damaged, incomplete or longer than `limit`.
    package static func inflate(_ stream: [UInt8], limit: Int) -> [UInt8]? {
        guard stream.count >= 6, stream[0] & 15 == 8, (Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0 else {
            return nil
        }
        var bits = Bits(bytes: stream, position: 2)
        var output: [UInt8] = []
        var isLast = false
        while !isLast {
            isLast = bits.take(1) == 1
            let isSound: Bool
            switch bits.take(2) {
            case 0: isSound = copyStored(&bits, &output)
            case 1: isSound = decode(&bits, fixedLengths, [Int](repeating: 5, count: 30), &output, limit)
            case 2:
                guard let (literals, distances) = readLengths(&bits) else { return nil }
                isSound = decode(&bits, literals, distances, &output, limit)
            default: return nil
            }
            guard isSound, !bits.isOver, output.count <= limit else { return nil }
        }
        bits.align()
        let checksum = (0..<4).reduce(0) { value, _ in value << 8 | bits.take(8) }
        return !bits.isOver && checksum == adler32(output) ? output : nil
    }

    /// Bits from the least significant on; zeros after the end.
    private struct Bits {
        let bytes: [UInt8]
        var position: Int
        var bit = 0
        var isOver: Bool { position > bytes.count || position == bytes.count && bit > 0 }

        mutating func take(_ count: Int) -> Int {
            var value = 0
            for index in 0..<count {
                let byte = position < bytes.count ? Int(bytes[position]) : 0
                value |= (byte >> bit & 1) << index
                bit += 1
                if bit == 8 { (position, bit) = (position + 1, 0) }
            }
            return value
        }

        mutating func align() {
            if bit > 0 { (position, bit) = (position + 1, 0) }
        }
    }

    /// RFC 1951 section 3.2.6 "Compression with fixed Huffman codes (BTYPE=01)".
    private static let fixedLengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }

    private static func copyStored(_ bits: inout Bits, _ output: inout [UInt8]) -> Bool {
        bits.align()
        let (length, complement) = (bits.take(16), bits.take(16))
        guard length == complement ^ 0xFFFF, length <= bits.bytes.count - min(bits.position, bits.bytes.count) else {
            return false
        }
        output += bits.bytes[bits.position..<bits.position + length]
        bits.position += length
        return true
    }

    /// RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
    private static func readLengths(_ bits: inout Bits) -> (literals: [Int], distances: [Int])? {
        let (literalCount, distanceCount, count) = (bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4)
        var lengths = [Int](repeating: 0, count: 19)
        for index in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(count) {
            lengths[index] = bits.take(3)
        }
        let code = Code(lengths)
        var result: [Int] = []
        while result.count < literalCount + distanceCount {
            switch code.read(&bits) {
            case let length? where length < 16: result.append(length)
            case 16:
                guard let last = result.last else { return nil }
                result += [Int](repeating: last, count: 3 + bits.take(2))
            case 17: result += [Int](repeating: 0, count: 3 + bits.take(3))
            case 18: result += [Int](repeating: 0, count: 11 + bits.take(7))
            default: return nil
            }
        }
        guard result.count == literalCount + distanceCount else { return nil }
        return (Array(result[..<literalCount]), Array(result[literalCount...]))
    }

    /// A prefix code: how many codes there are of each length, and the symbols in the order of their codes.
    ///
    /// RFC 1951 section 3.2.2 "Use of Huffman coding in the 'deflate' format".
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        let symbols: [Int]

        init(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            symbols = (1..<16).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
        }

        func read(_ bits: inout Bits) -> Int? {
            var (code, first, index) = (0, 0, 0)
            for length in 1..<16 {
                code |= bits.take(1)
                if code - first < counts[length] { return symbols[index + code - first] }
                index += counts[length]
                first = (first + counts[length]) << 1
                code <<= 1
            }
            return nil
        }
    }

    /// RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)".
    private static func decode(
        _ bits: inout Bits, _ literals: [Int], _ distances: [Int], _ output: inout [UInt8], _ limit: Int
    ) -> Bool {
        let (literalCode, distanceCode) = (Code(literals), Code(distances))
        while let symbol = literalCode.read(&bits), !bits.isOver, output.count <= limit {
            if symbol == 256 { return true }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            guard symbol < 286 else { return false }
            var length = symbol == 285 ? 258 : 3 + symbol - 257
            if symbol > 264 && symbol < 285 {
                let extra = (symbol - 261) / 4
                length = 3 + (4 + (symbol - 265) % 4) << extra + bits.take(extra)
            }
            guard let code = distanceCode.read(&bits), code < 30 else { return false }
            let extra = max(0, code / 2 - 1)
            let distance = code < 4 ? 1 + code : 1 + (2 + code % 2) << extra + bits.take(extra)
            guard distance <= output.count else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }

    private static func adler32(_ bytes: [UInt8]) -> Int {
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }
}
