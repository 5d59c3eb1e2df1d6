// Addresses of the Internet Protocol, and what texts mean one.

/// An address of version 4 or 6.
public struct IPAddress: Hashable, Sendable {
    /// The address as a number; of version 4 the low 32 bits.
    public let value: UInt128
    /// Whether it is of version 6.
    public let isVersion6: Bool

    /// The address of version 4 that is this number.
    public init(version4 value: UInt32) { (self.value, isVersion6) = (UInt128(value), false) }

    /// The address of version 6 that is this number.
    public init(version6 value: UInt128) { (self.value, isVersion6) = (value, true) }

    /// Reads an address as people write it: four decimal numbers without leading zeros, or the forms of version 6 without a zone.
    ///
    /// Source: RFC 4291, §2.2 "Text Representation of Addresses".
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        if let value = Self.strictVersion4(bytes[...]) {
            self.init(version4: value)
        } else if let value = Self.version6(bytes) {
            self.init(version6: value)
        } else {
            return nil
        }
    }

    /// The address that stands in the place of a name in an address of the web, in all forms that libraries accept there: one to
    /// four numbers, each decimal, octal (`0177`) or hexadecimal (`0x7f`), the last one for all bytes that are left.
    ///
    /// - Returns: the address; `nil` if the text is a name.
    /// - Throws: `WebAddressError.badHost` if its last label is a number, but the whole no address.
    /// - Source: URL Living Standard, "host parsing": the IPv4 parser and the ends-in-a-number checker.
    static func host(_ text: String) throws(WebAddressError) -> IPAddress? {
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard let last = labels.last else { return nil }
        let isNumber = !last.isEmpty && last.allSatisfy { (0x30...0x39).contains($0) } || number(last) != nil
        guard isNumber else { return nil }
        guard labels.count <= 4 else { throw .badHost }
        var value: UInt64 = 0
        for (index, label) in zip(0..., labels) {
            guard let number = number(label) else { throw .badHost }
            let isLast = index == labels.count - 1
            let bitCount = isLast ? UInt64(8 * (5 - labels.count)) : 8
            guard number < 1 << bitCount else { throw .badHost }
            value = value << bitCount | number
        }
        return IPAddress(version4: UInt32(value))
    }

    /// A number of the IPv4 parser; at most 2^33, so that it cannot overflow.
    private static func number(_ text: Substring.UTF8View) -> UInt64? {
        var (digits, radix) = (Array(text)[...], UInt64(10))
        if digits.count >= 2, digits[0] == 0x30, digits[1] | 0x20 == UInt8(ascii: "x") {
            (digits, radix) = (digits.dropFirst(2), 16)
        } else if digits.count >= 2, digits[0] == 0x30 {
            (digits, radix) = (digits.dropFirst(), 8)
        } else if digits.isEmpty {
            return nil
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let number = digit.hexadecimalValue, number < radix else { return nil }
            value = min(value * radix + number, 1 << 33)
        }
        return value
    }

    private static func strictVersion4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count == 4 else { return nil }
        var value: UInt32 = 0
        for label in labels {
            guard (1...3).contains(label.count), label.count == 1 || label.first != 0x30,
                label.allSatisfy({ (0x30...0x39).contains($0) }),
                let byte = UInt8(String(decoding: label, as: UTF8.self))
            else { return nil }
            value = value << 8 | UInt32(byte)
        }
        return value
    }

    private static func version6(_ text: [UInt8]) -> UInt128? {
        guard text.count <= 45, text.contains(UInt8(ascii: ":")) else { return nil }
        // What stands before `::` and what stands after it; without it, all stands before.
        let double = text.indices.dropLast().first { text[$0] == 0x3A && text[$0 + 1] == 0x3A }
        guard let double else {
            return groups(text[...]).flatMap { $0.count == 8 ? joined($0) : nil }
        }
        guard let head = groups(text[..<double]), let tail = groups(text[(double + 2)...]), head.count + tail.count <= 7
        else { return nil }
        return joined(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// Groups of 16 bits; an address of version 4 at the end is two of them.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        if text.isEmpty { return [] }
        let labels = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, label) in zip(1..., labels) {
            if index == labels.count, let last = strictVersion4(label) {
                groups += [UInt16(last >> 16), UInt16(truncatingIfNeeded: last)]
                continue
            }
            guard (1...4).contains(label.count) else { return nil }
            var value: UInt16 = 0
            for digit in label {
                guard let number = digit.hexadecimalValue else { return nil }
                value = value << 4 | UInt16(number)
            }
            groups.append(value)
        }
        return groups
    }

    private static func joined(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }

    /// The address of version 4 to which packets for this one go in the end, for the forms that carry one: mapped and compatible
    /// (RFC 4291, §2.5.5), translated (RFC 2765), 6to4 (RFC 3056), NAT64 (RFC 6052), Teredo (RFC 4380), ISATAP (RFC 5214).
    public var embedded: IPAddress? {
        guard isVersion6 else { return nil }
        let low = UInt32(truncatingIfNeeded: value)
        let (high, interface) = (value >> 32, UInt32(truncatingIfNeeded: value >> 32))
        // ::ffff:0:0/96, ::ffff:0:0:0/96, 64:ff9b::/96; ::/96 but for `::` and `::1`.
        if high == 0xFFFF || high == 0xFFFF_0000 || high == 0x64_FF9B << 64 { return IPAddress(version4: low) }
        if high == 0 { return value > 1 ? IPAddress(version4: low) : nil }
        if value >> 112 == 0x2002 { return IPAddress(version4: UInt32(truncatingIfNeeded: value >> 80)) }
        if value >> 96 == 0x2001_0000 { return IPAddress(version4: ~low) }
        if interface & 0xFDFF_FFFF == 0x0000_5EFE { return IPAddress(version4: low) }
        return nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address as text; of version 6 the form of RFC 5952.
    public var description: String {
        guard isVersion6 else {
            return stride(from: 24, through: 0, by: -8).map { "\(value >> UInt128($0) & 255)" }.joined(separator: ".")
        }
        let groups = stride(from: 112, through: 0, by: -16).map { UInt16(truncatingIfNeeded: value >> UInt128($0)) }
        // The longest run of zeros, the first of equals, if it is longer than one.
        var best = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(1, best.count) { best = start..<index }
            start = index + 1
        }
        let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        return best.isEmpty
            ? text(groups[...]) : text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

/// Addresses that begin with the same bits.
public struct IPNetwork: Hashable, Sendable {
    /// An address of it, whose other bits are zero.
    public let address: IPAddress
    /// How many bits are the same.
    public let prefixLength: Int

    /// Reads a network: an address, a slash and the number of bits, as `10.0.0.0/8`; or an address alone.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let bitCount = address.isVersion6 ? 128 : 32
        var length = bitCount
        if parts.count == 2 {
            guard let number = Int(parts[1]), (0...bitCount).contains(number) else { return nil }
            length = number
        }
        self.init(address, length)
    }

    private init(_ address: IPAddress, _ prefixLength: Int) {
        self.prefixLength = prefixLength
        let shift = UInt128((address.isVersion6 ? 128 : 32) - prefixLength)
        let value = shift == 128 ? 0 : (address.value >> shift) << shift
        self.address =
            address.isVersion6
            ? IPAddress(version6: value) : IPAddress(version4: UInt32(truncatingIfNeeded: value))
    }

    /// Whether an address begins with these bits.
    public func contains(_ other: IPAddress) -> Bool {
        other.isVersion6 == address.isVersion6 && IPNetwork(other, prefixLength).address == address
    }
}
