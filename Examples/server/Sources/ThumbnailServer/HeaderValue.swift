// The value of a header field that has parameters: `form-data; name="photo"; filename="a \"b\".png"`.

/// A value and its parameters.
///
/// Source: RFC 9110 §5.6.6 "Parameters", §5.6.4 "Quoted Strings".
package struct HeaderValue: Sendable {
    /// What is before the first semicolon, in lower case.
    package let value: String
    /// By their names in lower case; the first of several with one name.
    package let parameters: [String: String]

    /// Reads any text. A quoted string that does not end goes to the end of the text.
    package init(_ text: String) {
        var elements: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\") where isQuoted && !isEscaped: isEscaped = true
            case UInt8(ascii: "\"") where !isEscaped: isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted: elements.append([])
            default:
                elements[elements.count - 1].append(byte)
                isEscaped = false
            }
        }
        let pairs = elements.dropFirst().map { element in
            let name = element.prefix { $0 != UInt8(ascii: "=") }
            return (Self.text(name).lowercased(), Self.text(element.dropFirst(name.count + 1)))
        }
        value = Self.text(elements[0][...]).lowercased()
        parameters = Dictionary(pairs) { first, _ in first }
    }

    /// The bytes as text, without blanks around them.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: bytes[...last].drop(while: isBlank), as: UTF8.self)
    }
}
