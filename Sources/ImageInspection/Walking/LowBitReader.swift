// Bits of deflate and VP8L streams: the next one is the lowest of the byte. For walkers, which count every bit.

/// Reads bits from the lowest up.
struct LowBitReader {
    /// The next bit is the lowest; zero from `bufferCount` on.
    private var buffer: UInt64 = 0
    private var bufferCount = 0
    /// The next byte to read.
    private var position: Int
    /// Where the stream begins.
    private let start: Int

    init(at start: Int = 0) { (position, self.start) = (start, start) }

    /// Bits used so far.
    var usedBitCount: Int { 8 * (position - start) - bufferCount }

    /// Makes sure that there are `count` bits, at most 48.
    @inline(__always)
    mutating func need(_ count: Int, _ bytes: Span<UInt8>) -> Bool {
        while bufferCount < count {
            guard position < bytes.count else { return false }
            buffer |= UInt64(bytes[position]) &<< UInt64(bufferCount)
            position += 1
            bufferCount += 8
        }
        return true
    }

    /// As many of the next 15 bits as there are; those that are missing are zero.
    @inline(__always)
    mutating func peek15(_ bytes: Span<UInt8>) -> (bits: Int, count: Int) {
        if bufferCount < 15 { _ = need(15, bytes) }
        return (Int(buffer & 0x7FFF), min(15, bufferCount))
    }

    /// Uses up bits that are there.
    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &>>= UInt64(count)
        bufferCount -= count
    }

    /// The next `count` bits, at most 32; `nil` if the input ends before.
    @inline(__always)
    mutating func read(_ count: Int, _ bytes: Span<UInt8>) -> Int? {
        guard need(count, bytes) else { return nil }
        defer { drop(count) }
        return Int(buffer & ((1 &<< UInt64(count)) &- 1))
    }

    /// Drops what is left of a byte, and says how much that was.
    mutating func alignToByte() -> Int {
        let count = bufferCount & 7
        drop(count)
        return count
    }
}

/// A canonical prefix code whose codes begin at the lowest bit, as deflate and VP8L have them.
///
/// The plain way: codes of up to nine bits are looked up, longer ones found length by length.
///
/// Source: RFC 1951 section 3.2.2 "Use of Huffman coding in the "deflate" format"; RFC 9649 section 3.7.2 "Details of Prefix Codes".
struct WalkedPrefixCode: Sendable {
    /// What the lengths make.
    enum Shape: Hashable, Sendable {
        /// No code at all.
        case empty
        /// One code of one bit.
        case single
        case complete, incomplete, overfull
    }

    let shape: Shape
    /// Bits of the longest code.
    private let longest: Int
    /// Symbols with a code.
    private let symbolCount: Int

    /// `symbol << 4 | length` by the next bits, 0 for longer codes.
    private var lookup: [UInt16] = []
    private let lookupBits: Int
    /// Codes of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// Symbols in the order of their codes.
    private var symbols: [UInt16] = []

    /// Codes of 0 to 15 bits.
    var countsByLength: SIMD16<UInt16> {
        var result = SIMD16<UInt16>()
        for length in counts.indices { result[length] = UInt16(clamping: counts[length]) }
        return result
    }

    /// - Parameter lengths: at most 15 each, 0 for symbols without a code; below 4096 of them.
    init(lengths: some RandomAccessCollection<UInt8>) {
        for length in lengths { counts[Int(length)] += 1 }
        counts[0] = 0
        symbolCount = counts.reduce(0, +)
        longest = counts.lastIndex { $0 > 0 } ?? 0
        lookupBits = min(9, longest)
        var (room, starts, place) = (1, [Int](repeating: 0, count: 17), 0)
        var isOverfull = false
        for length in 1...15 {
            room = 2 * room - counts[length]
            if room < 0 { isOverfull = true }
            starts[length] = place
            place += counts[length]
        }
        shape =
            isOverfull
            ? .overfull
            : symbolCount == 0
                ? .empty : room == 0 ? .complete : symbolCount == 1 && longest == 1 ? .single : .incomplete
        guard shape != .overfull else { return }
        symbols = [UInt16](repeating: 0, count: symbolCount)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[starts[Int(length)]] = UInt16(symbol)
            starts[Int(length)] += 1
        }
        makeLookup()
    }

    /// Bytes that a code takes at most.
    static let byteCount = 2 * (1 << 9) + 2 * 2400 + 128

    private mutating func makeLookup() {
        lookup = [UInt16](repeating: 0, count: 1 << lookupBits)
        var (code, place) = (0, 0)
        for length in 1...15 where length <= lookupBits {
            code <<= 1
            for _ in 0..<counts[length] {
                // The first bit of a code is its highest, and the lowest of the window.
                var (bits, window) = (code, 0)
                for _ in 0..<length { (window, bits) = (window << 1 | bits & 1, bits >> 1) }
                while window < lookup.count {
                    lookup[window] = symbols[place] << 4 | UInt16(length)
                    window += 1 << length
                }
                code += 1
                place += 1
            }
        }
    }

    /// The next symbol and the bits of its code; `nil` if no code begins so, or the input ends within it.
    @inline(__always)
    func read(_ reader: inout LowBitReader, _ bytes: Span<UInt8>) -> (symbol: Int, bitCount: Int)? {
        let (window, count) = reader.peek15(bytes)
        if lookupBits > 0 {
            let entry = lookup[window & (lookup.count - 1)]
            if entry != 0 {
                let length = Int(entry & 15)
                guard length <= count else { return nil }
                reader.drop(length)
                return (Int(entry >> 4), length)
            }
        }
        return readLong(window, count, &reader)
    }

    private func readLong(_ window: Int, _ count: Int, _ reader: inout LowBitReader) -> (symbol: Int, bitCount: Int)? {
        guard longest > 0 else { return nil }
        var (code, first, place) = (0, 0, 0)
        for length in 1...longest {
            code |= (window >> (length - 1)) & 1
            let offset = code - first
            if offset < counts[length] {
                guard length <= count else { return nil }
                reader.drop(length)
                return (Int(symbols[place + offset]), length)
            }
            place += counts[length]
            first = (first + counts[length]) << 1
            code <<= 1
        }
        return nil
    }
}
