// A date in EXIF data: digits, a fraction in another tag, an offset in a third.

/// A date and a time of day as a camera writes them.
///
/// Without an offset it is the time of wherever the camera was set to, which no moment can be made of.
///
/// - Source: Exif 2.32 §4.6.4, tag 306 "DateTime"; §4.6.5, tags 36880 "OffsetTime" and 37520 "SubSecTime".
public struct PhotoDate: Hashable, Sendable {
    /// The complete year: 0...9999.
    public let year: Int
    /// 1...12.
    public let month: Int
    /// 1...31.
    public let day: Int
    /// 0...23.
    public let hour: Int
    /// 0...59.
    public let minute: Int
    /// 0...60, leap seconds included.
    public let second: Int
    /// The fraction of the second: 0..<1,000,000,000; `nil` if the file has none.
    public let nanosecond: Int?
    /// Minutes that local time is ahead of UTC, negative if it is behind; `nil` if the file does not say.
    public let utcOffsetInMinutes: Int?

    /// Reads `2024:05:31 18:04:59`; `nil` for anything else that is no date and time.
    ///
    /// - Parameters:
    ///   - subsecond: digits after the decimal point.
    ///   - offset: `+09:00`.
    init?(exif text: String, subsecond: String?, offset: String?) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[10] == 0x20 || bytes[10] == 0x54, let day = Day(bytes),
            let hour = bytes.number(11..<13), let minute = bytes.number(14..<16), let second = bytes.number(17..<19)
        else { return nil }
        self.init(
            day, hour, minute, second, nanosecond: subsecond.flatMap { Self.nanosecond($0) },
            utcOffsetInMinutes: offset.flatMap { Self.offset($0) })
    }

    /// A time of satellites, in UTC: `2024:05:31` and numbers that may have fractions.
    init?(day text: String, hour: Double, minute: Double, second: Double) {
        guard let day = Day(Array(text.utf8)), (0..<24).contains(hour), (0..<60).contains(minute),
            (0..<61).contains(second), hour.rounded(.down) == hour, minute.rounded(.down) == minute
        else { return nil }
        let whole = second.rounded(.down)
        let fraction = Int(((second - whole) * 1e9).rounded())
        self.init(
            day, Int(hour), Int(minute), Int(whole),
            nanosecond: fraction == 0 ? nil : min(fraction, 999_999_999), utcOffsetInMinutes: 0)
    }

    private init?(
        _ date: Day, _ hour: Int, _ minute: Int, _ second: Int, nanosecond: Int?, utcOffsetInMinutes: Int?
    ) {
        guard hour <= 23, minute <= 59, second <= 60 else { return nil }
        (year, month, day) = (date.year, date.month, date.day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        (self.nanosecond, self.utcOffsetInMinutes) = (nanosecond, utcOffsetInMinutes)
    }

    private struct Day {
        let year: Int
        let month: Int
        let day: Int

        /// The first ten bytes: digits with anything between them, as some writers have dashes.
        init?(_ bytes: [UInt8]) {
            guard let year = bytes.number(0..<4), let month = bytes.number(5..<7), let day = bytes.number(8..<10),
                (1...12).contains(month), (1...31).contains(day)
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
        }
    }

    private static func nanosecond(_ text: String) -> Int? {
        let digits = Array(text.utf8.prefix(9))
        guard !digits.isEmpty, let number = digits.number(0..<digits.count) else { return nil }
        return (digits.count..<9).reduce(number) { number, _ in number * 10 }
    }

    private static func offset(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        if bytes == [0x5A] { return 0 }
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            let hours = bytes.number(1..<3), let minutes = bytes.number(4..<6), hours <= 14, minutes <= 59
        else { return nil }
        return (bytes[0] == 0x2D ? -1 : 1) * (60 * hours + minutes)
    }
}

extension PhotoDate: CustomStringConvertible {
    /// ISO 8601: `2024-05-31T18:04:59.25+09:00`, without what the file does not say.
    public var description: String {
        func padded(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text += "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
        if let nanosecond {
            var digits = padded(nanosecond, 9)
            while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
            text += "." + digits
        }
        guard let utcOffsetInMinutes else { return text }
        if utcOffsetInMinutes == 0 { return text + "Z" }
        let minutes = utcOffsetInMinutes.magnitude
        return text + (utcOffsetInMinutes < 0 ? "-" : "+") + padded(Int(minutes / 60), 2) + ":"
            + padded(Int(minutes % 60), 2)
    }
}

extension [UInt8] {
    /// A number of decimal digits; `nil` if there are others, or none so far.
    fileprivate func number(_ range: Range<Int>) -> Int? {
        guard range.upperBound <= count else { return nil }
        var number = 0
        for byte in self[range] {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }
}
