// Which sources may be asked for.

/// Prefixes of the addresses that are allowed; an asterisk stands for anything but a slash.
///
/// `https://*.example.com/` allows `https://pictures.example.com/cat.jpg`, and `https://example.com` allows
/// `https://example.community/` too: end a prefix with a slash.
package struct AllowedSources: Sendable {
    private let patterns: [[UInt8]]

    /// - Parameter patterns: if there are none, all sources are allowed.
    package init(_ patterns: [String]) { self.patterns = patterns.map { Array($0.utf8) } }

    /// Whether an address begins with one of the patterns. Addresses with a user or a path upwards match none.
    package func allows(_ address: String) -> Bool {
        if patterns.isEmpty { return true }
        let bytes = Array(address.utf8)
        guard !Self.hasUser(bytes), !Self.goesUp(address) else { return false }
        return patterns.contains { Self.matches(bytes, $0) }
    }

    /// `https://allowed.example@other.example/` would look like an allowed one.
    private static func hasUser(_ address: [UInt8]) -> Bool {
        guard let colon = address.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let authority = address[(colon + 1)...].drop { $0 == UInt8(ascii: "/") }
            .prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return authority.contains(UInt8(ascii: "@")) || authority.contains(UInt8(ascii: "\\"))
    }

    private static func goesUp(_ address: String) -> Bool {
        address.split(separator: "/").contains { part in
            let plain = TextDecoding.percentDecoded(part.utf8) ?? ".."
            return plain == ".." || plain.contains("\\") || plain.contains("/..") || plain.hasPrefix("../")
        }
    }

    /// Whether the address begins with the pattern. Takes the product of both lengths at most.
    private static func matches(_ address: [UInt8], _ pattern: [UInt8]) -> Bool {
        // Places of the address that the part of the pattern so far can end at.
        var places = [true] + [Bool](repeating: false, count: address.count)
        for sign in pattern {
            if sign == UInt8(ascii: "*") {
                for index in address.indices where places[index] && address[index] != UInt8(ascii: "/") {
                    places[index + 1] = true
                }
            } else {
                for index in address.indices.reversed() { places[index + 1] = places[index] && address[index] == sign }
                places[0] = false
            }
        }
        return places.contains(true)
    }
}
