// Names and types of tags, as the standards list them.

/// What the standards say of each tag.
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.6.4 "TIFF Rev. 6.0 Attribute Information", §4.6.5 "Exif IFD Attribute
///   Information", §4.6.6 "GPS Attribute Information", §4.6.7 "Interoperability IFD Attribute Information"; TIFF 6.0,
///   section 8 "Baseline Field Reference Guide".
enum ExifTagTable {
    struct Definition: Sendable {
        let name: String
        let type: ExifValueType
    }

    private typealias Row = (number: UInt16, name: String, type: ExifValueType)

    static func definition(of tag: ExifTag) -> Definition? { definitions[tag] }

    /// - Parameter name: in lower case.
    static func tag(named name: String, in directory: ExifDirectory) -> ExifTag? { tags[directory]?[name] }

    private static let definitions: [ExifTag: Definition] = {
        var definitions: [ExifTag: Definition] = [:]
        for directory in ExifDirectory.allCases {
            for row in rows(of: directory) {
                definitions[ExifTag(directory, row.number)] = Definition(name: row.name, type: row.type)
            }
        }
        return definitions
    }()

    private static let tags: [ExifDirectory: [String: ExifTag]] = {
        var tags: [ExifDirectory: [String: ExifTag]] = [:]
        for (tag, definition) in definitions { tags[tag.directory, default: [:]][definition.name.lowercased()] = tag }
        return tags
    }()

    private static func rows(of directory: ExifDirectory) -> [Row] {
        switch directory {
        case .main, .thumbnail: picture
        case .exif: exif
        case .interoperability: interoperability
        case .gps: gps
        }
    }

    private static let picture: [Row] = [
        (0x0100, "ImageWidth", .long),
        (0x0101, "ImageLength", .long),
        (0x0102, "BitsPerSample", .short),
        (0x0103, "Compression", .short),
        (0x0106, "PhotometricInterpretation", .short),
        (0x010A, "FillOrder", .short),
        (0x010D, "DocumentName", .ascii),
        (0x010E, "ImageDescription", .ascii),
        (0x010F, "Make", .ascii),
        (0x0110, "Model", .ascii),
        (0x0111, "StripOffsets", .long),
        (0x0112, "Orientation", .short),
        (0x0115, "SamplesPerPixel", .short),
        (0x0116, "RowsPerStrip", .long),
        (0x0117, "StripByteCounts", .long),
        (0x011A, "XResolution", .rational),
        (0x011B, "YResolution", .rational),
        (0x011C, "PlanarConfiguration", .short),
        (0x0128, "ResolutionUnit", .short),
        (0x012D, "TransferFunction", .short),
        (0x0131, "Software", .ascii),
        (0x0132, "DateTime", .ascii),
        (0x013B, "Artist", .ascii),
        (0x013C, "HostComputer", .ascii),
        (0x013E, "WhitePoint", .rational),
        (0x013F, "PrimaryChromaticities", .rational),
        (0x0201, "JPEGInterchangeFormat", .long),
        (0x0202, "JPEGInterchangeFormatLength", .long),
        (0x0211, "YCbCrCoefficients", .rational),
        (0x0212, "YCbCrSubSampling", .short),
        (0x0213, "YCbCrPositioning", .short),
        (0x0214, "ReferenceBlackWhite", .rational),
        (0x8298, "Copyright", .ascii),
        (0x8769, "ExifIFDPointer", .long),
        (0x8825, "GPSInfoIFDPointer", .long),
    ]

