import Testing

import ImageProxyURL

/// Reads an address without keys.
private func read(
    _ path: String, presets: [String: String] = [:], onlyPresets: Bool = false, sources: [String] = [], now: Int = 0
) throws(ProxyURLError) -> ProxyURL {
    guard let signatures = URLSignatures(keys: [], salts: []) else { throw .badSignature }
    return try ProxyURL(
        path: path, signatures: signatures, sources: AllowedSources(sources),
        rules: OptionRules(presets: presets, allowsOnlyPresets: onlyPresets), now: now)
}

/// The options that stand before a source.
private func options(_ text: String, presets: [String: String] = [:]) throws(ProxyURLError) -> ProcessingOptions {
    try read("/_/\(text)/plain/http://a/b", presets: presets).options
}

@Suite struct ProxyURLTests {
    @Test(arguments: [
        ("/_/plain/http://example.com/cat.jpg", "http://example.com/cat.jpg", nil),
        ("/_/plain/http://example.com/cat.jpg@webp", "http://example.com/cat.jpg", OutputFormat.webp),
        ("/_/plain/http%3A%2F%2Fexample.com%2Fa%3Fb%3D1%402@jpg", "http://example.com/a?b=1@2", .jpeg),
        ("/_/plain/http:/example.com/cat.jpg", "http://example.com/cat.jpg", nil),
        ("/_/plain/http://example.com/a//b?x=1", "http://example.com/a//b", nil),
        ("/_/plain/local:///cats/1.png@", "local:///cats/1.png", nil),
        ("/_/aHR0cDovL2V4YW1wbGUuY29tL2NhdC5qcGc.png", "http://example.com/cat.jpg", .png),
        ("/_/aHR0cDovL2V4YW1w/bGUuY29tL2NhdC5q/cGc", "http://example.com/cat.jpg", nil),
        ("/_/w:10/aHR0cDovL2V4YW1wbGUuY29tL2NhdC5qcGc=.gif", "http://example.com/cat.jpg", .gif),
    ])
    func sourcesArePlainOrBase64(path: String, source: String, format: OutputFormat?) throws {
        let url = try read(path)
        #expect(url.source == source)
        #expect(url.options.format == format)
    }

    @Test(
        arguments: [
            ("", .incomplete), ("/", .incomplete), ("/_", .incomplete), ("/_/", .incomplete), ("/_/w:1", .incomplete),
            ("/_/plain/", .badSource), ("/_/plain/a@b@c", .badSource), ("/_/plain/%2", .badSource),
            ("/_/plain/%zz", .badSource),
            ("/_/plain/%ff", .badSource), ("/_/plain/a%0d%0ab", .badSource), ("/_/a", .badSource),
            ("/_/abc~", .badSource),
            ("/_/a.b.c", .badSource), ("/_/YQ===", .badSource), ("/_/YR", .badSource),
            ("/_/enc/abc", .unsupportedOption("enc")),
            ("/_/plain/a@bmp", .badFormat("bmp")), ("/_/nope:1/plain/a", .unknownOption("nope")),
            ("/_/raw:1/plain/a", .unsupportedOption("raw")), ("/_/w:/h:1:2/plain/a", .badOption("h")),
            ("/_/exp:99/plain/a", .expired),
        ] as [(String, ProxyURLError)])
    func whatIsWrongIsSaid(path: String, error: ProxyURLError) {
        #expect(throws: error) { try read(path, now: 100) }
    }

    @Test func lengthsAndCountsAreBounded() {
        #expect(throws: ProxyURLError.tooLong) { try read("/_/plain/" + String(repeating: "a", count: 9_000)) }
        #expect(throws: ProxyURLError.tooLong) { try read("/_/" + String(repeating: "w:1/", count: 65) + "plain/a") }
        #expect(throws: ProxyURLError.badOption("w")) { try options("w" + String(repeating: ":", count: 17)) }
    }

    @Test func addressesExpire() throws {
        #expect(try read("/_/exp:100/plain/a", now: 100).source == "a")
        #expect(throws: ProxyURLError.expired) { try read("/_/exp:100/plain/a", now: 101) }
    }

    @Test func presetsAreOptionsByName() throws {
        let presets = ["avatar": "rs:fill:96:96/g:sm", "small": "pr:avatar/q:40", "loop": "pr:loop", "default": "q:70"]
        #expect(try options("pr:avatar", presets: presets).width == 96)
        #expect(try options("preset:small", presets: presets).quality == 40)
        #expect(try options("w:1", presets: presets).quality == 70)
        #expect(throws: ProxyURLError.badPreset("loop")) { try options("pr:loop", presets: presets) }
        #expect(throws: ProxyURLError.badPreset("no")) { try options("pr:no", presets: presets) }
        #expect(try read("/_/avatar:small/plain/a", presets: presets, onlyPresets: true).options.quality == 40)
        #expect(throws: ProxyURLError.badPreset("w")) {
            try read("/_/w:100/plain/a", presets: presets, onlyPresets: true)
        }
    }
}

