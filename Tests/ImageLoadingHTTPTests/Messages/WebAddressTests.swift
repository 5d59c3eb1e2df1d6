import ImageLoadingHTTP
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a?b#c", "http://example.com/a?b"),
        ("https://example.com:8443/a/../b/./c", "https://example.com:8443/b/c"),
        ("http://example.com/%2e%2e/a/%2E/", "http://example.com/a/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com?x=1", "http://example.com/?x=1"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://a@b@example.com/", "http://example.com/"),
        ("http://[2001:DB8:0:0:0:0:0:1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://example.com/ä|", "http://example.com/%C3%A4%7C"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://1.2/", "http://1.0.0.2/"),
    ])
    func addressesHaveOneForm(_ text: String, _ canonical: String) throws {
        #expect(try WebAddress(text).text == canonical)
    }

    @Test(arguments: [
        ("example.com/a", WebAddressError.noScheme), ("/a", .noScheme), ("1http://example.com", .noScheme),
        ("http:example.com", .noHost), ("http://", .badHost), ("http://exa mple.com", .badCharacter),
        ("http://example.com\\@evil.com/", .badCharacter), ("http://example.com/\r\nHost: x", .badCharacter),
        ("http://example.com:0/", .badPort), ("http://example.com:65536/", .badPort),
        ("http://example.com:x/", .badPort),
        ("http://a..b/", .badHost), ("http://exämple.com/", .badHost), ("http://ex%61mple.com/", .badHost),
        ("http://[::1/", .badHost), ("http://[fe80::1%eth0]/", .badHost), ("http://[127.0.0.1]/", .badHost),
        ("http://1.2.3.4.5/", .badHost), ("http://256.1.1.1/", .badHost), ("http://0x100000000/", .badHost),
        ("http://1.2.3.09/", .badHost), ("ftp://example.com/", .badPort),
        ("http://e.com/" + String(repeating: "a", count: 9000), .tooLong),
    ])
    func whatIsReadInTwoWaysIsRefused(_ text: String, _ error: WebAddressError) {
        #expect(throws: error) { try WebAddress(text) }
    }

    /// The normal and abnormal examples of RFC 3986, §5.4, as far as they are addresses of the web.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://g/x", "https://g/x"),
    ])
    func referencesAreResolved(_ reference: String, _ expected: String) throws {
        #expect(try WebAddress("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test func credentialsOfRedirectsAreDropped() throws {
        let first = try WebAddress("http://user:secret@a/")
        #expect(first.userInfo == "user:secret")
        #expect(try first.resolving("http://x:y@a/b").userInfo == nil)
        #expect(try first.resolving("/b").userInfo == nil)
    }
}

@Suite struct HeaderFieldsTests {
    @Test func namesHaveNoCaseAndLinesAreJoined() {
        let fields: HeaderFields = ["Vary": "accept", "VARY": " origin "]
        #expect(fields["vary"] == "accept, origin")
        #expect(fields.values("Vary") == ["accept", "origin"])
        #expect(fields["etag"] == nil)
    }

    @Test(arguments: ["a\r\nb: c", "a\nb", "a\u{0}b"]) func valuesThatEndTheLineAreLeftOut(_ value: String) {
        #expect(HeaderFields([("x", value)]).lines.isEmpty)
        #expect(HeaderFields([("x y", "z"), ("", "z"), ("x:", "z")]).lines.isEmpty)
    }
}
