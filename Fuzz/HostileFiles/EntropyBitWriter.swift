// Entropy-coded bytes: bits with stuffed zeros, and with fill bytes before them.

/// Writes bits, the most significant first.
///
/// - Source: ITU-T T.81 (1992) §F.1.2.3 "Byte stuffing"; §B.1.1.2 "Markers": any marker may be preceded by fill
///   bytes of 0xFF. Decoders that follow libjpeg accept them before a stuffed zero too.
package struct EntropyBitWriter: Sendable {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []
    /// How many further 0xFF stand between a 0xFF of data and its stuffed zero.
    package var fillCount: Int
    private var pending = 0
    private var pendingCount = 0

    package init(fillCount: Int = 0) { self.fillCount = fillCount }

    /// Writes the low `count` bits of `value`.
    package mutating func put(_ value: Int, _ count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) {
            pending = pending << 1 | (value >> shift & 1)
            pendingCount += 1
            guard pendingCount == 8 else { continue }
            bytes.append(UInt8(pending))
            if pending == 0xFF { bytes += [UInt8](repeating: 0xFF, count: fillCount) + [0] }
            (pending, pendingCount) = (0, 0)
        }
    }

    /// Writes a symbol's code; nothing if the table has none.
    package mutating func put(_ symbol: UInt8, _ table: HuffmanRecipe) {
        if let code = table.code(of: symbol) { put(code.value, code.length) }
    }

    /// Completes the last byte with ones.
    package mutating func flush() {
        while pendingCount != 0 { put(1, 1) }
    }

    /// Completes the last byte and appends bytes that are not stuffed: a marker.
    package mutating func append(marker: [UInt8]) {
        flush()
        bytes += marker
    }
}
