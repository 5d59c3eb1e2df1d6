// Bytes of text that was made fit for an address: percent encoding and base64. Both take time in proportion to the text.

enum TextDecoding {
    /// Text whose bytes stand there as they are or as `%2F`; `nil` if a percent sign has no two digits, or the bytes are no UTF-8.
    ///
    /// Source: RFC 3986 §2.1 "Percent-Encoding".
    static func percentDecoded(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The bytes that hexadecimal digits stand for; `nil` for other signs and an odd number.
    static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(digit)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes of base64 in the alphabet for addresses, the usual one's signs too, padding or not; `nil` for other signs and for
    /// bits that are left over.
    ///
    /// Source: RFC 4648 §5 "Base 64 Encoding with URL and Filename Safe Alphabet".
    static func base64Decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var (bytes, bits, bitCount): ([UInt8], UInt32, Int) = ([], 0, 0)
        bytes.reserveCapacity(text.count * 3 / 4)
        var paddingCount = 0
        for sign in text {
            if sign == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let value = base64Value(sign) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // Six bits alone are no byte; padding fills four signs up.
        let isComplete = bitCount < 6 && bits & (1 << UInt32(bitCount) - 1) == 0
        guard isComplete, paddingCount == 0 || paddingCount == bitCount / 2 else { return nil }
        return bytes
    }

    private static func base64Value(_ sign: UInt8) -> UInt8? {
        switch sign {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): sign - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): sign - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): sign - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
