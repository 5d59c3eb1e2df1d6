// Bits of JPEG's entropy-coded segments: the next one is the highest of the byte. For walkers, which count every bit.

import ImageCodecsCore
import JPEGBaselineCodec

/// Reads bits from the highest down, over stuffed zeros and up to a marker.
///
/// - Source: ITU-T T.81 (1992) §F.2.2.5 "The NEXTBIT procedure".
struct HighBitReader {
    /// The next byte to read.
    private(set) var position: Int
    /// Bits used so far.
    private(set) var usedBitCount = 0
    /// Zeros after `0xFF` that were passed over.
    private(set) var stuffedByteCount = 0
    /// Bits read from the input and not used: the lowest `bufferCount`.
    private(set) var bufferCount = 0
    private var buffer: UInt64 = 0

    init(at position: Int) { self.position = position }

    /// Makes sure that there are `count` bits, at most 32; `false` before a marker or the end.
    @inline(__always)
    mutating func need(_ count: Int, _ bytes: Span<UInt8>) -> Bool {
        while bufferCount < count {
            guard position < bytes.count else { return false }
            let byte = bytes[position]
            if byte == 0xFF {
                guard position + 1 < bytes.count, bytes[position + 1] == 0 else { return false }
                position += 1
                stuffedByteCount += 1
            }
            position += 1
            buffer = buffer &<< 8 | UInt64(byte)
            bufferCount += 8
        }
        return true
    }

    /// The next 16 bits; those that are missing are zero.
    @inline(__always)
    mutating func peek16(_ bytes: Span<UInt8>) -> Int {
        if need(16, bytes) { return Int((buffer &>> UInt64(bufferCount - 16)) & 0xFFFF) }
        return Int((buffer &<< UInt64(16 - bufferCount)) & 0xFFFF)
    }

    /// Uses up `count` bits; `false` if they are not there.
    @inline(__always)
    mutating func drop(_ count: Int) -> Bool {
        guard count <= bufferCount else { return false }
        bufferCount -= count
        usedBitCount += count
        return true
    }

    /// The next `count` bits, at most 16.
    @inline(__always)
    mutating func read(_ count: Int, _ bytes: Span<UInt8>) -> Int? {
        guard need(count, bytes), drop(count) else { return nil }
        return Int((buffer &>> UInt64(bufferCount)) & ((1 &<< UInt64(count)) &- 1))
    }

    /// Passes over what is left of a byte, and a restart marker after it.
    ///
    /// - Returns: the bits left, more than 7 if there are bytes that nothing asked for; `nil` if there is no restart marker.
    mutating func restart(_ bytes: Span<UInt8>) -> Int? {
        let left = bufferCount
        var end = position
        while end < bytes.count, bytes[end] == 0xFF, end - position < 256 { end += 1 }
        guard end > position, end < bytes.count, Marker(rawValue: bytes[end]).restartNumber != nil else { return nil }
        (buffer, bufferCount) = (0, 0)
        position = end + 1
        return left
    }

    /// Passes over whatever comes before the next restart marker, and over the marker.
    ///
    /// - Returns: its number; `nil` if there is none.
    mutating func seekRestart(_ bytes: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> Int? {
        (buffer, bufferCount) = (0, 0)
        while position + 1 < bytes.count {
            try work.spend(1)
            let number = bytes[position] == 0xFF ? Marker(rawValue: bytes[position + 1]).restartNumber : nil
            position += number == nil ? 1 : 2
            if let number { return number }
        }
        return nil
    }
}

/// A Huffman code of JPEG, and how often each of its symbols was read.
///
/// - Source: ITU-T T.81 (1992) §C.2 "Conversion of Huffman table specifications to tables of codes and code lengths".
struct CountedHuffmanCode: Sendable {
    /// One symbol.
    struct Symbol: Hashable, Sendable {
        let value: UInt8
        let code: Int
        let length: Int
        var useCount = 0
    }

    /// Symbols in the order of their codes.
    private(set) var symbols: [Symbol] = []
    /// The place of the symbol that the next eight bits begin with, and one more; 0 for longer codes.
    private var lookup = [UInt16](repeating: 0, count: 256)
    /// For each length the first code and the place of its symbol, and how many there are.
    private var firsts = [(code: Int, place: Int, count: Int)](repeating: (0, 0, 0), count: 17)

    /// - Parameter specification: nothing is read with one that is no prefix code.
    init?(_ specification: HuffmanSpecification) {
        guard specification.isPrefixCode else { return nil }
        var (code, place) = (0, 0)
        for length in 1...16 {
            let count = Int(specification.counts[length - 1])
            firsts[length] = (code, place, count)
            for _ in 0..<count {
                symbols.append(Symbol(value: specification.symbols[place], code: code, length: length))
                if length <= 8 {
                    let start = code << (8 - length)
                    for window in start..<start + 1 << (8 - length) { lookup[window] = UInt16(place + 1) }
                }
                code += 1
                place += 1
            }
            code <<= 1
        }
    }

    /// The next symbol, which is counted.
    @inline(__always)
    mutating func read(_ reader: inout HighBitReader, _ bytes: Span<UInt8>) -> Int? {
        let window = reader.peek16(bytes)
        var place = Int(lookup[window >> 8]) - 1
        if place < 0 {
            for length in 9...16 {
                let offset = window >> (16 - length) - firsts[length].code
                if offset >= 0, offset < firsts[length].count {
                    place = firsts[length].place + offset
                    break
                }
            }
        }
        guard place >= 0, reader.drop(symbols[place].length) else { return nil }
        symbols[place].useCount += 1
        return Int(symbols[place].value)
    }
}
