import ImageLoadingHTTP
import Testing

/// 1 January 2027, 0:00:00 GMT.
private let start = Duration.seconds(1_798_761_600)
private let date = "Date: Fri, 01 Jan 2027 00:00:00 GMT"

@Suite struct StoredResponseTests {
    private func response(
        _ lines: [String], request: [String] = [], delay: Int = 0, skew: Int = 0, redirect: Int? = nil
    ) -> StoredResponse {
        let received = start + .seconds(skew)
        return StoredResponse(
            lines.fields, requestFields: request.fields, url: "http://a/", requestedAt: received - .seconds(delay),
            receivedAt: received, redirectFreshness: redirect.map { .seconds($0) })
    }

    /// RFC 9111, §4.2.1 and §4.2.2: fields of the response, seconds of freshness.
    @Test(arguments: [
        (["Cache-Control: max-age=100"], 100),
        (["Cache-Control: max-age=100, s-maxage=50"], 50),
        (["Cache-Control: s-maxage=500, max-age=10"], 500),
        (["Cache-Control: max-age=100", "Expires: Fri, 01 Jan 2027 01:00:00 GMT"], 100),
        (["Cache-Control: max-age=x", "Expires: Fri, 01 Jan 2027 01:00:00 GMT"], 0),
        (["Expires: Fri, 01 Jan 2027 01:00:00 GMT"], 3600),
        (["Expires: Friday, 01-Jan-27 01:00:00 GMT"], 3600),
        (["Expires: Fri Jan  1 01:00:00 2027"], 3600),
        (["Expires: Thu, 31 Dec 2026 00:00:00 GMT"], 0),
        (["Expires: 0"], 0), (["Expires: -1"], 0), (["Expires: "], 0),
        (["Expires: 0", "Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT"], 0),
        (["Cache-Control: public"], 7),
        (["Last-Modified: Thu, 31 Dec 2026 23:43:20 GMT"], 100),
        (["Last-Modified: Tue, 01 Jan 2019 00:00:00 GMT"], 86_400),
        (["Last-Modified: Sat, 02 Jan 2027 00:00:00 GMT"], 0),
        (["Last-Modified: never"], 7), ([], 7),
        (["Pragma: no-cache", "Cache-Control: max-age=100"], 100),
        (["Cache-Control: max-age=100", "Cache-Control: max-age=20"], 20),
    ])
    func lifetimesAreThoseOfTheStandard(_ lines: [String], _ seconds: Int) {
        #expect(response(lines + [date]).freshnessLifetime(unsaid: .seconds(7)) == .seconds(seconds))
    }

    /// RFC 9111, §4.2.3: fields, seconds from request to response, seconds by which the origin's clock is behind ours, age.
    @Test(arguments: [
        ([date], 0, 0, 0), ([date], 5, 0, 5), ([date, "Age: 30"], 0, 0, 30), ([date, "Age: 30"], 5, 0, 35),
        ([date], 0, 60, 60), ([date], 5, 60, 60), ([date, "Age: 100"], 0, 60, 100), ([date], 0, -60, 0),
        ([date, "Age: 30"], 0, -60, 30), (["Age: 30"], 2, 0, 32), ([], 3, 0, 3), (["Date: x"], 0, 0, 0),
        ([date, "Age: x"], 0, 0, 0), ([date, "Age: -5"], 0, 0, 0), ([date, "Age: 10, 20"], 0, 0, 10),
        ([date, "Age: 10", "Age: 20"], 0, 0, 10), ([date, "Age: 99999999999"], 0, 0, 2_147_483_648),
    ])
    func agesAreThoseOfTheStandard(_ lines: [String], _ delay: Int, _ skew: Int, _ age: Int) {
        #expect(response(lines, delay: delay, skew: skew).initialAge == .seconds(age))
    }

