// Changes of metadata as a command line says them.

import ArgumentParser
import ImageCodecs

/// What is to be changed.
struct MetadataEditArguments: ParsableArguments {
    @Option(name: .customLong("set"), help: ArgumentHelp("Set a tag of the EXIF data.", valueName: "tag=value"))
    var assignments: [String] = []

    @Option(
        name: .customLong("remove"),
        help: ArgumentHelp(
            "Remove a tag, a directory of the EXIF data (gps, thumbnail, ...), or one of: xmp, iptc, texts, pictures (second ones and gain maps of JPEG files that an index lists).",
            valueName: "tag"))
    var removals: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set where the picture was taken: degrees north and east, and metres above the sea. No other place stays in XMP packet and IPTC data, nor names of places.",
            valueName: "lat,lon[,alt]"))
    var place: String?

    @Flag(help: "Remove where the picture was taken, from EXIF data, XMP packet and IPTC data, with names of places.")
    var stripGPS = false

    @Flag(help: "Remove everything but what says how samples are meant (profile, gamma) and how the picture is turned.")
    var strip = false

    func validate() throws {
        if assignments.isEmpty, removals.isEmpty, place == nil, !stripGPS, !strip {
            throw ValidationError("say what to change: --set, --remove, --place, --strip-gps or --strip")
        }
        _ = try edit()
    }

    /// The changes; wrong tags and values are wrong usage.
    func edit() throws -> MetadataEdit {
        do throws(ImageError) {
            return MetadataEdit(
                stripsAll: strip, removesLocation: stripGPS || strip,
                removals: try removals.map { (text) throws(ImageError) in try MetadataEdit.Removal(text) },
                position: try place.map { (text) throws(ImageError) in try MetadataEdit.Position(text) },
                assignments: try assignments.map { (text) throws(ImageError) in try MetadataEdit.Assignment(text) })
        } catch {
            throw ValidationError(error.description)
        }
    }
}

/// Changes of metadata, the same for every file.
struct MetadataEdit: Sendable {
    let stripsAll: Bool
    let removesLocation: Bool
    let removals: [Removal]
    let position: Position?
    let assignments: [Assignment]

    /// Whether another place is not to be left anywhere.
    var changesLocation: Bool {
        removesLocation || position != nil || removals.contains(where: \.isLocation)
            || assignments.contains { $0.tag.directory == .gps }
    }

    func apply(to metadata: inout ImageMetadata) throws(ImageError) {
        if stripsAll {
            let orientation = metadata.orientation
            metadata = metadata.colors
            metadata.orientation = orientation
        }
        if removesLocation { metadata.removeLocation() }
        for removal in removals { try removal.apply(to: &metadata) }
        guard position != nil || !assignments.isEmpty else { return }
        try metadata.editExif { (exif) throws(ImageError) in
            if let position {
                try exif.setPosition(
                    latitude: position.latitude, longitude: position.longitude, altitude: position.altitude)
            }
            for assignment in assignments { try exif.set(assignment.tag, to: assignment.value) }
        }
    }

    /// What is removed.
    enum Removal: Sendable {
        case tag(ExifTag)
        case directory(ExifDirectory)
        case xmp, iptc, texts, pictures

        init(_ text: String) throws(ImageError) {
            switch text.lowercased() {
            case "xmp": self = .xmp
            case "iptc": self = .iptc
            case "texts": self = .texts
            case "pictures": self = .pictures
            case let name:
                if let directory = ExifDirectory(rawValue: name) {
                    self = .directory(directory)
                } else {
                    self = .tag(try ExifTag(argument: text))
                }
            }
        }

        /// Whether it is of where the picture was taken.
        var isLocation: Bool {
            switch self {
            case .tag(let tag): tag.directory == .gps || tag == ExifTag(.main, 0x8825)
            case .directory(let directory): directory == .gps
            case .xmp, .iptc, .texts, .pictures: false
            }
        }

        func apply(to metadata: inout ImageMetadata) throws(ImageError) {
            switch self {
            case .xmp: metadata.xmp = nil
            case .iptc: metadata.iptc = nil
            case .texts: (metadata.texts, metadata.comments) = ([], [])
            case .pictures: metadata.furtherPictures = nil
            case .directory(.gps): metadata.removeLocation()
            case .tag(let tag):
                guard metadata.exif != nil else { return }
                try metadata.editExif { (exif) throws(ImageError) in exif.remove(tag) }
            case .directory(let directory):
                guard metadata.exif != nil else { return }
                try metadata.editExif { (exif) throws(ImageError) in exif.remove(directory) }
            }
        }
    }

