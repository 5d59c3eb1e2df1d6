// What tests do with every byte of large pictures. This module is optimised in debug builds, tests are not.

import ImageCodecsCore

extension [UInt8] {
    /// Four bytes at a time as little-endian numbers.
    package var littleEndianWords: [UInt32] {
        (0..<count / 4).map { index in
            let bytes = self[4 * index..<4 * index + 4]
            return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Pixels of four bytes with the first and the third exchanged.
    package var withRedAndBlueExchanged: [UInt8] {
        var bytes = self
        for place in stride(from: 0, to: count - 3, by: 4) { bytes.swapAt(place, place + 2) }
        return bytes
    }

    /// Mean of the squared differences to as many other bytes.
    package func meanSquaredError(_ other: [UInt8]) -> Double {
        let sum = zip(self, other).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(count)
    }

    /// Whether the bytes from `position` on are those `distance` before them.
    package func repeats(at position: Int, length: Int, distance: Int) -> Bool {
        (position..<position + length).allSatisfy { self[$0] == self[$0 - distance] }
    }
}

extension RawSpan {
    /// Whether all bytes are this one.
    package func isFilled(with value: UInt8) -> Bool {
        (0..<byteCount).allSatisfy { byte(at: $0) == value }
    }
}
