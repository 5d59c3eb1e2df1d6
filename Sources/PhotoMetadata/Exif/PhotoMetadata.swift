// What people ask of a photograph: the camera, how the picture was taken, when and where.

public import ImageCodecsCore

/// The EXIF values that are asked for most, as numbers and texts.
///
/// ```swift
/// if let photo = image.metadata.photo {
///     print(photo.model ?? "unknown camera", photo.originalDate?.description ?? "")
/// }
/// ```
///
/// Every value is `nil` if the file does not have it, or has something that makes no sense in its place. Texts are cut at their
/// first zero byte and have no spaces around them; bytes that are not UTF-8 are replaced.
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.6.4 "TIFF Rev. 6.0 Attribute Information", §4.6.5 "Exif IFD Attribute
///   Information", §4.6.6 "GPS Attribute Information".
public struct PhotoMetadata: Hashable, Sendable {
    /// Who made the camera.
    public let make: String?
    /// The model of the camera.
    public let model: String?
    /// Who made the lens.
    public let lensMake: String?
    /// The model of the lens.
    public let lensModel: String?
    /// The program or firmware that wrote the file.
    public let software: String?
    /// Who took the picture.
    public let artist: String?
    /// Who has rights in it: the photographer's notice, and after a line break that of an editor.
    public let copyright: String?
    /// What the picture shows, in a few words.
    public let imageDescription: String?

    /// Seconds, as a fraction: 1/250. Above 0.
    public let exposureTime: ExifRational?
    /// The f-number: 2.8 for f/2.8. Above 0.
    public let aperture: Double?
    /// The sensitivity as ISO 12232 counts. Above 0.
    public let iso: Int?
    /// Steps by which the camera was told to expose more, or less if negative (EV).
    public let exposureBias: Double?
    /// Millimetres. Above 0.
    public let focalLength: Double?
    /// The focal length in millimetres that has the same angle of view on 35 mm film. Above 0.
    public let focalLengthIn35mmFilm: Int?
    /// What the flash did.
    public let flash: PhotoFlash?

    /// When the picture was taken.
    public let originalDate: PhotoDate?
    /// When it became digital: for a camera the same.
    public let digitizedDate: PhotoDate?
    /// When the file was changed.
    public let modifiedDate: PhotoDate?

    /// Where and when it was taken, as satellites say.
    public let location: PhotoLocation?

    /// How the picture as it was stored has to be turned. What a decoded picture still needs is
    /// `ImageMetadata.orientation`.
    public let orientation: Orientation?
    /// Where a small JPEG picture lies in `ImageMetadata.exif`.
    public let thumbnailRange: Range<Int>?

    /// Reads EXIF data; `nil` if the bytes are none.
    ///
    /// - Parameter exif: a TIFF structure, with or without `"Exif\0\0"` before it.
    public init?(exif: [UInt8]) {
        guard let block = ExifBlock(exif) else { return nil }
        func text(_ tag: ExifTag) -> String? {
            block.field(tag).flatMap { block.value(of: $0, maxCount: Self.maxTextByteCount) }?.text
        }
        make = text(.make)
        model = text(.model)
        lensMake = text(.lensMake)
        lensModel = text(.lensModel)
        software = text(.software)
        artist = text(.artist)
        copyright = block.copyright(maxByteCount: Self.maxTextByteCount)
        imageDescription = text(.imageDescription)
        exposureTime = block.rational(.exposureTime).flatMap { $0.numerator > 0 && $0.denominator > 0 ? $0 : nil }
        aperture = block.number(.fNumber).flatMap { $0 > 0 ? $0 : nil }
        iso = block.sensitivity
        exposureBias = block.number(.exposureBias)
        focalLength = block.number(.focalLength).flatMap { $0 > 0 ? $0 : nil }
        focalLengthIn35mmFilm = block.integer(.focalLengthIn35mmFilm).flatMap { $0 > 0 ? $0 : nil }
        flash = block.integer(.flash).flatMap { PhotoFlash(rawValue: $0) }
        originalDate = block.date(.dateTimeOriginal, .subsecondTimeOriginal, .offsetTimeOriginal)
        digitizedDate = block.date(.dateTimeDigitized, .subsecondTimeDigitized, .offsetTimeDigitized)
        modifiedDate = block.date(.dateTime, .subsecondTime, .offsetTime)
        location = PhotoLocation(block)
        orientation = block.bytes.withSpan { exifOrientation(in: $0) }
        let nameByteCount = exif.count - block.bytes.count
        thumbnailRange = block.thumbnailRange.map { $0.lowerBound + nameByteCount..<$0.upperBound + nameByteCount }
    }

    /// The most bytes of a text that are read.
    private static let maxTextByteCount = 65536
}

extension ImageMetadata {
    /// What the EXIF data say about the photograph; `nil` without EXIF data, and if they cannot be read.
    ///
    /// They are read anew whenever this is asked for: keep the result.
    public var photo: PhotoMetadata? { exif.flatMap { PhotoMetadata(exif: $0) } }
}

/// What a flash did.
///
/// - Source: Exif 2.32 §4.6.5, tag 37385 "Flash".
public struct PhotoFlash: RawRepresentable, Hashable, Sendable {
    /// How the camera was told to use it.
    public enum Mode: Int, Hashable, Sendable {
        case forcedOn = 1
        case forcedOff, automatic
    }

    /// The bits of the tag: 0...127.
    public let rawValue: Int

