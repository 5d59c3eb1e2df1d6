import ImageLoadingHTTP
import Testing

@Suite struct CacheControlTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE = 60", 60), ("max-age=\"60\"", 60), ("public, max-age=60, x", 60),
        (", ,max-age=60,,", 60), ("max-age=99999999999999999999", 2_147_483_648), ("max-age=-1", 0), ("max-age", 0),
        ("max-age=", 0), ("max-age=6 0", 0), ("max-age=60s", 0), ("max-age=60, max-age=30", 30),
        ("max-age=30, max-age=60", 30), ("x=\"max-age=5, a\\\"b\", max-age=60", 60), ("max-age=60;x", 0),
    ])
    func secondsAreRead(_ text: String, _ seconds: Int) {
        #expect(CacheControl(text).seconds("max-age") == .seconds(seconds))
    }

    @Test func directivesAreNamesWithoutCase() {
        let control = CacheControl("No-Store, private=\"set-cookie\", ==, \u{1}")
        #expect(control.contains("no-store"))
        #expect(control.contains("private"))
        #expect(control.seconds("max-age") == nil)
        #expect(control.directives["private"] == "set-cookie")
        #expect(CacheControl(nil).directives.isEmpty)
        #expect(CacheControl("x=\"no-store").directives == ["x": "no-store"])
    }
}
