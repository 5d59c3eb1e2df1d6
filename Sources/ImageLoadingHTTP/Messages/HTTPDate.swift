// Dates of header fields, in the three forms that servers may send.

/// Reads and writes dates of header fields: durations since 1 January 1970, 0:00 UTC.
///
/// Source: RFC 9110, §5.6.7 "Date/Time Formats".
public enum HTTPDate {
    /// The time that a text says: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    /// `Sun Nov  6 08:49:37 1994`. The name of the day is not looked at.
    ///
    /// - Parameters:
    ///   - text: the value of the field.
    ///   - now: a year of two digits is not later than fifty years after it.
    public static func time(_ text: String, now: Duration) -> Duration? {
        let words = text.split { $0 == " " || $0 == "-" || $0 == "," }.map(String.init)
        guard text.utf8.count <= 64 else { return nil }
        if words.count == 6, words[5] == "GMT" {
            guard let year = number(words[3], 2...4) else { return nil }
            let isShort = words[3].utf8.count == 2
            guard isShort || words[3].utf8.count == 4 else { return nil }
            return time(words[1], words[2], isShort ? fullYear(year, now) : year, words[4])
        }
        guard words.count == 5, words[4].utf8.count == 4, let year = number(words[4], 4...4) else { return nil }
        return time(words[2], words[1], year, words[3])
    }

    /// A time in the form that is sent: `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are dropped.
    public static func text(_ time: Duration) -> String {
        let seconds = Int(max(0, min(time.components.seconds, 253_402_300_799)))
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        var year = 1970
        while self.days(year + 1, 1) <= days { year += 1 }
        let month = (1...12).last { self.days(year, $0) <= days } ?? 1
        let day = days - self.days(year, month) + 1
        // 1 January 1970 was a Thursday.
        let name = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(padded).joined(separator: ":")
        return "\(name), \(padded(day)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func number(_ text: String, _ digits: ClosedRange<Int>) -> Int? {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) ? Int(text) : nil
    }

    private static func fullYear(_ year: Int, _ now: Duration) -> Int {
        let latest = 1970 + Int(now.components.seconds / 31_556_952) + 50
        let century = latest / 100 * 100
        return century + year > latest ? century - 100 + year : century + year
    }

    private static func time(_ day: String, _ month: String, _ year: Int, _ clock: String) -> Duration? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 2...2) }
        guard let month = months.firstIndex(of: month), let day = number(day, 1...2), parts.count == 3,
            let hour = parts[0], let minute = parts[1], let second = parts[2], year >= 1600,
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = days(year, month + 1) + day - 1
        guard days < self.days(month == 11 ? year + 1 : year, month == 11 ? 1 : month + 2) else { return nil }
        return .seconds(days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    /// Days from 1 January 1970 to the first of a month.
    private static func days(_ year: Int, _ month: Int) -> Int {
        // Years begin in March, so that the leap day is the last one.
        let year = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 - 719_468
    }
}
