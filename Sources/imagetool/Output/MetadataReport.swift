// Image metadata as text for people and as JSON: typed values, and sizes of the blocks that are only carried.

import ImageCodecs

extension ImageMetadata {
    /// Names and values of what is there.
    var textLines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { lines.append((name, value)) }
        }
        add("EXIF", exif.map { "\($0.count) bytes" })
        add("ICC profile", iccProfile.map { "\($0.count) bytes" + (iccProfileName.map { ", \($0)" } ?? "") })
        add("XMP", xmp.map { "\($0.count) bytes" })
        add("IPTC", iptc.map { "\($0.count) bytes" })
        add("density", density.map { "\($0.x) x \($0.y) \($0.unit.words)" })
        add("gamma", gamma.map { "\((Double($0) / 100_000).fixed(5))" })
        add("primaries", chromaticities.map(\.words))
        add("sRGB intent", renderingIntent.map { "\($0)" })
        add("code points", codePoints.map(\.words))
        add("significant", significantBits.map { $0.map(String.init).joined(separator: ", ") + " bits" })
        add("background", background.map(\.words))
        add("histogram", histogram.map { "\($0.count) entries" })
        for palette in suggestedPalettes { add("palette", "\(palette.name), \(palette.entries.count) colours") }
        add("modified", modificationTime.map(\.words))
        for entry in texts { add("text", "\(entry.keyword): \(entry.text)") }
        for comment in comments { add("comment", comment) }
        return lines
    }

    /// An object with the members that are there.
    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append((name, value)) }
        }
        add("exifByteCount", exif.map { .integer($0.count) })
        add("iccProfileByteCount", iccProfile.map { .integer($0.count) })
        add("iccProfileName", iccProfileName.map { .string($0) })
        add("xmpByteCount", xmp.map { .integer($0.count) })
        add("iptcByteCount", iptc.map { .integer($0.count) })
        add("density", density?.json)
        add("gamma", gamma.map { .decimal(Double($0) / 100_000, places: 5) })
        add("chromaticities", chromaticities?.json)
        add("renderingIntent", renderingIntent.map { .string("\($0)") })
        add("codePoints", codePoints?.json)
        add("significantBits", significantBits.map { .array($0.map { .integer(Int($0)) }) })
        add("background", background.map { .string($0.words) })
        add("histogram", histogram.map { .array($0.map { .integer(Int($0)) }) })
        add("suggestedPalettes", suggestedPalettes.isEmpty ? nil : .array(suggestedPalettes.map(\.json)))
        add("modificationTime", modificationTime.map { .string($0.words) })
        add("texts", texts.isEmpty ? nil : .array(texts.map(\.json)))
        add("comments", comments.isEmpty ? nil : .array(comments.map { .string($0) }))
        return .object(members)
    }
}

extension PixelDensity {
    fileprivate var json: JSONValue {
        .object([("x", .integer(Int(x))), ("y", .integer(Int(y))), ("unit", .string(unit.rawValue))])
    }
}

extension PixelDensity.Unit {
    fileprivate var words: String { self == .aspectRatio ? "(aspect ratio)" : "per \(rawValue)" }
}

extension Chromaticities {
    private var points: [(name: String, point: Point)] {
        [("white", white), ("red", red), ("green", green), ("blue", blue)]
    }

    fileprivate var words: String {
        points.map { "\($0.name) \($0.point.decimalX), \($0.point.decimalY)" }.joined(separator: "; ")
    }

    fileprivate var json: JSONValue {
        .object(
            points.map { name, point in
                let pair = [point.x, point.y].map { JSONValue.decimal(Double($0) / 100_000, places: 5) }
                return (name, .array(pair))
            })
    }
}

extension Chromaticities.Point {
    fileprivate var decimalX: String { (Double(x) / 100_000).fixed(5) }
    fileprivate var decimalY: String { (Double(y) / 100_000).fixed(5) }
}

extension CodingIndependentCodePoints {
    fileprivate var words: String {
        "primaries \(primaries), transfer \(transfer), matrix \(matrix), \(isFullRange ? "full" : "narrow") range"
    }

    fileprivate var json: JSONValue {
        .object([
            ("primaries", .integer(Int(primaries))), ("transfer", .integer(Int(transfer))),
            ("matrix", .integer(Int(matrix))), ("isFullRange", .bool(isFullRange)),
        ])
    }
}

extension BackgroundColor {
    fileprivate var words: String {
        switch self {
        case .gray(let level): "gray \(level)"
        case .rgb(let red, let green, let blue): "rgb \(red) \(green) \(blue)"
        case .paletteIndex(let index): "palette entry \(index)"
        }
    }
}

extension SuggestedPalette {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("sampleDepth", .integer(sampleDepth)), ("colors", .integer(entries.count)),
        ])
    }
}

extension ModificationTime {
    /// ISO 8601, UTC.
    fileprivate var words: String {
        func two(_ value: UInt8) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let fullYear = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
        return "\(fullYear)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
    }
}

extension TextEntry {
    fileprivate var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [("keyword", .string(keyword)), ("text", .string(text))]
        if !language.isEmpty { members.append(("language", .string(language))) }
        if !translatedKeyword.isEmpty { members.append(("translatedKeyword", .string(translatedKeyword))) }
        return .object(members)
    }
}
