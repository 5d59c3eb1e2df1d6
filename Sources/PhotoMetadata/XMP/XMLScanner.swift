// Tags and text of an XML document, one after the other: as much of XML as XMP packets have.
//
// In: UTF-8 bytes. Out: starts and ends of elements, and text, each once, in one pass. Definitions of entities and
// document types are not part of XMP; the scanner ends where there is one, and where tags are malformed.

import ImageCodecsCore

/// Goes over an XML document from one tag or text to the next.
///
/// Checks neither that names are well formed nor that tags match; that is the business of who asks for ``next()``.
///
/// - Source: Extensible Markup Language (XML) 1.0, fifth edition, §2 "Documents", §4.1 "Character and Entity References".
struct XMLScanner {
    struct Attribute {
        let name: String
        let value: String
        /// From the white space before the name to the quotation mark after the value.
        let range: Range<Int>
        /// What is between the quotation marks.
        let valueRange: Range<Int>
    }

    enum Token {
        /// A start tag; `isEmpty` if it is the end tag too.
        case start(name: String, attributes: [Attribute], isEmpty: Bool)
        case end(name: String)
        case text(String)
    }

    private let bytes: [UInt8]
    /// Where the next token begins.
    private(set) var position = 0
    /// Whether something was found that XMP does not have.
    private(set) var isMalformed = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token; `nil` at the end, and where the document is malformed.
    mutating func next() -> Token? {
        while position < bytes.count, !isMalformed {
            guard bytes[position] == UInt8(ascii: "<") else { return .text(text()) }
            if starts(with: "<!--") {
                skip(to: "-->")
            } else if starts(with: "<![CDATA[") {
                let start = position + 9
                skip(to: "]]>")
                if !isMalformed { return .text(String(decoding: bytes[start..<position - 3], as: UTF8.self)) }
            } else if starts(with: "<?") {
                skip(to: "?>")
            } else if starts(with: "</") {
                position += 2
                let name = name()
                skipSpace()
                guard !name.isEmpty, consume(">") else { break }
                return .end(name: name)
            } else if let token = startTag() {
                return token
            } else {
                break
            }
        }
        isMalformed = isMalformed || position < bytes.count
        return nil
    }

    /// Attributes of a tag: packets have some hundred.
    private static let largestAttributeCount = 16384

    /// A start tag: `<name attribute="value" ... >`.
    private mutating func startTag() -> Token? {
        position += 1
        let name = name()
        guard !name.isEmpty else { return nil }
        var attributes: [Attribute] = []
        while true {
            let start = position
            skipSpace()
            if consume(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
            if starts(with: "/>") {
                position += 2
                return .start(name: name, attributes: attributes, isEmpty: true)
            }
            guard position > start, attributes.count < Self.largestAttributeCount,
                let attribute = attribute(from: start)
            else { return nil }
            attributes.append(attribute)
        }
    }

    private mutating func attribute(from start: Int) -> Attribute? {
        let name = name()
        skipSpace()
        guard !name.isEmpty, consume("=") else { return nil }
        skipSpace()
        guard position < bytes.count, [0x22, 0x27].contains(bytes[position]),
            let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
        else { return nil }
        let valueRange = position + 1..<end
        let value = Self.decoded(bytes[valueRange])
        position = end + 1
        return Attribute(name: name, value: value, range: start..<position, valueRange: valueRange)
    }

    /// Text up to the next tag.
    private mutating func text() -> String {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        defer { position = end }
        return Self.decoded(bytes[position..<end])
    }

    /// A name; empty if there is none as XMP has them: of ASCII, and short. Others would take long to compare, since texts are equal
    /// in Swift whatever the order of their marks.
    private mutating func name() -> String {
        let start = position
        while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
        let name = bytes[start..<position]
        guard name.count <= Self.longestName, name.allSatisfy({ $0 < 0x80 }) else { return "" }
        return String(decoding: name, as: UTF8.self)
    }

    /// Bytes of a name: those of XMP have about twenty.
    private static let longestName = 255

    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func starts(with text: String) -> Bool { bytes.withSpan { $0.hasBytes(text, at: position) } }

    /// Passes over everything up to the end of `text`.
    private mutating func skip(to text: String) {
        let last = bytes.count - text.utf8.count
        while position <= last {
            if starts(with: text) {
                position += text.utf8.count
                return
            }
            position += 1
        }
        isMalformed = true
    }

    /// Text with its character references and predefined entities replaced; others stay as they are.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var position = bytes.startIndex
        while position < bytes.endIndex {
            if bytes[position] == UInt8(ascii: "&"),
                let end = bytes[position...].prefix(longestReference).firstIndex(of: UInt8(ascii: ";")),
                let scalar = character(String(decoding: bytes[(position + 1)..<end], as: UTF8.self))
            {
                result += Array(String(Character(scalar)).utf8)
                position = end + 1
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Bytes of `&#x0010FFFF;`.
    private static let longestReference = 12

    private static func character(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard reference.hasPrefix("#") else { return nil }
        let number =
            reference.hasPrefix("#x") ? UInt32(reference.dropFirst(2), radix: 16) : UInt32(reference.dropFirst())
        return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
}
