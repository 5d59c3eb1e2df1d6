import ImageLoadingHTTP
import Testing

@Suite struct HTTPDateTests {
    private let now = Duration.seconds(1_800_000_000)

    /// The example of RFC 9110, §5.6.7, in its three forms.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func allThreeFormsAreRead(_ text: String) {
        #expect(HTTPDate.time(text, now: now) == .seconds(784_111_777))
    }

    /// Seconds as `date -u -d` of GNU coreutils says.
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
        ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("Thu, 31 Dec 2099 23:59:59 GMT", 4_102_444_799), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func datesAreWrittenAsTheyAreRead(_ text: String, _ seconds: Int) {
        #expect(HTTPDate.time(text, now: now) == .seconds(seconds))
        #expect(HTTPDate.text(.seconds(seconds)) == text)
    }

    @Test func aYearOfTwoDigitsIsNotMoreThanFiftyYearsAhead() {
        // Now is 2027.
        #expect(HTTPDate.time("Friday, 01-Jan-77 00:00:00 GMT", now: now) == .seconds(3_376_684_800))
        #expect(HTTPDate.time("Saturday, 01-Jan-78 00:00:00 GMT", now: now) == .seconds(252_460_800))
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 2023 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:+7 GMT",
    ])
    func everythingElseIsNoDate(_ text: String) {
        #expect(HTTPDate.time(text, now: now) == nil)
    }
}
