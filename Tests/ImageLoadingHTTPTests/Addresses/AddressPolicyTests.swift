import ImageLoadingHTTP
import Testing

@Suite struct AddressPolicyTests {
    @Test(arguments: [
        // Version 4.
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.1.2.3",
        "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // Version 6.
        "::", "::1", "fe80::1", "febf::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "ff0e::1", "100::1",
        "2001:db8::1", "3fff::1", "2001:10::1", "2001:20::1", "5f00::1", "64:ff9b:1::1",
        // Version 4 within version 6: mapped, compatible, translated, 6to4, NAT64, Teredo, ISATAP.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "::ffff:0:127.0.0.1",
        "2002:7f00:1::", "2002:a00:1::1", "2002:5db8:d822::1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:0:0:0:0:80ff:fffe", "2600::5efe:10.0.0.1",
        "2600::200:5efe:7f00:1",
    ])
    func whatIsNotPublicIsRefused(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressPolicy.publicOnly.allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.1", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:2800:220:1:248:1893:25c8:1946",
        "2001:4860:4860::8888", "2600::1", "::ffff:93.184.216.34", "64:ff9b::8.8.8.8",
    ])
    func whatIsPublicIsAllowed(_ text: String) throws {
        #expect(AddressPolicy.publicOnly.allows(try #require(IPAddress(text))))
    }

    /// The addresses with which imgproxy's tests ask for private, loopback and link-local ones, wrapped and bare. The last four lead to
    /// public ones there and are refused here, as their forms were given up or reach whoever runs a relay.
    @Test(arguments: [
        "10.0.0.1", "172.16.0.1", "192.168.0.1", "192.168.1.1", "100.64.0.0", "100.64.0.1", "100.127.255.255",
        "127.0.0.1", "127.0.0.254", "0.0.0.0", "169.254.0.1", "169.254.169.254", "fc00::1", "fd00::1", "::1", "::",
        "fe80::1",
        "::10.0.0.1", "::100.64.0.1", "::127.0.0.1", "::169.254.0.1", "2002:0a00:0001::", "2002:6440:0001::",
        "2002:c0a8:0001::", "2002:c0a8:0101::", "64:ff9b::10.0.0.1", "64:ff9b::172.16.0.1", "64:ff9b::100.64.0.1",
        "64:ff9b:1:a00:0:100::", "64ff:9b01:0:a00:0:100::", "64ff:9b01:0:c0a8:1:100::", "2001::f5ff:fffe",
        "2001:db8::5efe:10.0.0.1", "2001:db8::200:5efe:192.168.1.1", "::8.8.8.8", "2002:808:808::", "2002:101:101::",
        "2001::f7f7:f7f7",
    ])
    func whatAProxyOfPicturesHasToRefuseIsRefused(_ text: String) throws {
        #expect(!AddressPolicy.publicOnly.allows(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "2001:4860::1", "2001:4860::8888", "64:ff9b::8.8.8.8",
    ])
    func whatAProxyOfPicturesMayAskIsAllowed(_ text: String) throws {
        #expect(AddressPolicy.publicOnly.allows(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://0/", "http://0x7f000001/", "http://0177.1/", "http://2130706433/", "http://127.1/",
        "http://[::1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:127.0.0.1]/", "http://localhost/",
        "http://a.localhost/", "http://LOCALHOST./", "http://169.254.169.254/latest/meta-data", "http://0xA9FEA9FE/",
        "http://3232235521/", "http://012.0.0.1/", "ws://example.com:80/",
    ])
    func addressesThatLeadInsideAreRefusedByTheirText(_ text: String) throws {
        #expect(AddressPolicy.publicOnly.refusal(of: try WebAddress(text)) != nil)
    }

    @Test func listsOfHostsMatchWholeNamesAndWhatIsBelow() throws {
        var policy = AddressPolicy.publicOnly
        policy.allowedHosts = ["example.com", "*.cdn.example.com"]
        policy.deniedHosts = ["bad.cdn.example.com"]
        let isAllowed = { (host: String) in policy.refusal(of: try WebAddress("http://\(host)/")) == nil }
        #expect(try isAllowed("example.com"))
        #expect(try isAllowed("a.cdn.example.com"))
        #expect(try isAllowed("a.b.CDN.example.com"))
        #expect(try !isAllowed("www.example.com"))
        #expect(try !isAllowed("cdn.example.com"))
        #expect(try !isAllowed("evilcdn.example.com"))
        #expect(try !isAllowed("bad.cdn.example.com"))
        #expect(try !isAllowed("example.com.evil.org"))
    }

    @Test func portsAndSchemesAreThoseAllowed() throws {
        var policy = AddressPolicy.publicOnly
        policy.ports = [80, 443]
        policy.schemes = ["https"]
        #expect(policy.refusal(of: try WebAddress("https://example.com/")) == nil)
        #expect(policy.refusal(of: try WebAddress("https://example.com:22/")) != nil)
        #expect(policy.refusal(of: try WebAddress("http://example.com/")) != nil)
    }

    @Test func networksOfTheOwnerAreAllowedOrRefused() throws {
        var policy = AddressPolicy.publicOnly
        policy.allowedNetworks = [try #require(IPNetwork("10.1.0.0/16"))]
        policy.deniedNetworks = [try #require(IPNetwork("10.1.2.0/24")), try #require(IPNetwork("8.8.8.8"))]
        let allows = { (text: String) in policy.allows(try #require(IPAddress(text))) }
        #expect(try allows("10.1.0.1"))
        #expect(try allows("::ffff:10.1.0.1"))
        #expect(try !allows("10.2.0.1"))
        #expect(try !allows("10.1.2.3"))
        #expect(try !allows("::ffff:10.1.2.3"))
        #expect(try !allows("8.8.8.8"))
        #expect(try allows("8.8.4.4"))
        #expect(try !allows("2002:a01:1::"))
    }

    @Test(arguments: ["10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "/8", "a/8", "10.0.0.0/8/8", "10.0.0.0/-1"])
    func otherTextsAreNoNetworks(_ text: String) { #expect(IPNetwork(text) == nil) }

    @Test func networksOfAllLengthsContainTheirAddresses() throws {
        let address = try #require(IPAddress("2001:db8::1"))
        #expect(IPNetwork("::/0")?.contains(address) == true)
        #expect(IPNetwork("2001:db8::1/128")?.contains(address) == true)
        #expect(IPNetwork("2001:db8::/127")?.contains(address) == true)
        #expect(IPNetwork("2001:db8::2/127")?.contains(address) == false)
        #expect(IPNetwork("0.0.0.0/0")?.contains(address) == false)
    }
}

@Suite struct IPAddressTests {
    /// Forms of RFC 4291, §2.2, and their canonical ones of RFC 5952, §4.
    @Test(arguments: [
        ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("FF01:0:0:0:0:0:0:101", "ff01::101"),
        ("0:0:0:0:0:0:0:1", "::1"), ("::", "::"), ("::13.1.68.3", "::d01:4403"),
        ("0:0:0:0:0:FFFF:129.144.52.38", "::ffff:8190:3426"), ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1::", "1::"),
        ("192.0.2.235", "192.0.2.235"),
    ])
    func addressesHaveOneText(_ text: String, _ canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", "1.2.3.", "0x1.2.3.4", ":", ":::",
        "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "::1.2.3", "::1%eth0", "1:", ":1",
        "[::1]",
    ])
    func otherTextsAreNone(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test func addressesOfANameAreThoseOfTheSystem() async throws {
        let addresses = try await systemAddresses("localhost")
        #expect(addresses.contains(IPAddress(version4: 0x7F00_0001)) || addresses.contains(IPAddress(version6: 1)))
        await #expect(throws: TransportError.self) { try await systemAddresses("no-such-name.invalid") }
    }
}
