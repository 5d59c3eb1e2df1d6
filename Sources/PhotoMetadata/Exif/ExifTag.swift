// Which value of EXIF data is meant: a number, and the directory in which it has that meaning.

/// A directory of EXIF data.
///
/// ```
/// header ─▶ main ─┬─ tag 0x8769 ─▶ exif ── tag 0xA005 ─▶ interoperability
///             │   └─ tag 0x8825 ─▶ gps
///             └─ next directory ─▶ thumbnail
/// ```
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.6.3 "Exif-specific IFD"; §4.5.5 "Basic Structure of Thumbnail Data".
public enum ExifDirectory: String, CaseIterable, Hashable, Sendable {
    /// The first one: what the picture is of, make and model of the camera, orientation.
    case main
    /// How the picture was taken.
    case exif
    /// Which rules the file keeps.
    case interoperability
    /// Where and when it was taken, as satellites say.
    case gps
    /// What is known of a small picture beside the main one.
    case thumbnail
}

/// A tag of EXIF data.
///
/// One number means different things in different directories, so a tag is both.
///
/// ```swift
/// let artist = block[.artist]
/// let note = block[ExifTag(.exif, 0x927C)]
/// ```
public struct ExifTag: Hashable, Sendable {
    /// Where it stands.
    public let directory: ExifDirectory
    /// The number in the file.
    public let number: UInt16

    /// A tag by its number.
    public init(_ directory: ExifDirectory, _ number: UInt16) {
        self.directory = directory
        self.number = number
    }

    /// A tag by the name that the standard gives it, or by directory and number: `Artist`, `gps:GPSAltitude`, `main:0x9C9B`.
    ///
    /// A name without directory is looked for in the order of ``ExifDirectory``. Upper and lower case are the same.
    public init?(named text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let directory = parts.count == 2 ? ExifDirectory(rawValue: parts[0].lowercased()) : nil
        guard parts.count == 1 || directory != nil, let name = parts.last?.lowercased() else { return nil }
        if let directory, name.hasPrefix("0x"), let number = UInt16(name.dropFirst(2), radix: 16) {
            self.init(directory, number)
            return
        }
        for candidate in directory.map({ [$0] }) ?? ExifDirectory.allCases {
            if let found = ExifTagTable.tag(named: name, in: candidate) {
                self = found
                return
            }
        }
        return nil
    }

    /// The name that the standard gives it; `nil` for tags that are not in it.
    public var name: String? { ExifTagTable.definition(of: self)?.name }

    /// The type of the values that the standard asks for; the first one if it allows several. `nil` for tags that are not in it.
    public var valueType: ExifValueType? { ExifTagTable.definition(of: self)?.type }

    /// What leads to another directory, or to the picture of one; `nil` for tags with values of their own.
    var target: ExifDirectory? {
        switch (directory, number) {
        case (.main, 0x8769): .exif
        case (.main, 0x8825): .gps
        case (.exif, 0xA005): .interoperability
        case (.thumbnail, 0x0111), (.thumbnail, 0x0117), (.thumbnail, 0x0201), (.thumbnail, 0x0202): .thumbnail
        default: nil
        }
    }
}

// The tags that PhotoMetadata is made of, and those that are edited most.
extension ExifTag {
    /// What the picture shows, a text.
    public static let imageDescription = ExifTag(.main, 0x010E)
    /// Who made the camera, a text.
    public static let make = ExifTag(.main, 0x010F)
    /// The model of the camera, a text.
    public static let model = ExifTag(.main, 0x0110)
    /// How the picture has to be turned: 1...8, as `Orientation`'s raw values.
    public static let orientation = ExifTag(.main, 0x0112)
    /// The program or firmware that wrote the file, a text.
    public static let software = ExifTag(.main, 0x0131)
    /// When the file was changed, `2024:05:31 18:04:59`.
    public static let dateTime = ExifTag(.main, 0x0132)
    /// Who took the picture, a text.
    public static let artist = ExifTag(.main, 0x013B)
    /// Who has rights in it, a text of one or two parts.
    public static let copyright = ExifTag(.main, 0x8298)

