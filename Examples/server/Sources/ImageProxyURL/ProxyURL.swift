// An address of the proxy: signature, options, source.
//
//   /signature/resize:fill:300:200/gravity:sm/plain/https://example.com/cat.jpg@webp
//   /signature/resize:fill:300:200/gravity:sm/aHR0cHM6Ly9leGFtcGxlLmNvbS9jYXQuanBn.webp
//   /signature/avatar:sharp/plain/...                                     if only presets are allowed

/// What an address asks for.
package struct ProxyURL: Hashable, Sendable {
    /// Where the picture is.
    package var source: String
    /// What is made of it.
    package var options: ProcessingOptions
    /// That as text: ``ProcessingOptions/key``.
    package let optionsKey: String

    /// Addresses are at most this long, and have at most this many options.
    package static let maxByteCount = 8_192
    package static let maxOptionCount = 64

    /// Reads the path of a request as it came.
    ///
    /// - Parameters:
    ///   - path: begins with a slash; a question mark and what is after it are left out.
    ///   - signatures: the keys.
    ///   - sources: those that are allowed.
    ///   - rules: the presets.
    ///   - now: seconds since 1970.
    package init(
        path: String, signatures: URLSignatures, sources: AllowedSources = AllowedSources([]),
        rules: OptionRules = OptionRules(), now: Int
    ) throws(ProxyURLError) {
        guard path.utf8.count <= Self.maxByteCount else { throw .tooLong }
        let path = path.prefix { $0 != "?" }.drop { $0 == "/" }
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { throw .incomplete }
        guard signatures.isValid(path[..<slash].utf8, of: path[slash...].utf8) else { throw .badSignature }
        let parts = path[slash...].dropFirst().split(separator: "/", omittingEmptySubsequences: false)

        options = ProcessingOptions()
        if rules.presets["default"] != nil { try options.apply(preset: "default", rules) }
        let optionCount = try options.apply(parts, rules)
        let address = parts[optionCount...]
        guard address.contains(where: { !$0.isEmpty }) else { throw .incomplete }
        let (source, format) = try Self.source(address)
        if let format { options.format = format }
        guard sources.allows(source) else { throw .sourceNotAllowed }
        self.source = source
        optionsKey = options.key
        if hasExpired(at: now) { throw .expired }
    }

    /// Whether the address is no longer answered: time in seconds since 1970.
    package func hasExpired(at now: Int) -> Bool { options.expires > 0 && options.expires < now }

    /// The source and the format that its extension says.
    private static func source(_ parts: ArraySlice<Substring>) throws(ProxyURLError) -> (String, OutputFormat?) {
        switch parts.first {
        case "plain": try plainSource(parts.dropFirst().joined(separator: "/"))
        case "enc": throw .unsupportedOption("enc")
        default: try base64Source(parts)
        }
    }

    /// `https://example.com/cat.jpg@webp`, percent-encoded but for slashes and colons.
    private static func plainSource(_ text: String) throws(ProxyURLError) -> (String, OutputFormat?) {
        let parts = text.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count <= 2, let encoded = parts.first, !encoded.isEmpty,
            let source = TextDecoding.percentDecoded(encoded.utf8)
        else { throw .badSource }
        let format = parts.count == 2 ? try ProcessingOptions.format(String(parts[1])) : nil
        return (try checked(source), format)
    }

    /// Base64, which slashes may cut anywhere.
    private static func base64Source(_ parts: ArraySlice<Substring>) throws(ProxyURLError) -> (String, OutputFormat?) {
        let parts = parts.joined(separator: "").split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count <= 2, let encoded = parts.first, let bytes = TextDecoding.base64Decoded(encoded.utf8),
            let source = String(validating: bytes, as: UTF8.self)
        else { throw .badSource }
        let format = parts.count == 2 ? try ProcessingOptions.format(String(parts[1])) : nil
        return (try checked(source), format)
    }

    /// Some servers before this one make one slash of two: `https:/example.com` is taken for what it was.
    private static func checked(_ source: String) throws(ProxyURLError) -> String {
        guard !source.isEmpty, !source.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .badSource }
        for scheme in ["http:/", "https:/", "local:/"] where source.hasPrefix(scheme) && !source.hasPrefix(scheme + "/")
        {
            return scheme + "/" + source.dropFirst(scheme.count)
        }
        return source
    }
}

extension ProcessingOptions {
    /// Applies the options at the front of an address.
    ///
    /// - Returns: how many parts they are.
    fileprivate mutating func apply(_ parts: [Substring], _ rules: OptionRules) throws(ProxyURLError) -> Int {
        if rules.allowsOnlyPresets {
            guard let names = parts.first?.split(separator: ":"), (1...OptionValues.maxCount).contains(names.count)
            else {
                throw .presetsOnly
            }
            for name in names { try apply(preset: String(name), rules) }
            return 1
        }
        // The first part without a colon begins the source.
        let count = parts.firstIndex { !$0.utf8.contains(UInt8(ascii: ":")) } ?? parts.count
        guard count <= ProxyURL.maxOptionCount else { throw .tooLong }
        for part in parts[..<count] { try apply(part, rules) }
        return count
    }
}
