// Blocks of sequential JPEG scans one bit at a time, as the flow charts of the standard do it.

package import JPEGBaselineCodec

/// Bits of an entropy-coded segment without stuffing; zero bits follow its end.
package struct BitsByTheBook: Sendable {
    private let bytes: [UInt8]
    /// Bits taken so far.
    package private(set) var position = 0

    /// - Parameter bytes: Without stuffed zeros and markers.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether bits were taken that are not there.
    package var hasOverrun: Bool { position > bytes.count * 8 }

    /// T.81 §F.2.2.5 "The NEXTBIT procedure".
    package mutating func nextBit() -> Int {
        defer { position += 1 }
        return position < bytes.count * 8 ? Int(bytes[position / 8] >> (7 - position % 8)) & 1 : 0
    }

    /// T.81 §F.2.2.4 "The RECEIVE procedure".
    package mutating func receive(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | nextBit() }
        return value
    }

    /// T.81 §F.2.2.1 "Huffman decoding of DC coefficients", figure F.12 "EXTEND", of a number of `size` bits.
    package mutating func receiveSigned(_ size: Int) -> Int {
        let value = receive(size)
        return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value
    }

    /// T.81 §F.2.2.3 "The DECODE procedure"; `nil` after 17 bits that start with no code.
    package mutating func decode(_ table: HuffmanSpecification) -> Int? {
        var code = 0
        var first = 0
        var index = 0
        for count in table.counts {
            code = code << 1 | nextBit()
            if code - first < Int(count) { return Int(table.symbols[index + code - first]) }
            index += Int(count)
            first = (first + Int(count)) << 1
        }
        _ = nextBit()
        return nil
    }
}

/// Decodes blocks of sequential scans.
package enum SequentialBlockByTheBook {
    /// The 64 coefficients of the next block in natural order, and whether it is damaged.
    ///
    /// - Source: ITU-T T.81 (1992) §F.2.2.1 "Huffman decoding of DC coefficients", §F.2.2.2 "Huffman decoding of AC
    ///   coefficients".
    package static func decodeBlock(
        _ bits: inout BitsByTheBook, dc: HuffmanSpecification, ac: HuffmanSpecification, predictor: inout Int
    ) -> (coefficients: [Int16], isDamaged: Bool) {
        var coefficients = [Int16](repeating: 0, count: 64)
        var isDamaged = false
        func symbol(_ table: HuffmanSpecification) -> Int {
            let found = bits.decode(table)
            if found == nil { isDamaged = true }
            return found ?? 0
        }
        predictor += bits.receiveSigned(symbol(dc) & 15)
        coefficients[0] = Int16(truncatingIfNeeded: predictor)
        var position = 1
        while position < 64 {
            let next = symbol(ac)
            let (run, size) = (next >> 4, next & 15)
            if size == 0 {
                guard run == 15 else { break }
                position += 16
                continue
            }
            position += run
            let value = bits.receiveSigned(size)
            if position > 63 { isDamaged = true }
            coefficients[Int(ZigZagOrder.natural[min(position, 63)])] = Int16(truncatingIfNeeded: value)
            position += 1
        }
        return (coefficients, isDamaged)
    }
}