    private static let exif: [Row] = [
        (0x829A, "ExposureTime", .rational),
        (0x829D, "FNumber", .rational),
        (0x8822, "ExposureProgram", .short),
        (0x8824, "SpectralSensitivity", .ascii),
        (0x8827, "PhotographicSensitivity", .short),
        (0x8828, "OECF", .undefined),
        (0x8830, "SensitivityType", .short),
        (0x8831, "StandardOutputSensitivity", .long),
        (0x8832, "RecommendedExposureIndex", .long),
        (0x8833, "ISOSpeed", .long),
        (0x8834, "ISOSpeedLatitudeyyy", .long),
        (0x8835, "ISOSpeedLatitudezzz", .long),
        (0x9000, "ExifVersion", .undefined),
        (0x9003, "DateTimeOriginal", .ascii),
        (0x9004, "DateTimeDigitized", .ascii),
        (0x9010, "OffsetTime", .ascii),
        (0x9011, "OffsetTimeOriginal", .ascii),
        (0x9012, "OffsetTimeDigitized", .ascii),
        (0x9101, "ComponentsConfiguration", .undefined),
        (0x9102, "CompressedBitsPerPixel", .rational),
        (0x9201, "ShutterSpeedValue", .signedRational),
        (0x9202, "ApertureValue", .rational),
        (0x9203, "BrightnessValue", .signedRational),
        (0x9204, "ExposureBiasValue", .signedRational),
        (0x9205, "MaxApertureValue", .rational),
        (0x9206, "SubjectDistance", .rational),
        (0x9207, "MeteringMode", .short),
        (0x9208, "LightSource", .short),
        (0x9209, "Flash", .short),
        (0x920A, "FocalLength", .rational),
        (0x9214, "SubjectArea", .short),
        (0x927C, "MakerNote", .undefined),
        (0x9286, "UserComment", .undefined),
        (0x9290, "SubSecTime", .ascii),
        (0x9291, "SubSecTimeOriginal", .ascii),
        (0x9292, "SubSecTimeDigitized", .ascii),
        (0x9400, "Temperature", .signedRational),
        (0x9401, "Humidity", .rational),
        (0x9402, "Pressure", .rational),
        (0x9403, "WaterDepth", .signedRational),
        (0x9404, "Acceleration", .rational),
        (0x9405, "CameraElevationAngle", .signedRational),
        (0xA000, "FlashpixVersion", .undefined),
        (0xA001, "ColorSpace", .short),
        (0xA002, "PixelXDimension", .long),
        (0xA003, "PixelYDimension", .long),
        (0xA004, "RelatedSoundFile", .ascii),
        (0xA005, "InteroperabilityIFDPointer", .long),
        (0xA20B, "FlashEnergy", .rational),
        (0xA20C, "SpatialFrequencyResponse", .undefined),
        (0xA20E, "FocalPlaneXResolution", .rational),
        (0xA20F, "FocalPlaneYResolution", .rational),
        (0xA210, "FocalPlaneResolutionUnit", .short),
        (0xA214, "SubjectLocation", .short),
        (0xA215, "ExposureIndex", .rational),
        (0xA217, "SensingMethod", .short),
        (0xA300, "FileSource", .undefined),
        (0xA301, "SceneType", .undefined),
        (0xA302, "CFAPattern", .undefined),
        (0xA401, "CustomRendered", .short),
        (0xA402, "ExposureMode", .short),
        (0xA403, "WhiteBalance", .short),
        (0xA404, "DigitalZoomRatio", .rational),
        (0xA405, "FocalLengthIn35mmFilm", .short),
        (0xA406, "SceneCaptureType", .short),
        (0xA407, "GainControl", .short),
        (0xA408, "Contrast", .short),
        (0xA409, "Saturation", .short),
        (0xA40A, "Sharpness", .short),
        (0xA40B, "DeviceSettingDescription", .undefined),
        (0xA40C, "SubjectDistanceRange", .short),
        (0xA420, "ImageUniqueID", .ascii),
        (0xA430, "CameraOwnerName", .ascii),
        (0xA431, "BodySerialNumber", .ascii),
        (0xA432, "LensSpecification", .rational),
        (0xA433, "LensMake", .ascii),
        (0xA434, "LensModel", .ascii),
        (0xA435, "LensSerialNumber", .ascii),
        (0xA460, "CompositeImage", .short),
        (0xA461, "SourceImageNumberOfCompositeImage", .short),
        (0xA462, "SourceExposureTimesOfCompositeImage", .undefined),
        (0xA500, "Gamma", .rational),
    ]

    private static let gps: [Row] = [
        (0x0000, "GPSVersionID", .byte),
        (0x0001, "GPSLatitudeRef", .ascii),
        (0x0002, "GPSLatitude", .rational),
        (0x0003, "GPSLongitudeRef", .ascii),
        (0x0004, "GPSLongitude", .rational),
        (0x0005, "GPSAltitudeRef", .byte),
        (0x0006, "GPSAltitude", .rational),
        (0x0007, "GPSTimeStamp", .rational),
        (0x0008, "GPSSatellites", .ascii),
        (0x0009, "GPSStatus", .ascii),
        (0x000A, "GPSMeasureMode", .ascii),
        (0x000B, "GPSDOP", .rational),
        (0x000C, "GPSSpeedRef", .ascii),
        (0x000D, "GPSSpeed", .rational),
        (0x000E, "GPSTrackRef", .ascii),
        (0x000F, "GPSTrack", .rational),
        (0x0010, "GPSImgDirectionRef", .ascii),
        (0x0011, "GPSImgDirection", .rational),
        (0x0012, "GPSMapDatum", .ascii),
        (0x0013, "GPSDestLatitudeRef", .ascii),
        (0x0014, "GPSDestLatitude", .rational),
        (0x0015, "GPSDestLongitudeRef", .ascii),
        (0x0016, "GPSDestLongitude", .rational),
        (0x0017, "GPSDestBearingRef", .ascii),
        (0x0018, "GPSDestBearing", .rational),
        (0x0019, "GPSDestDistanceRef", .ascii),
        (0x001A, "GPSDestDistance", .rational),
        (0x001B, "GPSProcessingMethod", .undefined),
        (0x001C, "GPSAreaInformation", .undefined),
        (0x001D, "GPSDateStamp", .ascii),
        (0x001E, "GPSDifferential", .short),
        (0x001F, "GPSHPositioningError", .rational),
    ]

    private static let interoperability: [Row] = [
        (0x0001, "InteroperabilityIndex", .ascii),
        (0x0002, "InteroperabilityVersion", .undefined),
        (0x1000, "RelatedImageFileFormat", .ascii),
        (0x1001, "RelatedImageWidth", .long),
        (0x1002, "RelatedImageLength", .long),
    ]
}