    /// Degrees, north and east positive; metres above the sea.
    struct Position: Sendable {
        let latitude: Double
        let longitude: Double
        let altitude: Double?

        init(_ text: String) throws(ImageError) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard parts.count == 2 || parts.count == 3, let latitude = parts[0], let longitude = parts[1],
                parts.count == 2 || parts[2] != nil
            else { throw .invalidArgument("--place \(text): two or three numbers with commas between them are wanted") }
            (self.latitude, self.longitude) = (latitude, longitude)
            altitude = parts.count == 3 ? parts[2] : nil
            var editor = ExifEditor()
            try editor.setPosition(latitude: latitude, longitude: longitude, altitude: altitude)
        }
    }

    /// A tag and the value it gets.
    struct Assignment: Sendable {
        let tag: ExifTag
        let value: ExifValue

        init(_ text: String) throws(ImageError) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw .invalidArgument("--set \(text): TAG=VALUE is wanted") }
            tag = try ExifTag(argument: parts[0])
            guard let type = tag.valueType else {
                throw .invalidArgument("\(parts[0]) is not in the standard, so that the type of its value is not known")
            }
            guard let value = ExifValue(argument: parts[1], type, isComment: tag == .userComment) else {
                throw .invalidArgument("\(parts[0]) cannot be \"\(parts[1])\": its type is \(type)")
            }
            self.value = value
            // A thumbnail may be there or not; whatever else is wrong is wrong for every file.
            if tag.directory == .thumbnail { return }
            var editor = ExifEditor()
            try editor.set(tag, to: value)
        }
    }
}

extension ExifTag {
    /// A tag as people write it.
    fileprivate init(argument text: String) throws(ImageError) {
        guard let tag = ExifTag(named: text) else {
            throw .invalidArgument(
                "\(text) is no tag: a name of the EXIF standard is wanted, or directory and number (main:0x010E)")
        }
        self = tag
    }
}

extension ExifValue {
    /// A value as people write it; `nil` if it is not of the type.
    fileprivate init?(argument text: String, _ type: ExifValueType, isComment: Bool) {
        let words = text.split(separator: " ").map(String.init)
        func numbers<T: LosslessStringConvertible>(_ type: T.Type) -> [T]? {
            let values = words.compactMap { T($0) }
            return values.isEmpty || values.count < words.count ? nil : values
        }
        func rationals() -> [ExifRational]? {
            let values = words.compactMap { ExifRational(argument: $0) }
            return values.isEmpty || values.count < words.count ? nil : values
        }
        let value: ExifValue? =
            switch type {
            case .byte: numbers(UInt8.self).map { .byte($0) }
            case .ascii: .ascii(text)
            case .short: numbers(UInt16.self).map { .short($0) }
            case .long: numbers(UInt32.self).map { .long($0) }
            case .rational: rationals().map { .rational($0) }
            case .signedByte: numbers(Int8.self).map { .signedByte($0) }
            // Eight bytes say how a comment is coded: ASCII, or not defined (Exif 2.32 §4.6.5, tag 37510 "UserComment").
            case .undefined where isComment:
                .undefined(
                    Array((text.utf8.allSatisfy { $0 < 0x80 } ? "ASCII\0\0\0" : "\0\0\0\0\0\0\0\0").utf8)
                        + Array(text.utf8))
            case .undefined: .undefined(Array(text.utf8))
            case .signedShort: numbers(Int16.self).map { .signedShort($0) }
            case .signedLong: numbers(Int32.self).map { .signedLong($0) }
            case .signedRational: rationals().map { .signedRational($0) }
            case .float: numbers(Float.self).map { .float($0) }
            case .double: numbers(Double.self).map { .double($0) }
            }
        guard let value else { return nil }
        self = value
    }
}

extension ExifRational {
    /// `1/250`, `28` or `2.8`.
    fileprivate init?(argument text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let numerator = Int64(parts[0]), let denominator = Int64(parts[1]) {
            self.init(numerator, denominator)
            return
        }
        let decimal = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 1, decimal.count <= 2 else { return nil }
        let digits = decimal.count == 2 ? String(decimal[1]) : ""
        guard digits.count <= 9, digits.allSatisfy({ ("0"..."9").contains($0) }), let whole = Int64(decimal[0] + digits)
        else { return nil }
        self.init(whole, digits.reduce(1) { power, _ in power * 10 })
    }
}
