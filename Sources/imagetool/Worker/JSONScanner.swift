// Where the values on a line of JSON begin and end.

/// Goes over JSON from left to right without keeping anything.
///
/// Strings are followed to their ends and brackets to their partners; whether a value between them is well-formed is for
/// its reader to say.
struct JSONScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether nothing but white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    /// Takes a character, and the white space in front of it.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes a string, quotation marks included; `nil` where there is none, or one without end.
    mutating func takeString() -> Range<Int>? {
        skipSpace()
        let start = position
        return skipString() ? start..<position : nil
    }

    /// Takes any value; `nil` where it has no end.
    mutating func takeValue() -> Range<Int>? {
        skipSpace()
        guard position < bytes.count else { return nil }
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "\""): return skipString() ? start..<position : nil
        case UInt8(ascii: "["), UInt8(ascii: "{"): return skipNested() ? start..<position : nil
        default:
            while position < bytes.count, Self.isInWord(bytes[position]) { position += 1 }
            return position > start ? start..<position : nil
        }
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Control characters have to be escaped (RFC 8259 §7).
    private mutating func skipString() -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return false }
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return true
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return false
            default: position += 1
            }
        }
        return false
    }

    /// Goes to the partner of a bracket, counting those of both kinds together.
    private mutating func skipNested() -> Bool {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    /// Numbers and the words `true`, `false` and `null`.
    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