    /// RFC 9111, §4.2, §4.2.4; RFC 5861: directives, seconds later, use.
    @Test(arguments: [
        ("max-age=100", 99, StoredResponse.Use.fresh), ("max-age=100", 100, .stale),
        ("max-age=100, no-cache", 0, .stale), ("max-age=100, no-cache=\"set-cookie\"", 0, .stale),
        ("max-age=0", 0, .stale),
        ("max-age=100, must-revalidate", 99, .fresh), ("max-age=100, immutable", 100, .stale),
        ("max-age=100, stale-while-revalidate=50", 149, .whileRevalidating),
        ("max-age=100, stale-while-revalidate=50", 150, .stale),
        ("max-age=100, stale-while-revalidate=50, must-revalidate", 120, .stale),
        ("max-age=100, stale-while-revalidate=50, proxy-revalidate", 120, .stale),
        ("s-maxage=100, stale-while-revalidate=50", 120, .stale),
        ("max-age=100, stale-while-revalidate=50, no-cache", 120, .stale),
        ("max-age=100", -1, .stale),
    ])
    func usesAreThoseOfTheStandard(_ control: String, _ seconds: Int, _ use: StoredResponse.Use) {
        let response = response([date, "Cache-Control: \(control)"])
        #expect(response.use(at: start + .seconds(seconds)) == use)
    }

    @Test(arguments: [
        ("max-age=100, stale-if-error=50", 149, true), ("max-age=100, stale-if-error=50", 150, false),
        ("max-age=100", 104, true), ("max-age=100", 105, false), ("max-age=100, stale-if-error=0", 104, false),
        ("max-age=100, stale-if-error=50, must-revalidate", 120, false),
        ("max-age=100, stale-if-error=50, no-cache", 120, false), ("max-age=100, stale-if-error=50", -1, false),
    ])
    func errorsAreBridgedAsLongAsSaid(_ control: String, _ seconds: Int, _ stands: Bool) {
        let response = response([date, "Cache-Control: \(control)"])
        #expect(response.standsInForErrors(at: start + .seconds(seconds), tolerance: .seconds(5)) == stands)
    }

    @Test func redirectsLimitFreshness() {
        #expect(response([date, "Cache-Control: max-age=100"], redirect: 10).use(at: start + .seconds(9)) == .fresh)
        #expect(response([date, "Cache-Control: max-age=100"], redirect: 10).use(at: start + .seconds(10)) == .stale)
    }

    /// RFC 9111, §3, §3.5, for a shared cache.
    @Test(arguments: [
        (200, "", "", true), (200, "public", "", true), (200, "no-store", "", false), (200, "private", "", false),
        (200, "private=\"set-cookie\"", "", false), (200, "no-cache", "", true),
        (200, "no-store, max-age=9", "", false),
        (206, "max-age=9", "", false), (404, "max-age=9", "", false), (200, "max-age=9", "Authorization: x", false),
        (200, "public", "Authorization: x", true), (200, "s-maxage=9", "Authorization: x", true),
        (200, "must-revalidate", "Authorization: x", true), (200, "max-age=9", "Cookie: x", false),
        (200, "", "Cache-Control: no-store", false), (200, "NO-STORE", "", false),
    ])
    func aSharedCacheKeepsWhatItMay(_ status: Int, _ control: String, _ request: String, _ isKept: Bool) {
        let fields = control.isEmpty ? [:] : ["Cache-Control: \(control)"].fields
        let request = request.isEmpty ? [:] : [request].fields
        #expect((StoredResponse.refusalToStore(status: status, fields, requestFields: request) == nil) == isKept)
    }

    /// RFC 9111, §4.1.
    @Test(arguments: [
        ("Accept", "Accept: a", "Accept: a", true), ("Accept", "Accept: a", "Accept: b", false),
        ("accept", "Accept: a,  b", "Accept: a, b", true), ("Accept", "Accept: a", "X: y", false),
        ("Accept", "X: y", "X: z", true), ("Accept, X", "X: y", "X: z", false), ("*", "X: y", "X: y", false),
        ("", "X: y", "X: z", true),
    ])
    func requestsMatchByTheFieldsThatVaryNames(_ vary: String, _ first: String, _ second: String, _ matches: Bool) {
        let response = response([date, "Vary: \(vary)"], request: [first])
        #expect(response.matches([second].fields) == matches)
    }

