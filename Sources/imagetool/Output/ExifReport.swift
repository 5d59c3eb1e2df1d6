// What the camera says about a picture, as text for people and as JSON.

import ImageCodecs

/// The few EXIF values that people ask for.
struct ExifReport: Sendable {
    private let photo: PhotoMetadata
    private let showsGPS: Bool

    /// Texts of files are shown up to here.
    private static let maxTextCount = 200

    /// `nil` when the photograph says nothing of this.
    init?(_ photo: PhotoMetadata, showsGPS: Bool) {
        self.photo = photo
        self.showsGPS = showsGPS
        if textLines.isEmpty { return nil }
    }

    /// A text for one line: no longer than people read, without runs of spaces.
    private static func words(_ text: String?) -> String? {
        text.map { text in
            text.unicodeScalars.prefix(maxTextCount).split(separator: " ").map { String(Substring($0)) }.joined(
                separator: " ")
        }
    }

    private var make: String? { Self.words(photo.make) }
    private var model: String? { Self.words(photo.model) }
    private var lens: String? { Self.words(photo.lensModel) }
    private var dateTaken: String? { (photo.originalDate ?? photo.modifiedDate)?.description }

    /// Where the picture was taken, if that is shown.
    private var position: (latitude: Double, longitude: Double, altitude: Double?)? {
        guard showsGPS, let location = photo.location, let latitude = location.latitude,
            let longitude = location.longitude
        else { return nil }
        return (latitude, longitude, location.altitude)
    }

    private var camera: String? {
        guard let make, let model else { return make ?? model }
        return model.hasPrefix(make) ? model : "\(make) \(model)"
    }

    /// `1/250` or `2.5`.
    private var exposureWords: String? {
        guard let seconds = photo.exposureTime?.value else { return nil }
        return seconds < 0.3 ? "1/" + (1 / seconds).fixed(0) : seconds.short
    }

    var textLines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        if let camera { lines.append(("camera", camera)) }
        if let lens { lines.append(("lens", lens)) }
        if let dateTaken { lines.append(("taken", dateTaken)) }
        let exposure = [
            exposureWords.map { $0 + " s" }, photo.aperture.map { "f/" + $0.short }, photo.iso.map { "ISO \($0)" },
            photo.focalLength.map { $0.short + " mm" },
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
        add("fNumber", photo.aperture.map { .decimal($0, places: 2) })
        add("iso", photo.iso.map { .integer($0) })
        add("focalLengthMM", photo.focalLength.map { .decimal($0, places: 2) })
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

extension Double {
    /// At most one decimal, none if it is 0.
    fileprivate var short: String {
        let text = fixed(1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
