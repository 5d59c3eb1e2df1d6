// What the camera says about a picture, as text for people and as JSON.

import ImageCodecs

/// The few EXIF values that people ask for.
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.6.4 "TIFF Rev. 6.0 Attribute Information", §4.6.5 "Exif IFD Attribute
///   Information", §4.6.6 "GPS Attribute Information".
struct ExifReport: Sendable {
    private let make: String?
    private let model: String?
    private let lens: String?
    private let dateTaken: String?
    private let exposureTime: TIFFRational?
    private let fNumber: Double?
    private let iso: Int?
    private let focalLength: Double?
    private let position: Position?

    /// Degrees, north and east positive; meters above the sea.
    private struct Position: Sendable {
        let latitude: Double
        let longitude: Double
        let altitude: Double?
    }

    /// Texts of files are shown up to here.
    private static let maxTextCount = 200

    /// `nil` when the bytes are no EXIF data, or say nothing of this.
    init?(_ bytes: [UInt8], showsGPS: Bool) {
        guard let exif = ExifBlock(bytes) else { return nil }
        func text(_ tag: UInt16, _ directory: ExifBlock.Directory) -> String? {
            guard let text = exif.text(tag, in: directory)?.prefix(Self.maxTextCount) else { return nil }
            let trimmed = text.split(separator: " ").joined(separator: " ")
            return trimmed.isEmpty ? nil : trimmed
        }
        make = text(0x010F, .main)
        model = text(0x0110, .main)
        lens = text(0xA434, .exif)
        dateTaken = text(0x9003, .exif) ?? text(0x0132, .main)
        exposureTime = exif.rational(0x829A, in: .exif).flatMap { $0.value == nil ? nil : $0 }
        fNumber = exif.rational(0x829D, in: .exif)?.value
        iso = exif.integer(0x8827, in: .exif).flatMap { $0 > 0 ? $0 : nil }
        focalLength = exif.rational(0x920A, in: .exif)?.value
        position = showsGPS ? Self.position(exif) : nil
        if textLines.isEmpty { return nil }
    }

    private static func position(_ exif: ExifBlock) -> Position? {
        guard let latitude = degrees(exif, tag: 2, reference: 1, negative: "S", most: 90),
            let longitude = degrees(exif, tag: 4, reference: 3, negative: "W", most: 180)
        else { return nil }
        let sign = exif.integer(5, in: .gps) == 1 ? -1.0 : 1
        return Position(
            latitude: latitude, longitude: longitude, altitude: exif.rational(6, in: .gps)?.value.map { sign * $0 })
    }

    /// Degrees, minutes and seconds as one number.
    private static func degrees(
        _ exif: ExifBlock, tag: UInt16, reference: UInt16, negative: String, most: Double
    ) -> Double? {
        guard let whole = exif.rational(tag, in: .gps)?.value else { return nil }
        let minutes = exif.rational(tag, in: .gps, at: 1)?.value ?? 0
        let seconds = exif.rational(tag, in: .gps, at: 2)?.value ?? 0
        let degrees = whole + minutes / 60 + seconds / 3600
        guard (0...most).contains(degrees) else { return nil }
        return exif.text(reference, in: .gps) == negative ? -degrees : degrees
    }

    private var camera: String? {
        guard let make, let model else { return make ?? model }
        return model.hasPrefix(make) ? model : "\(make) \(model)"
    }

    /// `1/250` or `2.5`.
    private var exposureWords: String? {
        guard let exposureTime, let seconds = exposureTime.value, seconds > 0 else { return nil }
        return seconds < 0.3 ? "1/" + (1 / seconds).fixed(0) : seconds.short
    }

    var textLines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        if let camera { lines.append(("camera", camera)) }
        if let lens { lines.append(("lens", lens)) }
        if let dateTaken { lines.append(("taken", dateTaken)) }
        let exposure = [
            exposureWords.map { $0 + " s" }, fNumber.map { "f/" + $0.short }, iso.map { "ISO \($0)" },
            focalLength.map { $0.short + " mm" },
        ].compactMap { $0 }
        if !exposure.isEmpty { lines.append(("exposure", exposure.joined(separator: ", "))) }
        if let position {
            let altitude = position.altitude.map { ", \($0.short) m" } ?? ""
            lines.append(("position", "\(position.latitude.fixed(6)), \(position.longitude.fixed(6))" + altitude))
        }
        return lines
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append((name, value)) }
        }
        add("make", make.map { .string($0) })
        add("model", model.map { .string($0) })
        add("lens", lens.map { .string($0) })
        add("dateTaken", dateTaken.map { .string($0) })
        add("exposureTime", exposureWords.map { .string($0) })
        add("fNumber", fNumber.map { .decimal($0, places: 2) })
        add("iso", iso.map { .integer($0) })
        add("focalLengthMM", focalLength.map { .decimal($0, places: 2) })
        if let position {
            var place: [(key: String, value: JSONValue)] = [
                ("latitude", .decimal(position.latitude, places: 6)),
                ("longitude", .decimal(position.longitude, places: 6)),
            ]
            if let altitude = position.altitude { place.append(("altitudeM", .decimal(altitude, places: 2))) }
            add("gps", .object(place))
        }
        return .object(members)
    }
}

extension TIFFRational {
    /// The quotient; `nil` if there is none, or it is below 0.
    fileprivate var value: Double? {
        denominator > 0 && numerator >= 0 ? Double(numerator) / Double(denominator) : nil
    }
}

extension Double {
    /// At most one decimal, none if it is 0.
    fileprivate var short: String {
        let text = fixed(1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
