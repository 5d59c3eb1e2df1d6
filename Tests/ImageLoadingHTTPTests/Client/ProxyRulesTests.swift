import ImageLoadingHTTP
import Testing

@Suite struct ProxyRulesTests {
    private func proxy(_ url: String, _ variables: [String: String]) throws -> String? {
        ProxyRules { variables[$0] }.proxy(for: try WebAddress(url))?.text
    }

    @Test func theVariableOfTheSchemeCounts() throws {
        let variables = ["http_proxy": "proxy:3128", "HTTPS_PROXY": "http://secure:8080"]
        #expect(try proxy("http://a/", variables) == "http://proxy:3128/")
        #expect(try proxy("https://a/", variables) == "http://secure:8080/")
        #expect(try proxy("https://a/", ["http_proxy": "proxy:3128"]) == nil)
        #expect(try proxy("http://a/", ["HTTP_PROXY": "proxy:3128"]) == nil)
    }

    @Test(arguments: [
        ("http://example.com/", true), ("http://www.example.com/", true), ("http://notexample.com/", false),
        ("http://a.internal/", true), ("http://10.1.2.3/", true), ("http://11.1.2.3/", false), ("http://b.c/", true),
    ])
    func exceptionsAreAskedDirectly(_ url: String, _ isDirect: Bool) throws {
        let variables = ["http_proxy": "proxy:1", "no_proxy": "example.com, .internal,10.0.0.0/8,*.c"]
        #expect(try (proxy(url, variables) == nil) == isDirect)
    }

    @Test func aStarMeansAll() throws {
        #expect(try proxy("http://a/", ["http_proxy": "proxy:1", "NO_PROXY": "*"]) == nil)
    }
}