    /// Seconds, a fraction.
    public static let exposureTime = ExifTag(.exif, 0x829A)
    /// The f-number, a fraction.
    public static let fNumber = ExifTag(.exif, 0x829D)
    /// Sensitivity as ISO 12232 counts; other names are ISO and ISOSpeedRatings.
    public static let photographicSensitivity = ExifTag(.exif, 0x8827)
    /// One of the sensitivities of ISO 12232, for numbers above 65535.
    public static let recommendedExposureIndex = ExifTag(.exif, 0x8832)
    /// Another of them.
    public static let isoSpeed = ExifTag(.exif, 0x8833)
    /// When the picture was taken, `2024:05:31 18:04:59`.
    public static let dateTimeOriginal = ExifTag(.exif, 0x9003)
    /// When it became digital, in the same form.
    public static let dateTimeDigitized = ExifTag(.exif, 0x9004)
    /// The offset from UTC of ``dateTime``, `+09:00`.
    public static let offsetTime = ExifTag(.exif, 0x9010)
    /// The offset from UTC of ``dateTimeOriginal``.
    public static let offsetTimeOriginal = ExifTag(.exif, 0x9011)
    /// The offset from UTC of ``dateTimeDigitized``.
    public static let offsetTimeDigitized = ExifTag(.exif, 0x9012)
    /// Steps of exposure (EV), a fraction with a sign.
    public static let exposureBias = ExifTag(.exif, 0x9204)
    /// What the flash did; see ``PhotoFlash``.
    public static let flash = ExifTag(.exif, 0x9209)
    /// Millimetres, a fraction.
    public static let focalLength = ExifTag(.exif, 0x920A)
    /// What the maker of the camera keeps to itself.
    public static let makerNote = ExifTag(.exif, 0x927C)
    /// A comment: eight bytes that name its coding, and text.
    public static let userComment = ExifTag(.exif, 0x9286)
    /// Digits after the decimal point of the seconds of ``dateTime``.
    public static let subsecondTime = ExifTag(.exif, 0x9290)
    /// The same for ``dateTimeOriginal``.
    public static let subsecondTimeOriginal = ExifTag(.exif, 0x9291)
    /// The same for ``dateTimeDigitized``.
    public static let subsecondTimeDigitized = ExifTag(.exif, 0x9292)
    /// Millimetres on 35 mm film with the same angle of view.
    public static let focalLengthIn35mmFilm = ExifTag(.exif, 0xA405)
    /// Who made the lens, a text.
    public static let lensMake = ExifTag(.exif, 0xA433)
    /// The model of the lens, a text.
    public static let lensModel = ExifTag(.exif, 0xA434)

    /// `N` or `S`.
    public static let gpsLatitudeReference = ExifTag(.gps, 1)
    /// Degrees, minutes and seconds, three fractions.
    public static let gpsLatitude = ExifTag(.gps, 2)
    /// `E` or `W`.
    public static let gpsLongitudeReference = ExifTag(.gps, 3)
    /// Degrees, minutes and seconds, three fractions.
    public static let gpsLongitude = ExifTag(.gps, 4)
    /// 0 above the sea, 1 below, a byte.
    public static let gpsAltitudeReference = ExifTag(.gps, 5)
    /// Metres, a fraction.
    public static let gpsAltitude = ExifTag(.gps, 6)
    /// Hours, minutes and seconds in UTC, three fractions.
    public static let gpsTimeStamp = ExifTag(.gps, 7)
    /// `T` for degrees from true north, `M` from magnetic north.
    public static let gpsImageDirectionReference = ExifTag(.gps, 0x10)
    /// Degrees, a fraction.
    public static let gpsImageDirection = ExifTag(.gps, 0x11)
    /// The day in UTC, `2024:05:31`.
    public static let gpsDateStamp = ExifTag(.gps, 0x1D)

    static let exifPointer = ExifTag(.main, 0x8769)
    static let gpsPointer = ExifTag(.main, 0x8825)
    static let interoperabilityPointer = ExifTag(.exif, 0xA005)
    static let stripOffsets = ExifTag(.thumbnail, 0x0111)
    static let stripByteCounts = ExifTag(.thumbnail, 0x0117)
    static let pictureOffset = ExifTag(.thumbnail, 0x0201)
    static let pictureByteCount = ExifTag(.thumbnail, 0x0202)
}