    /// `nil` for bits that the standard does not have.
    public init?(rawValue: Int) {
        guard (0...0x7F).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Whether it fired.
    public var hasFired: Bool { rawValue & 1 != 0 }
    /// Whether light came back to the camera; `nil` if it does not look for that.
    public var hasReturnedLight: Bool? {
        switch rawValue >> 1 & 3 {
        case 2: false
        case 3: true
        default: nil
        }
    }
    /// How the camera was told to use it; `nil` if that is not known.
    public var mode: Mode? { Mode(rawValue: rawValue >> 3 & 3) }
    /// Whether the camera has a flash.
    public var isPresent: Bool { rawValue & 0x20 == 0 }
    /// Whether it was told to fire so that eyes do not look red.
    public var reducesRedEyes: Bool { rawValue & 0x40 != 0 }
}

/// Where and when a picture was taken, as satellites say.
///
/// - Source: Exif 2.32 §4.6.6 "GPS Attribute Information".
public struct PhotoLocation: Hashable, Sendable {
    /// Degrees, north of the equator positive: -90...90. `nil` also if the file does not say on which side.
    public let latitude: Double?
    /// Degrees, east of Greenwich positive: -180...180. `nil` also if the file does not say on which side.
    public let longitude: Double?
    /// Metres above the sea, negative below.
    public let altitude: Double?
    /// The time of the satellites, UTC.
    public let timeStamp: PhotoDate?
    /// Where the camera looked.
    public let direction: Direction?

    /// Where the camera looked, clockwise from north.
    public struct Direction: Hashable, Sendable {
        /// Degrees: 0..<360.
        public let degrees: Double
        /// Whether they are counted from where a compass points; `nil` if the file does not say.
        public let isMagnetic: Bool?
    }

    /// `nil` if the block says nothing of this.
    init?(_ block: ExifBlock) {
        guard block.table(.gps) != nil else { return nil }
        latitude = block.degrees(.gpsLatitude, .gpsLatitudeReference, positive: "N", negative: "S", atMost: 90)
        longitude = block.degrees(.gpsLongitude, .gpsLongitudeReference, positive: "E", negative: "W", atMost: 180)
        // 0 is above the sea, 1 below (2 and 3 of Exif 3.0: of the same meaning, above an ellipsoid).
        let isBelow = block.integer(.gpsAltitudeReference).map { $0 == 1 || $0 == 3 } ?? false
        altitude = block.number(.gpsAltitude).map { isBelow ? -$0 : $0 }
        timeStamp = block.satelliteTime
        direction = block.number(.gpsImageDirection).flatMap { degrees in
            guard (0..<360).contains(degrees) else { return nil }
            let reference = block.field(.gpsImageDirectionReference).flatMap { block.value(of: $0, maxCount: 2) }?.text
            return Direction(degrees: degrees, isMagnetic: reference == "M" ? true : reference == "T" ? false : nil)
        }
        if latitude == nil, longitude == nil, altitude == nil, timeStamp == nil, direction == nil { return nil }
    }
}

extension ExifBlock {
    /// The first of several values.
    fileprivate func first(_ tag: ExifTag) -> ExifValue? { field(tag).flatMap { value(of: $0, maxCount: 1) } }

    fileprivate func integer(_ tag: ExifTag) -> Int? { first(tag)?.integer }

    fileprivate func rational(_ tag: ExifTag) -> ExifRational? { first(tag)?.rationals.first }

    fileprivate func number(_ tag: ExifTag) -> Double? { rational(tag)?.value }

    /// What cameras write into PhotographicSensitivity, which has no room for more than 65535: larger numbers stand elsewhere.
    fileprivate var sensitivity: Int? {
        let first = integer(.photographicSensitivity)
        guard first == nil || first == 0xFFFF else { return first.flatMap { $0 > 0 ? $0 : nil } }
        return (integer(.isoSpeed) ?? integer(.recommendedExposureIndex) ?? first).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Two texts with a zero byte between them; a space stands for a missing first one.
    fileprivate func copyright(maxByteCount: Int) -> String? {
        guard let field = field(.copyright), case .ascii(let text)? = value(of: field, maxCount: maxByteCount) else {
            return nil
        }
        let parts = text.unicodeScalars.split(separator: "\0", maxSplits: 2).prefix(2)
            .compactMap { ExifValue.ascii(String(Substring($0))).text }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    fileprivate func date(_ tag: ExifTag, _ subsecond: ExifTag, _ offset: ExifTag) -> PhotoDate? {
        func text(_ tag: ExifTag) -> String? { field(tag).flatMap { value(of: $0, maxCount: 32) }?.text }
        guard let date = text(tag) else { return nil }
        return PhotoDate(exif: date, subsecond: text(subsecond), offset: text(offset))
    }

    /// Degrees, minutes and seconds as one number.
    fileprivate func degrees(
        _ tag: ExifTag, _ reference: ExifTag, positive: String, negative: String, atMost largest: Double
    ) -> Double? {
        let side = field(reference).flatMap { value(of: $0, maxCount: 2) }?.text
        guard side == positive || side == negative, let parts = triple(tag), let whole = parts.first?.value else {
            return nil
        }
        let minutes = parts.count > 1 ? parts[1].value ?? 0 : 0
        let seconds = parts.count > 2 ? parts[2].value ?? 0 : 0
        let degrees = whole + minutes / 60 + seconds / 3600
        guard whole >= 0, minutes >= 0, seconds >= 0, degrees <= largest else { return nil }
        return side == negative ? -degrees : degrees
    }

    private func triple(_ tag: ExifTag) -> [ExifRational]? {
        field(tag).flatMap { value(of: $0, maxCount: 3) }?.rationals
    }

    fileprivate var satelliteTime: PhotoDate? {
        guard let date = field(.gpsDateStamp).flatMap({ value(of: $0, maxCount: 32) })?.text,
            let parts = triple(.gpsTimeStamp)?.compactMap(\.value), parts.count == 3
        else { return nil }
        return PhotoDate(day: date, hour: parts[0], minute: parts[1], second: parts[2])
    }
}
