// Every tag of EXIF data and every property of an XMP packet, as text for people and as JSON.

import ImageCodecs

/// All that EXIF data say, tag by tag.
///
/// Tags may share bytes, so that their values together may be much longer than the data: no more values are shown than the data
/// have bytes, and of one tag no more than ``maxByteCount``.
struct ExifTagReport {
    private let fields: [(field: ExifBlock.Field, value: ExifValue?)]

    /// Bytes of values of one tag.
    private static let maxByteCount = 4096
    /// Values of one tag on a line for people.
    private static let maxLineValueCount = 16

    init(_ block: ExifBlock) {
        var left = block.bytes.count
        fields = block.directories.flatMap { block.fields(in: $0) }.map { field in
            let byteCount = min(left, Self.maxByteCount, field.range?.count ?? 0)
            left -= byteCount
            let size = field.type?.byteCount ?? 1
            return (field, byteCount < size ? nil : block.value(of: field, maxCount: byteCount / size))
        }
    }

    var textLines: [(name: String, value: String)] {
        fields.map { field, value in
            let type = field.type.map { "\($0)" } ?? "unknown type"
            let count = field.count == 1 ? "" : ", \(field.count)"
            let words = value.map { ": " + $0.words(maxCount: Self.maxLineValueCount, of: field.count) } ?? ""
            let number = "0x" + UInt32(field.tag.number).hexadecimal(digits: 4)
            return (
                "\(field.tag.directory)",
                "\(number) " + (field.tag.name.map { $0 + " " } ?? "") + "(\(type)\(count))\(words)"
            )
        }
    }

    var json: JSONValue {
        .array(
            fields.map { field, value in
                var members: [(key: String, value: JSONValue)] = [
                    ("directory", .string(field.tag.directory.rawValue)), ("tag", .integer(Int(field.tag.number))),
                ]
                if let name = field.tag.name { members.append(("name", .string(name))) }
                members.append(("type", field.type.map { .string("\($0)") } ?? .null))
                members.append(("count", .integer(field.count)))
                members.append(("values", value.map { .array($0.json) } ?? .null))
                return .object(members)
            })
    }
}

/// All properties of an XMP packet.
struct XMPPropertyReport {
    private let properties: [XMPPacket.Property]

    init(_ packet: XMPPacket) { properties = packet.properties }

    var textLines: [(name: String, value: String)] {
        properties.map { property in
            (
                "xmp",
                "\(property.namespace.rawValue) \(property.name): "
                    + property.values.map(\.text).joined(separator: "; ")
            )
        }
    }

    var json: JSONValue {
        .array(
            properties.map { property in
                .object([
                    ("namespace", .string(property.namespace.rawValue)), ("name", .string(property.name)),
                    ("values", .array(property.values.map { .string($0.text) })),
                ])
            })
    }
}

extension ExifValue {
    /// Each value; a text is one.
    fileprivate var json: [JSONValue] {
        switch self {
        case .byte(let values), .undefined(let values): values.map { .integer(Int($0)) }
        case .ascii(let text): [.string(text)]
        case .short(let values): values.map { .integer(Int($0)) }
        case .long(let values): values.map { .unsigned(UInt64($0)) }
        case .rational(let values), .signedRational(let values): values.map { .string($0.words) }
        case .signedByte(let values): values.map { .integer(Int($0)) }
        case .signedShort(let values): values.map { .integer(Int($0)) }
        case .signedLong(let values): values.map { .integer(Int($0)) }
        case .float(let values): values.map { $0.isFinite ? .number(Double($0)) : .null }
        case .double(let values): values.map { $0.isFinite ? .number($0) : .null }
        }
    }

    /// The first values on one line.
    ///
    /// - Parameter count: how many there are; three points stand for those that are left out.
    fileprivate func words(maxCount: Int, of count: Int) -> String {
        if case .ascii(let text) = self { return String(Substring(text.unicodeScalars.prefix(16 * maxCount))) }
        if case .undefined(let bytes) = self, bytes.count > 3, bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            return String(decoding: bytes.prefix(16 * maxCount), as: UTF8.self)
        }
        let values = json.prefix(maxCount).map { value in
            if case .string(let text) = value { text } else { value.text }
        }
        return values.joined(separator: " ") + (count > maxCount ? " ..." : "")
    }
}

extension ExifRational {
    fileprivate var words: String { "\(numerator)/\(denominator)" }
}
