// GIF's codes as bits, and the table that a decoder builds from them (GIF89a Appendix F).

/// Writes codes in the size that a decoder expects at that moment, whether or not they make sense.
struct LZWCodeWriter {
    /// The codes so far, the first in the lowest bits.
    private(set) var bytes: [UInt8] = []
    /// Indices that the codes so far stand for.
    private(set) var indexCount = 0
    private let minimumCodeSize: Int
    private var reservoir = 0
    private var bitCount = 0
    private var codeSize = 0
    /// How many indices each code stands for.
    private var lengths: [Int] = []
    private var previous: Int?

    /// - Parameter minimumCodeSize: 0...12; those that the standard does not have are written as if it had.
    init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        clearTable()
    }

    var clearCode: Int { 1 << minimumCodeSize }
    var endCode: Int { clearCode + 1 }
    /// The code that the next string gets.
    var nextCode: Int { lengths.count }
    /// Whether a code that has no string yet stands for the last string and its first index.
    var mayRunAhead: Bool { previous != nil && nextCode < 4096 }

    mutating func write(_ code: Int) {
        put(code)
        if code == clearCode { return clearTable() }
        guard code != endCode else { return }
        let length = code < lengths.count ? lengths[code] : previous.map { lengths[$0] + 1 } ?? 1
        if let previous, lengths.count < 4096 { lengths.append(lengths[previous] + 1) }
        previous = min(code, lengths.count - 1)
        indexCount += length
        if lengths.count == 1 << codeSize, codeSize < 12 { codeSize += 1 }
    }

    /// Fills the last byte.
    mutating func finish() {
        if bitCount > 0 { bytes.append(UInt8(reservoir & 255)) }
        (reservoir, bitCount) = (0, 0)
    }

    private mutating func put(_ code: Int) {
        reservoir |= (code & (1 << codeSize - 1)) << bitCount
        bitCount += codeSize
        while bitCount >= 8 {
            bytes.append(UInt8(reservoir & 255))
            reservoir >>= 8
            bitCount -= 8
        }
    }

    private mutating func clearTable() {
        lengths = [Int](repeating: 1, count: clearCode) + [0, 0]
        codeSize = min(12, minimumCodeSize + 1)
        previous = nil
    }
}
