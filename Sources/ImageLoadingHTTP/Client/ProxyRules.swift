// Which proxy a request goes through, by the variables of the environment that other programs know too.

/// Proxies of the environment: `http_proxy`, `https_proxy` and `no_proxy`, in lower case or, but for the first, in capital letters.
///
/// `HTTP_PROXY` is not read: a server that runs programs per request sets it from a field of the request.
package struct ProxyRules: Sendable {
    /// The proxy for addresses of a scheme.
    private let proxies: [String: WebAddress]
    /// Hosts that are asked directly: names with all below them, addresses, networks; `*` for all.
    private let exceptions: [String]

    /// - Parameter value: the value of a variable.
    package init(_ value: (String) -> String?) {
        let texts = ["http": value("http_proxy"), "https": value("https_proxy") ?? value("HTTPS_PROXY")]
        proxies = texts.compactMapValues { text in
            text.flatMap { try? WebAddress($0.contains("://") ? $0 : "http://" + $0) }
        }
        let list = value("no_proxy") ?? value("NO_PROXY") ?? ""
        exceptions = list.split { $0 == "," || $0 == " " }.map { entry in
            let name = entry.lowercased()
            return name.hasPrefix("*.")
                ? String(name.dropFirst(2)) : name.hasPrefix(".") ? String(name.dropFirst()) : name
        }
    }

    /// No proxy.
    static let none = ProxyRules { _ in nil }

    /// The proxy for a request; `nil` if it goes to its server.
    package func proxy(for url: WebAddress) -> WebAddress? {
        guard let proxy = proxies[url.scheme] else { return nil }
        let isExcepted = exceptions.contains { entry in
            if entry == "*" || entry == url.host || url.host.hasSuffix("." + entry) { return true }
            return url.literalAddress.map { IPNetwork(entry)?.contains($0) == true } == true
        }
        return isExcepted ? nil : proxy
    }
}
