// What may be asked: so that nobody has this machine ask what only this machine reaches.

/// Rules for addresses: schemes, ports, hosts, networks.
///
/// ```swift
/// var addresses = AddressPolicy.publicOnly
/// addresses.allowedHosts = ["images.example.com", "*.cdn.example.com"]
/// ```
///
/// Names are resolved and all their addresses checked before a request is sent; each connection is checked again, as a name may
/// resolve to another address then. What that does not keep out is listed in <doc:AddressCheck>.
public struct AddressPolicy: Hashable, Sendable {
    /// Schemes, in lower case.
    public var schemes: Set<String> = ["http", "https"]
    /// Ports; `nil` for all.
    public var ports: Set<Int>?
    /// Hosts that may be asked: `example.com` for itself, `*.example.com` for all below it; `nil` for all.
    public var allowedHosts: [String]?
    /// Hosts that may not be asked, in the same forms.
    public var deniedHosts: [String] = []
    /// Networks that may be asked although they are not public.
    public var allowedNetworks: [IPNetwork] = []
    /// Networks that may not be asked.
    public var deniedNetworks: [IPNetwork] = []
    /// Whether private networks, this machine itself and all others that are not public may be asked.
    public var allowsSpecialAddresses = false

    /// Creates rules that let through what is public.
    public init() {}

    /// What everybody can reach.
    public static let publicOnly = AddressPolicy()

    /// Everything, for programs whose addresses come from whoever runs them.
    public static let any: AddressPolicy = {
        var policy = AddressPolicy()
        policy.allowsSpecialAddresses = true
        return policy
    }()

    /// Whether there is anything to check of the addresses of names.
    var checksAddresses: Bool { !allowsSpecialAddresses || !deniedNetworks.isEmpty }

    /// Why an address of the web may not be asked, as far as its text says: `nil` if it may.
    public func refusal(of url: WebAddress) -> String? {
        guard schemes.contains(url.scheme) else { return "scheme \(url.scheme) is not allowed" }
        if let ports, !ports.contains(url.port) { return "port \(url.port) is not allowed" }
        let host = url.host
        if let allowedHosts, !allowedHosts.contains(where: { Self.matches(host, $0) }) {
            return "host \(host) is not among those allowed"
        }
        if deniedHosts.contains(where: { Self.matches(host, $0) }) { return "host \(host) is not allowed" }
        if let address = url.literalAddress {
            return allows(address) ? nil : "address \(address) is not allowed"
        }
        let isLocalName = host == "localhost" || host.hasSuffix(".localhost")
        return isLocalName && !allowsSpecialAddresses && !allowedNetworks.contains { $0.isLoopback }
            ? "host \(host) is not allowed" : nil
    }

    /// Whether a connection may lead to an address. An address of version 6 that carries one of version 4 has to be allowed by both.
    public func allows(_ address: IPAddress) -> Bool {
        let embedded = address.embedded
        if deniedNetworks.contains(where: { $0.contains(address) || embedded.map($0.contains) == true }) {
            return false
        }
        if allowsSpecialAddresses || allowedNetworks.contains(where: { $0.contains(address) }) { return true }
        if let embedded {
            let isCarried = Self.carriers.contains { $0.contains(address) }
            return isCarried && (allowedNetworks.contains { $0.contains(embedded) } || embedded.isPublic)
        }
        return address.isPublic
    }

    /// Forms that carry an address of version 4 and lead where that one leads.
    private static let carriers = ["::ffff:0:0/96", "64:ff9b::/96"].compactMap { IPNetwork($0) }

    private static func matches(_ host: String, _ pattern: String) -> Bool {
        var pattern = pattern.lowercased()
        if pattern.hasSuffix(".") { pattern.removeLast() }
        guard pattern.hasPrefix("*.") else { return host == pattern }
        return host.hasSuffix(pattern.dropFirst())
    }
}

extension IPNetwork {
    fileprivate var isLoopback: Bool {
        contains(IPAddress(version4: 0x7F00_0001)) || contains(IPAddress(version6: 1))
    }
}

extension IPAddress {
    /// Whether everybody can reach it: none of the networks with a purpose of their own. Of version 6 only those handed out to
    /// somebody, 2000::/3, count.
    public var isPublic: Bool {
        if isVersion6 {
            return Self.globalUnicast.contains(self) && !Self.special6.contains { $0.contains(self) }
        }
        return !Self.special4.contains { $0.contains(self) }
    }

    private static let globalUnicast = networks("2000::/3")[0]

    /// Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890), IPv4 Multicast Address Space Registry.
    private static let special4 = networks(
        "0.0.0.0/8",  // this network
        "10.0.0.0/8",  // private
        "100.64.0.0/10",  // shared by the customers of a provider (CGNAT)
        "127.0.0.0/8",  // this machine
        "169.254.0.0/16",  // link-local; metadata of clouds
        "172.16.0.0/12",  // private
        "192.0.0.0/24",  // protocol assignments
        "192.0.2.0/24",  // documentation
        "192.31.196.0/24",  // AS112
        "192.52.193.0/24",  // AMT
        "192.88.99.0/24",  // 6to4 relays, given up
        "192.168.0.0/16",  // private
        "192.175.48.0/24",  // AS112
        "198.18.0.0/15",  // benchmarks
        "198.51.100.0/24",  // documentation
        "203.0.113.0/24",  // documentation
        "224.0.0.0/4",  // multicast
        "240.0.0.0/4")  // reserved, broadcast

    /// Source: IANA IPv6 Special-Purpose Address Registry (RFC 6890), as far as 2000::/3 goes.
    private static let special6 = networks(
        "2001::/23",  // protocol assignments, Teredo, ORCHID
        "2001:db8::/32",  // documentation
        "2002::/16",  // 6to4
        "2620:4f:8000::/48",  // AS112
        "3fff::/20")  // documentation

    private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }
}
