// Metadata written back: ICCP before the picture, EXIF and XMP after it.

import ImageCodecsCore
import ImagePhotoMetadata

extension MetadataPlaces {
    /// What WebP files have chunks for.
    static var webP: MetadataPlaces {
        var places = MetadataPlaces([.exif, .xmp, .iccProfile])
        places.profileSpaces = [.rgb]
        return places
    }
}

/// What a file says about its picture besides the pixels.
///
/// Not written, for there is no place: texts, comments, IPTC, density, time, gamma and primaries, what is said about the samples of
/// the original, and a profile of other pixels than RGB.
///
/// - Source: RFC 9649 §2.7.1.4 "Color Profile", §2.7.1.5 "Metadata".
struct WrittenMetadata: Sendable {
    let profile: [UInt8]?
    let exif: [UInt8]?
    let xmp: [UInt8]?

    /// - Parameters:
    ///   - metadata: what is written of it.
    ///   - orientation: how the pixels still have to be turned; always written, as it belongs to the picture.
    /// - Throws: `invalidArgument` for more than a file can hold.
    init(_ metadata: ImageMetadata, orientation: Orientation) throws(ImageError) {
        profile = metadata.iccProfile.flatMap { ICCColorSpace(ofProfile: $0) == .rgb ? $0 : nil }
        exif = ExifBlock.bytes(metadata.exif, orientation: orientation)
        xmp = metadata.xmp.flatMap { $0.isEmpty ? nil : $0 }
        try RIFFWriter.check(chunksByteCount: byteCount)
    }

    /// - Parameters:
    ///   - profile: the payload of ICCP, of any colour space.
    ///   - exif: the payload of EXIF, with or without the name that stands before it in JPEG files.
    ///   - xmp: the payload of `XMP `.
    init(profile: [UInt8]?, exif: [UInt8]?, xmp: [UInt8]?) {
        (self.profile, self.exif, self.xmp) = (profile, exif, xmp)
    }

    /// Whether a simple file is enough.
    var isEmpty: Bool { flags.isEmpty }

    /// What the extended header says of it.
    var flags: ExtendedHeader.Flags {
        var flags = ExtendedHeader.Flags()
        if profile != nil { flags.insert(.colorProfile) }
        if exif != nil { flags.insert(.exif) }
        if xmp != nil { flags.insert(.xmp) }
        return flags
    }

    /// Bytes of the chunks. Saturates.
    var byteCount: Int {
        [profile, exif, xmp].reduce(0) { sum, payload in
            payload.map { sum.addingSaturated(RIFFWriter.byteCount(ofPayload: $0.count)) } ?? sum
        }
    }

    /// Appends what stands before the picture.
    func appendProfile(to file: inout RIFFWriter) {
        if let profile { file.append(.colorProfile, profile) }
    }

    /// Appends what stands after it.
    func appendRest(to file: inout RIFFWriter) {
        if let exif { file.append(.exif, exif) }
        if let xmp { file.append(.xmp, xmp) }
    }
}
