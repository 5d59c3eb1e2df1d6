// Text with places to be filled in: `{stem}-{width}.png`.

import ArgumentParser
import ImageCodecs

/// The name of a place in a template.
protocol TemplateField: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {}

/// Text with places that are filled in for each file; `{{` and `}}` are braces.
struct Template<Field: TemplateField>: Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    /// No two texts after one another, none empty.
    private(set) var pieces: [Piece] = []

    /// - Parameter unescapes: whether `\n`, `\t` and `\\` stand for a line break, a tab and a backslash.
    /// - Throws: `ValidationError` for a field that is not known, or a brace without its partner.
    init(_ text: String, unescapes: Bool = false) throws {
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(rest.removeFirst())
            case "{":
                guard let end = rest.firstIndex(of: "}") else { throw Self.loneBrace("{") }
                let name = String(rest[..<end])
                guard let field = Field(rawValue: name) else { throw Self.unknown(name) }
                append(&literal)
                pieces.append(.field(field))
                rest = rest[rest.index(after: end)...]
            case "}": throw Self.loneBrace("}")
            case "\\" where unescapes:
                literal.append(Self.escaped(&rest))
            default: literal.append(character)
            }
        }
        append(&literal)
    }

    private mutating func append(_ literal: inout String) {
        if !literal.isEmpty { pieces.append(.text(literal)) }
        literal = ""
    }

    private static func escaped(_ rest: inout Substring) -> String {
        switch rest.first {
        case "n": rest.removeFirst(); return "\n"
        case "t": rest.removeFirst(); return "\t"
        case "\\": rest.removeFirst(); return "\\"
        default: return "\\"
        }
    }

    private static func unknown(_ name: String) -> ValidationError {
        let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        return ValidationError(
            "unknown placeholder {\(name.prefix(40).description.replacingControlCharacters)}; known are \(known)")
    }

    private static func loneBrace(_ brace: String) -> ValidationError {
        ValidationError("a single \(brace) in a pattern; \(brace)\(brace) stands for itself")
    }

    /// Whether a field is in it.
    func contains(_ field: Field) -> Bool { pieces.contains(.field(field)) }

    /// The text if there are no fields.
    var literal: String? {
        if pieces.isEmpty { return "" }
        guard pieces.count == 1, case .text(let text) = pieces[0] else { return nil }
        return text
    }

    /// The text with every field replaced.
    func filled(_ value: (Field) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }

    /// The same for a path: no value leads out of the folder it stands in.
    ///
    /// - Parameter value: without slashes. A part of the path that values make `.` or `..` becomes `_`.
    func filledPath(_ value: (Field) -> String) -> String {
        var parts: [(text: String, isFixed: Bool)] = [("", true)]
        for piece in pieces {
            switch piece {
            case .text(let text):
                let texts = text.split(separator: "/", omittingEmptySubsequences: false)
                parts[parts.count - 1].text += texts[0]
                parts += texts.dropFirst().map { (String($0), true) }
            case .field(let field):
                parts[parts.count - 1] = (parts[parts.count - 1].text + value(field), false)
            }
        }
        return parts.map { !$0.isFixed && ($0.text == "." || $0.text == "..") ? "_" : $0.text }
            .joined(separator: "/")
    }
}