@Suite struct ProcessingOptionsTests {
    @Test func shortNamesMeanWhatLongOnesDo() throws {
        let long =
            "resize:fill:300:200:1:1:no:5:6/gravity:fp:0.25:0.75/crop:100:0.5:soea/dpr:2/min-width:7/min-height:8/zoom:2:3"
            + "/padding:1:2:3:4/rotate:270/auto_rotate:0/background:255:128:0/blur:1.5/sharpen:0.5/watermark:0.5:soea:10:20:0.25"
            + "/quality:42/format_quality:webp:50:jpg:60/max_bytes:9000/format:png/strip_metadata:0/strip_color_profile:0"
            + "/cachebuster:x/expires:9999999999/filename:cat/return_attachment:1/extend_aspect_ratio:1/enlarge:1"
        let short =
            "rs:fill:300:200:1:1:no:5:6/g:fp:0.25:0.75/c:100:0.5:soea/dpr:2/mw:7/mh:8/z:2:3"
            + "/pd:1:2:3:4/rot:270/ar:0/bg:ff8000/bl:1.5/sh:0.5/wm:0.5:soea:10:20:0.25"
            + "/q:42/fq:webp:50:jpg:60/mb:9000/ext:png/sm:0/scp:0/cb:x/exp:9999999999/fn:cat/att:1/exar:1/el:1"
        let options = try options(long)
        #expect(try options == ImageProxyURLTests.options(short))
        #expect(options.resizing == .fill && options.width == 300 && options.height == 200 && options.enlarges)
        #expect(options.extend == Gravity(.place(x: 0.5, y: 0), x: 5, y: 6))
        #expect(options.gravity == Gravity(.focus(x: 0.25, y: 0.75)))
        #expect(
            options.cropWidth == 100 && options.cropHeight == 0.5 && options.cropGravity == Gravity(.place(x: 1, y: 1)))
        #expect(options.dpr == 2 && options.minWidth == 7 && options.minHeight == 8)
        #expect(options.padding == [1, 2, 3, 4] && options.quarterTurns == 3 && !options.turnsUpright)
        #expect(options.background == SIMD3(255, 128, 0) && options.blur == 1.5 && options.sharpen == 0.5)
        #expect(
            options.watermark
                == Watermark(opacity: 0.5, gravity: Gravity(.place(x: 1, y: 1), x: 10, y: 20), scale: 0.25))
        #expect(
            options.quality == 42 && options.formatQuality == [.webp: 50, .jpeg: 60] && options.maxByteCount == 9_000)
        #expect(options.format == .png && !options.stripsMetadata && !options.stripsColorProfile)
        #expect(options.fileName == "cat" && options.isAttachment)
    }

    @Test(arguments: [
        "w:-1", "w:65536", "w:99999999999999999999", "w:1e3", "w:0x10", "w:+1x", "h:a", "s:1:2:3", "rs:cover:1:1",
        "rt:no", "dpr:0",
        "dpr:9", "dpr:nan", "dpr:inf", "g:xx", "g:fp:2:0", "g:fp:0.5", "g:sm:1", "g:no:1:2:3", "ex:1:sm", "ex:1:fp:1:1",
        "rot:45",
        "rot:99999", "bg:12", "bg:gggggg", "bg:256:0:0", "bg:1:2", "bl:-1", "bl:501", "wm:2", "wm:1:xx", "q:101",
        "fq:jpg", "fq:x:1",
        "mb:-1", "exp:-1", "fn:%zz", "fn:Y!:1", "att:2", "el:yes", "z:0", "pd:1:2:3:4:5", "pd:-1", "c:-1",
    ])
    func valuesOutsideTheirBoundsAreRefused(text: String) {
        #expect(throws: ProxyURLError.badOption(String(text.prefix { $0 != ":" }))) { try options(text) }
    }

    @Test func emptyValuesLeaveWhatWasThere() throws {
        let options = try options("w:100/h:50/rs:fill:::1")
        #expect(options.width == 100 && options.height == 50 && options.enlarges && options.resizing == .fill)
    }

    @Test func whatChangesNoPixelIsNotInTheKey() throws {
        #expect(try options("w:100/exp:9999999999/fn:a/att:1").key == options("width:100").key)
        #expect(try options("rs:fit:100:0:0").key == options("w:100").key)
        #expect(try options("w:100").key != options("h:100").key)
        #expect(try options("w:100/cb:1").key != options("w:100").key)
        #expect(try options("w:100/q:50").key != options("w:100").key)
    }

    @Test func fileNamesMayBeBase64() throws {
        #expect(try options("fn:Y2F0:1").fileName == "cat")
        #expect(try options("fn:a%20b").fileName == "a b")
    }
}

