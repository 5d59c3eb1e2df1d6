// Header fields of a message: names without case, values in order.

/// The header fields of a request or a response, in order.
///
/// Source: RFC 9110, §5.1 "Field Names", §5.2 "Field Lines and Combined Field Value".
public struct HeaderFields: Hashable, Sendable {
    /// One field line.
    public struct Line: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value, without white space around it.
        public let value: String
    }

    /// All lines, in the order in which they came.
    public private(set) var lines: [Line] = []

    /// Creates no fields.
    public init() {}

    /// Creates fields of names and values.
    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { add(name, value) }
    }

    /// The value of a field, lines of one name joined by commas; `nil` if there is none. Setting it replaces all lines of the name.
    public subscript(name: String) -> String? {
        get {
            let values = values(name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            let name = name.lowercased()
            lines.removeAll { $0.name == name }
            if let newValue { add(name, newValue) }
        }
    }

    /// The values of a field, one for each line.
    public func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return lines.filter { $0.name == name }.map(\.value)
    }

    /// Adds a line. One whose name is no token or whose value has control characters, which could end the line, is left out.
    public mutating func add(_ name: String, _ value: String) {
        let isName = !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
        guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return }
        lines.append(Line(name: name.lowercased(), value: value.trimmed))
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates fields of names and values.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }
}

extension UInt8 {
    /// Whether it may stand in a token (RFC 9110, §5.6.2 "Tokens").
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmed: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = Array(utf8)[...]
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