    @Test func aResponseThatVariesByEverythingIsNotKept() {
        #expect(StoredResponse.refusalToStore(status: 200, ["Vary": "Accept, *"], requestFields: [:]) != nil)
    }

    /// RFC 9110, §8.8.2.2, §13.1.5.
    @Test(
        arguments: [
            (["ETag: \"a\""], "\"a\""), (["ETag: W/\"a\""], nil), (["ETag: a"], nil),
            (["ETag: W/\"a\"", "Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT"], nil),
            (["Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT"], "Thu, 31 Dec 2026 00:00:00 GMT"),
            (["Last-Modified: Thu, 31 Dec 2026 23:59:30 GMT"], nil), ([], nil),
        ] as [([String], String?)])
    func validatorsAreStrongOrNot(_ lines: [String], _ validator: String?) {
        #expect(response(lines + [date]).strongValidator == validator)
    }

    /// RFC 9111, §3.4: parts are joined if they have the same strong validator.
    @Test(arguments: [
        ("ETag: \"a\"", "ETag: \"a\"", true), ("ETag: \"a\"", "ETag: \"b\"", false),
        ("ETag: W/\"a\"", "ETag: W/\"a\"", false),
        ("ETag: \"a\"", "ETag: W/\"a\"", false), ("ETag: \"a\"", "X: y", false),
        ("Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT", "Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT", true),
        ("Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT", "Last-Modified: Thu, 31 Dec 2026 00:00:01 GMT", false),
    ])
    func partsAreJoinedUnderTheSameStrongValidator(_ whole: String, _ part: String, _ isSame: Bool) {
        #expect(response([whole, date]).isSameBody(asPart: [part].fields) == isSame)
    }

    /// RFC 9111, §3.2, §4.3.4.
    @Test func a304RenewsFieldsAndAge() throws {
        let old = response([
            date, "Age: 50", "ETag: \"a\"", "Cache-Control: max-age=60", "Content-Type: image/png", "Vary: Accept",
        ])
        let later = start + .seconds(1000)
        let fields = [
            "ETag: W/\"a\"", "Cache-Control: max-age=90", "Date: Fri, 01 Jan 2027 00:16:40 GMT", "Content-Type: x/y",
        ]
        let new = try #require(
            old.renewed(by: fields.fields, requestFields: ["accept": "z"], requestedAt: later, receivedAt: later))
        #expect(new.use(at: later + .seconds(89)) == .fresh)
        #expect(new.use(at: later + .seconds(90)) == .stale)
        #expect(new.fields["content-type"] == "image/png")
        #expect(new.matches(["accept": "z"]))
        #expect(!new.matches(["accept": "y"]))
    }

    @Test func a304WithAnotherTagIsOfAnotherBody() {
        let old = response([date, "ETag: \"a\""])
        #expect(old.renewed(by: ["etag": "\"b\""], requestFields: [:], requestedAt: start, receivedAt: start) == nil)
        #expect(old.renewed(by: [:], requestFields: [:], requestedAt: start, receivedAt: start) != nil)
    }

    @Test func conditionsCarryBothValidators() {
        let conditions = response(["ETag: W/\"a\"", "Last-Modified: Thu, 31 Dec 2026 00:00:00 GMT", date]).conditions
        #expect(conditions["if-none-match"] == "W/\"a\"")
        #expect(conditions["if-modified-since"] == "Thu, 31 Dec 2026 00:00:00 GMT")
        #expect(response([date]).conditions.lines.isEmpty)
    }

    @Test func attributesAreReadAsTheyWereWritten() throws {
        let lines = [
            date, "ETag: \"a\"", "Cache-Control: max-age=60, stale-if-error=5", "Vary: Accept, X", "Set-Cookie: s=1",
        ]
        let response = response(lines, request: ["Accept: image/*"], delay: 3, redirect: 40)
        let read = try #require(StoredResponse(attributes: response.attributes))
        #expect(read.attributes == response.attributes)
        #expect(read.freshUntil() == response.freshUntil())
        #expect(!response.attributes.values.contains("s=1"))
        #expect(StoredResponse(attributes: ["etag": "x"]) == nil)
    }
}
