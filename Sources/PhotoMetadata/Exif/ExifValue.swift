// The values of a tag, in the type that the file gives them.

import ImageCodecsCore

/// The type of the values of a tag.
///
/// - Source: TIFF 6.0, section 2 "TIFF Structure", "Types"; Exif 2.32 §4.6.2 "IFD Structure".
public enum ExifValueType: UInt16, CaseIterable, Hashable, Sendable {
    case byte = 1
    case ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float, double

    /// Bytes of one value.
    public var byteCount: Int {
        switch self {
        case .byte, .ascii, .signedByte, .undefined: 1
        case .short, .signedShort: 2
        case .long, .signedLong, .float: 4
        case .rational, .signedRational, .double: 8
        }
    }
}

/// A fraction as the file has it.
public struct ExifRational: Hashable, Sendable {
    /// 32 bits in files, with a sign or without.
    public let numerator: Int64
    /// The same; may be 0.
    public let denominator: Int64

    /// Creates a fraction; it is not reduced.
    public init(_ numerator: Int64, _ denominator: Int64) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The quotient; `nil` if the denominator is 0.
    public var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }
}

/// The values of a tag: one array in the type that the file gives them, with as many elements as there are values.
public enum ExifValue: Hashable, Sendable {
    case byte([UInt8])
    /// Text without the zero bytes at its end, bytes that are not UTF-8 replaced. Zero bytes inside stay: `Copyright`
    /// has them between two texts.
    case ascii(String)
    case short([UInt16])
    case long([UInt32])
    /// Fractions of numbers without sign.
    case rational([ExifRational])
    case signedByte([Int8])
    /// Bytes whose meaning depends on the tag.
    case undefined([UInt8])
    case signedShort([Int16])
    case signedLong([Int32])
    case signedRational([ExifRational])
    case float([Float])
    case double([Double])

    /// The type of the values.
    public var type: ExifValueType {
        switch self {
        case .byte: .byte
        case .ascii: .ascii
        case .short: .short
        case .long: .long
        case .rational: .rational
        case .signedByte: .signedByte
        case .undefined: .undefined
        case .signedShort: .signedShort
        case .signedLong: .signedLong
        case .signedRational: .signedRational
        case .float: .float
        case .double: .double
        }
    }
}

// MARK: Bytes

extension ExifValue {
    /// Reads values.
    ///
    /// - Parameters:
    ///   - bytes: those of the values, a multiple of the type's.
    ///   - byteOrder: that of the structure.
    init(_ type: ExifValueType, _ bytes: Span<UInt8>, _ byteOrder: TIFFByteOrder) {
        let count = bytes.count / type.byteCount
        func values<T>(_ read: (Int) -> T) -> [T] { (0..<count).map { read($0 * type.byteCount) } }
        func uint16(_ place: Int) -> UInt16 { byteOrder.uint16(in: bytes, at: place) }
        func uint32(_ place: Int) -> UInt32 { byteOrder.uint32(in: bytes, at: place) }
        func uint64(_ place: Int) -> UInt64 {
            let (first, second) = (UInt64(uint32(place)), UInt64(uint32(place + 4)))
            return byteOrder == .bigEndian ? first << 32 | second : second << 32 | first
        }
        self =
            switch type {
            case .byte: .byte(Array(bytes))
            case .ascii: .ascii(Self.text(bytes))
            case .short: .short(values(uint16))
            case .long: .long(values(uint32))
            case .rational: .rational(values { ExifRational(Int64(uint32($0)), Int64(uint32($0 + 4))) })
            case .signedByte: .signedByte(values { Int8(bitPattern: bytes[$0]) })
            case .undefined: .undefined(Array(bytes))
            case .signedShort: .signedShort(values { Int16(bitPattern: uint16($0)) })
            case .signedLong: .signedLong(values { Int32(bitPattern: uint32($0)) })
            case .signedRational:
                .signedRational(
                    values {
                        ExifRational(Int64(Int32(bitPattern: uint32($0))), Int64(Int32(bitPattern: uint32($0 + 4))))
                    })
            case .float: .float(values { Float(bitPattern: uint32($0)) })
            case .double: .double(values { Double(bitPattern: uint64($0)) })
            }
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0 { count -= 1 }
        return String(decoding: Array(bytes.extracting(first: count)), as: UTF8.self)
    }

    /// The bytes to write; `nil` without any value, and for fractions beyond what the type holds.
    func bytes(_ byteOrder: TIFFByteOrder) -> [UInt8]? {
        let bytes: [UInt8]? =
            switch self {
            case .byte(let values), .undefined(let values): values
            // A text ends in a zero byte, which belongs to it (Exif 2.32 §4.6.2).
            case .ascii(let text): Array(text.utf8) + [0]
            case .short(let values): values.flatMap { byteOrder.bytes($0) }
            case .long(let values): values.flatMap { byteOrder.bytes($0) }
            case .rational(let values):
                Self.bytes(values) { UInt32(exactly: $0).map { byteOrder.bytes($0) } }
            case .signedByte(let values): values.map { UInt8(bitPattern: $0) }
            case .signedShort(let values): values.flatMap { byteOrder.bytes(UInt16(bitPattern: $0)) }
            case .signedLong(let values): values.flatMap { byteOrder.bytes(UInt32(bitPattern: $0)) }
            case .signedRational(let values):
                Self.bytes(values) { Int32(exactly: $0).map { byteOrder.bytes(UInt32(bitPattern: $0)) } }
            case .float(let values): values.flatMap { byteOrder.bytes($0.bitPattern) }
            case .double(let values):
                values.flatMap { value in
                    let (high, low) = (UInt32(value.bitPattern >> 32), UInt32(truncatingIfNeeded: value.bitPattern))
                    return byteOrder == .bigEndian
                        ? byteOrder.bytes(high) + byteOrder.bytes(low) : byteOrder.bytes(low) + byteOrder.bytes(high)
                }
            }
        return bytes?.isEmpty == true ? nil : bytes
    }

    private static func bytes(_ values: [ExifRational], _ bytes: (Int64) -> [UInt8]?) -> [UInt8]? {
        var result: [UInt8] = []
        for value in values {
            guard let numerator = bytes(value.numerator), let denominator = bytes(value.denominator) else { return nil }
            result += numerator + denominator
        }
        return result
    }
}

// MARK: Single values

extension ExifValue {
    /// The first of several integers of any size; `nil` for values of other types.
    public var integer: Int? {
        switch self {
        case .byte(let values), .undefined(let values): values.first.map { Int($0) }
        case .short(let values): values.first.map { Int($0) }
        case .long(let values): values.first.flatMap { Int(exactly: $0) }
        case .signedByte(let values): values.first.map { Int($0) }
        case .signedShort(let values): values.first.map { Int($0) }
        case .signedLong(let values): values.first.map { Int($0) }
        case .ascii, .rational, .signedRational, .float, .double: nil
        }
    }

    /// The fractions; empty for values of other types.
    public var rationals: [ExifRational] {
        switch self {
        case .rational(let values), .signedRational(let values): values
        default: []
        }
    }

    /// The text up to its first zero byte, without spaces around it; `nil` for an empty one, and for values of other types.
    public var text: String? {
        guard case .ascii(let text) = self else { return nil }
        let scalars = text.unicodeScalars.prefix { $0 != "\0" }
        guard let start = scalars.firstIndex(where: { $0 != " " }), let end = scalars.lastIndex(where: { $0 != " " })
        else { return nil }
        return String(scalars[start...end])
    }
}
