// The directives of the field Cache-Control.

/// What a response says about keeping it.
///
/// Source: RFC 9111, §5.2 "Cache-Control"; RFC 5861 (stale-while-revalidate, stale-if-error); RFC 8246 (immutable).
public struct CacheControl: Hashable, Sendable {
    /// Directives by name in lower case, with their argument if they have one. Of a directive that comes twice the one that
    /// allows less: the first without an argument, else the smallest number.
    public private(set) var directives: [String: String?] = [:]

    /// Reads the values of all lines of the field.
    public init(_ text: String?) {
        var rest = Array((text ?? "").utf8)[...]
        while !rest.isEmpty {
            while let first = rest.first, [0x20, 0x09, 0x2C].contains(first) { rest.removeFirst() }
            let name = rest.prefix { $0.isTokenCharacter }
            rest = rest.dropFirst(name.count)
            // What is no directive ends at the next comma.
            guard !name.isEmpty else {
                rest = rest.drop { $0 != 0x2C }
                continue
            }
            while let first = rest.first, [0x20, 0x09].contains(first) { rest.removeFirst() }
            var argument: String?
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                argument = Self.takeArgument(&rest)
            }
            add(String(decoding: name, as: UTF8.self).lowercased(), argument)
            rest = rest.drop { $0 != 0x2C }
        }
    }

    /// Whether a directive is there.
    public func contains(_ name: String) -> Bool { directives[name] != nil }

    /// The number of seconds that a directive says. One without a number, or with another text, is 0: nothing is fresh that was not
    /// understood.
    ///
    /// Source: RFC 9111, §1.2.2 "Delta Seconds", §4.2.1 "Calculating Freshness Lifetime".
    public func seconds(_ name: String) -> Duration? {
        directives[name].map { argument in argument.flatMap(deltaSeconds) ?? .zero }
    }

    private mutating func add(_ name: String, _ argument: String?) {
        guard let old = directives[name] else { return directives[name] = .some(argument) }
        guard let old, let argument else { return directives[name] = .some(nil) }
        let isSmaller = (deltaSeconds(argument) ?? .zero) < (deltaSeconds(old) ?? .zero)
        if isSmaller { directives[name] = argument }
    }

    private static func takeArgument(_ rest: inout ArraySlice<UInt8>) -> String {
        while let first = rest.first, [0x20, 0x09].contains(first) { rest.removeFirst() }
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0 != 0x2C }
            rest = rest.dropFirst(token.count)
            return String(decoding: token, as: UTF8.self).trimmed
        }
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.popFirst() { text.append(next) } else { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A number of seconds; more than 2^31 of them are 2^31.
///
/// Source: RFC 9111, §1.2.2 "Delta Seconds".
func deltaSeconds(_ text: String) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .seconds(Int(text).map { min($0, 1 << 31) } ?? 1 << 31)
}
