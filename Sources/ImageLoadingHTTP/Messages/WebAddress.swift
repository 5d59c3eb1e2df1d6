// Addresses of the web: split, made canonical, resolved against each other.

/// An address with scheme, host, port, path and query, each in the one form that is compared and sent.
///
/// Scheme and host are in lower case, a host of numbers is written as an address, dots in paths are resolved, other than ASCII letters in
/// path and query are encoded, the fragment is gone. Names in other letters than ASCII have to come as `xn--`.
///
/// Source: RFC 3986; URL Living Standard for hosts of numbers.
public struct WebAddress: Hashable, Sendable {
    /// `http` or `https`, or another scheme that has hosts.
    public let scheme: String
    /// A name, or an address; of version 6 without brackets.
    public let host: String
    /// The host as an address, if it is one.
    public let literalAddress: IPAddress?
    /// The port, of the scheme if none was said.
    public let port: Int
    /// Path and query as they are sent; begins with a slash.
    public let pathAndQuery: String
    /// User and password, still encoded; not part of ``text``.
    public let userInfo: String?

    /// The most bytes of an address.
    public static let maxByteCount = 8192

    /// Reads an address.
    public init(_ text: String) throws(WebAddressError) {
        let bytes = text.utf8
        guard bytes.count <= Self.maxByteCount else { throw .tooLong }
        // Spaces, control characters and backslashes are read differently by different libraries.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { throw .badCharacter }
        guard let colon = text.firstIndex(of: ":") else { throw .noScheme }
        scheme = try Self.scheme(text[..<colon])
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw .noHost }
        let end = rest.dropFirst(2).firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
        if let at = authority.lastIndex(of: "@") {
            userInfo = String(authority[..<at])
            authority = authority[authority.index(after: at)...]
        } else {
            userInfo = nil
        }
        let (host, port) = try Self.split(authority)
        (self.host, literalAddress) = try Self.host(host)
        guard let number = port ?? Self.defaultPort(scheme) else { throw .badPort }
        self.port = number
        pathAndQuery = Self.canonical(rest[end...])
    }

    private init(_ other: WebAddress, pathAndQuery: String) {
        (scheme, host, literalAddress, port) = (other.scheme, other.host, other.literalAddress, other.port)
        (self.pathAndQuery, userInfo) = (pathAndQuery, nil)
    }

    /// The address without user and password.
    public var text: String { origin + pathAndQuery }

    /// Scheme, host and port: what credentials are for.
    public var origin: String {
        scheme + "://" + hostInBrackets + (port == Self.defaultPort(scheme) ? "" : ":\(port)")
    }

    /// The host as it stands in addresses.
    var hostInBrackets: String { literalAddress?.isVersion6 == true ? "[\(host)]" : host }

    /// What a reference in a message from this address means, without user and password.
    ///
    /// Source: RFC 3986, §5.2 "Relative Resolution".
    public func resolving(_ reference: String) throws(WebAddressError) -> WebAddress {
        let reference = reference.trimmed
        if let colon = reference.firstIndex(of: ":"),
            reference[..<colon].utf8.allSatisfy({ $0.isTokenCharacter && $0 != UInt8(ascii: "%") })
        {
            return try WebAddress(reference).withoutCredentials
        }
        if reference.hasPrefix("//") { return try WebAddress(scheme + ":" + reference).withoutCredentials }
        let path = pathAndQuery.prefix { $0 != "?" }
        var target: String
        switch reference.first {
        case "/": target = reference
        case "?": target = path + reference
        case "#", nil: target = pathAndQuery
        default: target = path[...(path.lastIndex(of: "/") ?? path.startIndex)] + reference
        }
        target = origin + target
        return try WebAddress(target)
    }

    private var withoutCredentials: WebAddress {
        userInfo == nil ? self : WebAddress(self, pathAndQuery: pathAndQuery)
    }

    // MARK: - Parts

    private static func defaultPort(_ scheme: String) -> Int? { ["http": 80, "https": 443][scheme] }

    private static func scheme(_ text: Substring) throws(WebAddressError) -> String {
        let isScheme = text.utf8.allSatisfy { $0.isTokenCharacter && !"!#$%&'*^_`|~".utf8.contains($0) }
        guard isScheme, let first = text.utf8.first, (0x61...0x7A).contains(first | 0x20) else { throw .noScheme }
        return text.lowercased()
    }

    private static func split(_ authority: Substring) throws(WebAddressError) -> (host: Substring, port: Int?) {
        var (host, port) = (authority, Substring())
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { throw .badHost }
            host = authority[...bracket]
            port = authority[authority.index(after: bracket)...]
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[colon...])
        }
        guard !port.isEmpty else { return (host, nil) }
        guard port.hasPrefix(":") else { throw .badHost }
        let digits = port.dropFirst()
        if digits.isEmpty { return (host, nil) }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits), (1...65_535).contains(number)
        else { throw .badPort }
        return (host, number)
    }

    private static func host(_ text: Substring) throws(WebAddressError) -> (String, IPAddress?) {
        if text.hasPrefix("[") {
            guard let address = IPAddress(String(text.dropFirst().dropLast())), address.isVersion6 else {
                throw .badHost
            }
            return (address.description, address)
        }
        let isNameCharacter = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        var name = text.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(isNameCharacter), !name.hasPrefix("."),
            !name.hasSuffix("."), !name.contains("..")
        else { throw .badHost }
        if let address = try IPAddress.host(name) { return (address.description, address) }
        return (name, nil)
    }

    /// Path and query without fragment, with dots resolved and everything encoded that must not be sent as it is.
    private static func canonical(_ text: Substring) -> String {
        let withoutFragment = text.prefix { $0 != "#" }
        let path = withoutFragment.prefix { $0 != "?" }
        return encoded("/" + withoutDots(path).joined(separator: "/")) + encoded(withoutFragment[path.endIndex...])
    }

    /// Source: RFC 3986, §5.2.4 "Remove Dot Segments".
    private static func withoutDots(_ path: Substring) -> [Substring] {
        var segments: [Substring] = []
        let all = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in zip(1..., all) {
            switch segment.lowercased().replacingEncodedDots {
            case ".": if index == all.count { segments.append("") }
            case "..":
                _ = segments.popLast()
                if index == all.count { segments.append("") }
            default: segments.append(segment)
            }
        }
        return segments
    }

    private static func encoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isKept = byte > 0x20 && byte < 0x7F && !"\"<>^`{|}".utf8.contains(byte)
            bytes += isKept ? [byte] : Array("%".utf8) + byte.hexadecimalDigits
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension WebAddress: CustomStringConvertible {
    /// The address without user and password.
    public var description: String { text }
}

/// Why a text is no address.
public enum WebAddressError: String, Error, Hashable, Sendable {
    /// It is longer than ``WebAddress/maxByteCount``.
    case tooLong
    /// A space, a control character or a backslash.
    case badCharacter
    /// No scheme, or one of other characters than letters, digits, `+`, `-` and `.`.
    case noScheme
    /// No `//` after the scheme.
    case noHost
    /// Neither a name nor an address.
    case badHost
    /// No number from 1 to 65535.
    case badPort
}

extension String {
    fileprivate var replacingEncodedDots: String {
        switch self {
        case "%2e": "."
        case "%2e%2e", ".%2e", "%2e.": ".."
        default: self
        }
    }
}

extension UInt8 {
    /// Two digits, capital letters.
    var hexadecimalDigits: [UInt8] {
        [self >> 4, self & 15].map { $0 < 10 ? 0x30 + $0 : 0x41 + $0 - 10 }
    }
}
