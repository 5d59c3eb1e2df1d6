// Text for an HTML page: whatever comes from a file is escaped, whatever it says.

import Foundation
import ImageCodecs

/// A piece of HTML. Only what is written in the source goes in as it is; everything else goes through ``text(_:)``.
struct HTML: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Escapes what is put into a literal, unless it is HTML itself.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ text: String) { source += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { source += String(number) }
        mutating func appendInterpolation(_ html: HTML) { source += html.source }
        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { source += part.source } }
    }

    private(set) var source: String

    init(stringLiteral: String) { source = stringLiteral }
    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    /// - Parameter trusted: written in this program.
    init(trusted: String) { source = trusted }

    /// Some text.
    static func text(_ text: String) -> HTML { HTML(trusted: escaped(text)) }

    static func += (left: inout HTML, right: HTML) { left.source += right.source }

    /// Text that is safe between tags and in quoted attributes; control characters and those that turn the direction of text around are
    /// shown as what they are.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A picture as an address that holds all of it.
    static func address(of png: [UInt8]) -> HTML {
        HTML(trusted: "data:image/png;base64," + Data(png).base64EncodedString())
    }
}

extension UInt32 {
    /// `#rrggbb`.
    var htmlColor: String { "#" + hexadecimal(digits: 6) }
}
