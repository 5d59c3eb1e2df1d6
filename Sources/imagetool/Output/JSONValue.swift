// JSON with keys in the order they were given, one line for each value.

import ImageCodecs

/// A JSON value that is written as it was built: scripts compare the output byte for byte.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A finite number as short as it can be written.
    case number(Double)
    /// A number with a fixed number of decimals.
    case decimal(Double, places: Int)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])
    /// A whole number above the largest `Int`.
    case unsigned(UInt64)

    /// A number, or `null`.
    static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }

    /// The value on one line, without white space outside strings.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): "\(value)"
        case .decimal(let value, let places): value.fixed(places)
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        case .unsigned(let value): String(value)
        }
    }

    /// The string with the escapes that RFC 8259 §7 "Strings" asks for, and those of other control characters and line
    /// ends: JSON is looked at in terminals and read line by line too.
    private static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                result += "\\u" + UInt32(scalar.value).hexadecimal(digits: 4)
            // A byte of a file name that is no UTF-8: in a terminal the code point shows nothing.
            case _ where SystemPath.isByte(scalar):
                result += "\\u" + UInt32(scalar.value).hexadecimal(digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension UInt32 {
    /// Lower-case hexadecimal with leading zeros.
    func hexadecimal(digits: Int) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}