@Suite struct URLSignaturesTests {
    private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
    private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"

    /// Signatures that tests of imgproxy and its clients expect, computed again with Python's `hmac`.
    @Test func knownAddressesHaveKnownSignatures() throws {
        let signatures = try #require(URLSignatures(keys: [Self.key], salts: [Self.salt]))
        let path = "/el:t/f:png/g:no/h:300/rt:fit/w:300/plain/https://example.com/image.jpg"
        #expect(signatures.isValid("lGUqI4JvQjcBfombObcTQVe5wwsQtatggfrRKvi_pXg".utf8, of: path.utf8))
        #expect(!signatures.isValid("lGUqI4JvQjcBfombObcTQVe5wwsQtatggfrRKvi_pXh".utf8, of: path.utf8))
        let words = try #require(
            URLSignatures(keys: [Self.hexadecimal("test-key")], salts: [Self.hexadecimal("test-salt")]))
        #expect(words.isValid("dtLwhdnPPiu_epMl1LrzheLpvHas-4mwvY6L3Z8WwlY".utf8, of: "asd".utf8))
        let short = try #require(
            URLSignatures(keys: [Self.hexadecimal("test-key")], salts: [Self.hexadecimal("test-salt")], byteCount: 8))
        #expect(short.isValid("dtLwhdnPPis".utf8, of: "asd".utf8))
        #expect(!short.isValid("dtLwhdnPPiu_epMl1LrzheLpvHas-4mwvY6L3Z8WwlY".utf8, of: "asd".utf8))
    }

    @Test func anyOfSeveralKeysIsGood() throws {
        let other = Self.hexadecimal("another key")
        let signatures = try #require(URLSignatures(keys: [other, Self.key], salts: ["", Self.salt]))
        let path = "/el:t/f:png/g:no/h:300/rt:fit/w:300/plain/https://example.com/image.jpg"
        #expect(signatures.isValid("lGUqI4JvQjcBfombObcTQVe5wwsQtatggfrRKvi_pXg".utf8, of: path.utf8))
        #expect(!signatures.isValid("".utf8, of: path.utf8))
    }

    @Test(arguments: [
        "insecure", "unsafe", "_", "", "dtLwhdnPPis", String(repeating: "A", count: 43), "====", "\u{e4}",
    ])
    func withoutItsSignatureAnAddressIsRefused(signature: String) throws {
        let signatures = try #require(URLSignatures(keys: [Self.key], salts: [Self.salt]))
        #expect(throws: ProxyURLError.badSignature) {
            try ProxyURL(path: "/\(signature)/w:1/plain/a", signatures: signatures, now: 0)
        }
    }

    @Test func keysAreHexadecimalAndHaveSalts() {
        #expect(URLSignatures(keys: ["xy"], salts: [""]) == nil)
        #expect(URLSignatures(keys: ["abc"], salts: [""]) == nil)
        #expect(URLSignatures(keys: [""], salts: [""]) == nil)
        #expect(URLSignatures(keys: ["ab"], salts: []) == nil)
        #expect(URLSignatures(keys: ["ab"], salts: ["cd"], byteCount: 33) == nil)
        #expect(URLSignatures(keys: [], salts: [])?.areRequired == false)
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

@Suite struct AllowedSourcesTests {
    @Test(arguments: [
        ("https://a.example/x.jpg", true), ("https://a.example.evil/x.jpg", false), ("http://a.example/x.jpg", false),
        ("https://cdn.b.example/x", true), ("https://x/cdn.b.example/x", false), ("https://user@a.example/x", false),
        ("https://a.example@evil/x", false), ("https://a.example/../x", false), ("https://a.example/%2e%2e/x", false),
        ("https://a.example/a%2f..%2fb", false), ("https://a.example\\@evil/", false), ("local:///cats/1.png", true),
        ("local:///cats/../dogs", false), ("local:///dogs", false), ("https://a.example/%zz", false),
    ])
    func prefixesAreKept(address: String, isAllowed: Bool) {
        let sources = AllowedSources(["https://a.example/", "https://*.b.example/", "local:///cats/"])
        #expect(sources.allows(address) == isAllowed)
    }

    @Test func manyAsterisksTakeNoLongTime() {
        let sources = AllowedSources([String(repeating: "*a", count: 200) + "!"])
        #expect(!sources.allows(String(repeating: "a", count: 8_000)))
    }

    @Test func withoutPrefixesEverythingIsAllowed() { #expect(AllowedSources([]).allows("https://user@x/../y")) }
}
