// Writes VP8L bitstreams by hand: bits, headers, prefix codes.

/// Bits, the lowest of each byte first.
struct VP8LWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    /// Bits so far.
    var position: Int { bitCount }

    /// Writes the low `count` bits of `value`, the lowest first.
    mutating func write(_ value: Int, _ count: Int) {
        for place in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bitCount / 8] |= UInt8(value >> place & 1) << UInt8(bitCount % 8)
            bitCount += 1
        }
    }

    /// Writes the header of a picture.
    mutating func writeHeader(width: Int, height: Int, alphaIsUsed: Bool = true) {
        write(0x2F, 8)
        write(width - 1, 14)
        write(height - 1, 14)
        write(alphaIsUsed ? 1 : 0, 1)
        write(0, 3)
    }

    /// Writes the symbol of a code; nothing if it is the only one.
    mutating func write(_ symbol: Int, _ code: WrittenCode) {
        guard let (bits, length) = code.codes[symbol] else { return }
        for place in stride(from: length - 1, through: 0, by: -1) { write(bits >> place & 1, 1) }
    }

    /// Writes the lengths of a code of one symbol or two, which are below 256.
    mutating func writeSimple(_ symbols: [Int]) {
        write(1, 1)
        write(symbols.count - 1, 1)
        let isLong = symbols[0] > 1
        write(isLong ? 1 : 0, 1)
        write(symbols[0], isLong ? 8 : 1)
        if symbols.count == 2 { write(symbols[1], 8) }
    }

    /// Writes the lengths of a code one by one, each in four bits, but for lengths of 15, which have five.
    mutating func writeNormal(_ lengths: [Int]) {
        write(0, 1)
        writeCodeLengthCode(Self.flatCodeLengths)
        write(0, 1)
        let code = WrittenCode(Self.flatCodeLengths)
        for length in lengths { write(length, code) }
    }

    /// Lengths of a code length code in which each length can be said, and 16, 17 and 18 too: 13 symbols of four bits, 6 of
    /// five.
    static let flatCodeLengths = Array(repeating: 4, count: 13) + Array(repeating: 5, count: 6)

    private static let codeLengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// Writes the lengths of a code length code.
    mutating func writeCodeLengthCode(_ lengths: [Int]) {
        write(15, 4)
        for symbol in Self.codeLengthOrder { write(lengths[symbol], 3) }
    }

    /// The same, without the zeros at the end.
    mutating func writeShortCodeLengthCode(_ lengths: [Int]) {
        let last = Self.codeLengthOrder.lastIndex { lengths[$0] > 0 } ?? 0
        let count = max(4, last + 1)
        write(count - 4, 4)
        for symbol in Self.codeLengthOrder.prefix(count) { write(lengths[symbol], 3) }
    }

    /// Writes five codes of one symbol each: all pixels are that one, and take no bits.
    mutating func writeConstantGroup(alpha: Int = 255, red: Int = 0, green: Int = 0, blue: Int = 0) {
        for symbol in [green, red, blue, alpha, 0] { writeSimple([symbol]) }
    }
}

/// A prefix code, to write with.
struct WrittenCode {
    /// For each symbol its code, the first bit highest, and its length.
    private(set) var codes: [Int: (bits: Int, length: Int)] = [:]

    /// - Parameter lengths: of each symbol, 0 if it has no code.
    init(_ lengths: [Int]) {
        guard lengths.count(where: { $0 > 0 }) > 1 else { return }
        var next = 0
        for length in 1...15 {
            next <<= 1
            for symbol in lengths.indices where lengths[symbol] == length {
                codes[symbol] = (next, length)
                next += 1
            }
        }
    }
}
