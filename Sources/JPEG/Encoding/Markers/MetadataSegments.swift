// What a file says about its picture besides the pixels: the segments between SOI and the tables.
//
// In: metadata of an image and what its components mean. Out: APPn and COM segments in the order of other encoders:
// JFIF, EXIF, XMP, profile, Photoshop resources, Adobe, comments.

package import ImageCodecsCore
package import ImagePhotoMetadata
package import JPEGBaselineCodec

extension MetadataPlaces {
    /// What JPEG files have segments for.
    package static var jpeg: MetadataPlaces {
        var places = MetadataPlaces([.exif, .xmp, .iptc, .iccProfile, .density, .comments])
        places.profileSpaces = [.gray, .rgb, .cmyk]
        places.textsBecomeXMP = true
        return places
    }
}

/// A kind of segment that says something about the picture.
package enum MetadataPart: CaseIterable, Sendable {
    /// JFIF.
    case density
    case exif, xmp, profile
    /// Photoshop's, IPTC data among them.
    case resources
    /// Adobe's, which says what components mean.
    case transform
    case comments
    /// The index of further pictures (MPF), which is kept or left out, never written anew.
    case furtherPictures

    /// What a segment belongs to; `nil` if that is not known.
    package init?(_ marker: Marker, _ body: Span<UInt8>) {
        switch marker {
        case .app0 where body.hasBytes("JFIF\0"): self = .density
        case .app1 where body.hasBytes("Exif\0"): self = .exif
        case .app1 where ExtendedXMP.isSegment(body): self = .xmp
        case .app2 where body.hasBytes("ICC_PROFILE\0"): self = .profile
        case .app2 where body.hasBytes("MPF\0"): self = .furtherPictures
        case .app13 where body.hasBytes("Photoshop 3.0\0"): self = .resources
        case .app14 where body.hasBytes("Adobe"): self = .transform
        case .com: self = .comments
        default: return nil
        }
    }
}

/// The application segments and comments of one file.
///
/// JPEG has no place for keywords with text (some of which become XMP, see ``MetadataPlaces/textsBecomeXMP``), gamma, chromaticities, rendering intents, code points, significant bits,
/// backgrounds, histograms, palettes and times: they are left out. Density belongs to JFIF, and is written with gray
/// and Y'CbCr pictures.
///
/// - Source: ITU-T T.871 (2011) §10 "JFIF file syntax"; Exif 2.32 §4.7.2 "Interoperability Structure of APP1 in
///   Compressed Data"; ICC.1:2010 §B.4 "Embedding ICC profiles in JFIF files"; Adobe Technical Note 5116 §18 "Adobe
///   marker"; XMP Part 3 (2020) §1.1.3 "JPEG".
package struct MetadataSegments: Sendable {
    /// The most bytes of EXIF data.
    package static let largestExif = MarkerWriter.largestBody - exifName.count
    /// The most bytes of a profile.
    package static let largestProfile = 255 * largestPiece
    /// The most bytes of a piece of a profile or of resources: both names have 14 bytes, with numbers or without.
    private static let largestPiece = MarkerWriter.largestBody - resourceNameByteCount
    /// Bytes of the name before Photoshop's resources.
    package static let resourceNameByteCount = 14

    private static let exifName = Array("Exif\0\0".utf8)

    private let metadata: ImageMetadata
    private let orientation: Orientation
    private let colorModel: JPEGColorModel

    /// - Parameters:
    ///   - metadata: what is written of it; empty for a file without.
    ///   - orientation: how the pixels still have to be turned; always written, as it belongs to the picture.
    package init(_ metadata: ImageMetadata, orientation: Orientation, colorModel: JPEGColorModel) {
        self.metadata = metadata
        self.orientation = orientation
        self.colorModel = colorModel
    }

    /// The segments, in the order of ``MetadataPart``.
    ///
    /// EXIF data that are no TIFF structure are left out, and so is a profile of another colour space.
    ///
    /// - Throws: `invalidArgument` if something is too long: it names what, and the most bytes there may be.
    package func bytes() throws(ImageError) -> [UInt8] {
        var markers = MarkerWriter()
        for part in MetadataPart.allCases { try append(part, to: &markers) }
        return markers.bytes
    }

    /// Appends the segments of one part, if there is anything to say.
    ///
    /// - Throws: as ``bytes()``.
    package func append(_ part: MetadataPart, to markers: inout MarkerWriter) throws(ImageError) {
        switch part {
        case .density:
            if colorModel == .grayscale || colorModel == .yCbCr { markers.append(.app0, jfif) }
        case .exif:
            guard let exif = ExifBlock.bytes(metadata.exif, orientation: orientation) else { return }
            try Self.check("EXIF data", exif.count, atMost: Self.largestExif)
            markers.append(.app1, Self.exifName + exif)
        case .xmp:
            guard let xmp = metadata.xmp else { return }
            // Both lengths of an extension are numbers of 32 bits.
            try Self.check("an XMP packet", xmp.count, atMost: Int(UInt32.max))
            for body in ExtendedXMP(xmp).segmentBodies { markers.append(.app1, body) }
        case .profile: try appendProfile(to: &markers)
        case .resources:
            guard let iptc = metadata.iptc else { return }
            for piece in Self.pieces(of: iptc) { markers.append(.app13, Array("Photoshop 3.0\0".utf8) + piece) }
        case .transform:
            // Version 100, no flags.
            if let transform = adobeTransform {
                markers.append(.app14, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
            }
        case .comments:
            for comment in metadata.comments {
                for piece in Self.pieces(ofComment: Array(comment.utf8)) { markers.append(.com, Array(piece)) }
            }
        case .furtherPictures: break
        }
    }

    /// Records what does not go with pictures of this colour model.
    package func recordLosses(in losses: LossLog?) {
        if let profile = metadata.iccProfile, ICCColorSpace(ofProfile: profile) != colorModel.profileColorSpace {
            losses?.record([.iccProfile])
        }
        if colorModel != .grayscale, colorModel != .yCbCr, metadata.density != nil { losses?.record([.density]) }
    }

    private static func check(_ item: String, _ count: Int, atMost largest: Int) throws(ImageError) {
        guard count <= largest else {
            throw .invalidArgument("\(item) of \(count) bytes: a JPEG file has room for \(largest)")
        }
    }

    /// A comment in as many segments as it takes, none of which ends inside a character.
    private static func pieces(ofComment text: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = text[...]
        while rest.count > MarkerWriter.largestBody {
            var end = rest.startIndex + MarkerWriter.largestBody
            while rest[end] & 0xC0 == 0x80 { end -= 1 }
            pieces.append(rest[..<end])
            rest = rest[end...]
        }
        return pieces + [rest]
    }

    private static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: largestPiece).map { bytes[$0..<min($0 + largestPiece, bytes.count)] }
    }

    /// `JFIF\0`, version 1.01, density unit, two densities, no thumbnail.
    private var jfif: [UInt8] {
        let (unit, x, y) = metadata.density?.jfifValues ?? (0, 1, 1)
        return Array("JFIF\0".utf8)
            + [1, 1, unit, UInt8(x >> 8), UInt8(x & 255), UInt8(y >> 8), UInt8(y & 255), 0, 0]
    }

    /// What an Adobe segment says of the components; `nil` if JFIF does, or there is one only.
    private var adobeTransform: UInt8? {
        switch colorModel {
        case .grayscale, .yCbCr: nil
        case .rgb, .cmyk: 0
        case .ycck: 2
        }
    }

    private func appendProfile(to markers: inout MarkerWriter) throws(ImageError) {
        guard let profile = metadata.iccProfile, ICCColorSpace(ofProfile: profile) == colorModel.profileColorSpace
        else { return }
        try Self.check("an ICC profile", profile.count, atMost: Self.largestProfile)
        let pieces = Self.pieces(of: profile)
        for (index, piece) in pieces.enumerated() {
            markers.append(
                .app2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(pieces.count)] + piece)
        }
    }
}

extension JPEGColorModel {
    /// The colour space of the profiles that may go with pictures of this model.
    fileprivate var profileColorSpace: ICCColorSpace {
        switch self {
        case .grayscale: .gray
        case .rgb, .yCbCr: .rgb
        case .cmyk, .ycck: .cmyk
        }
    }
}

extension PixelDensity {
    /// Unit and numbers of a JFIF segment: per inch or centimetre, or a ratio; `nil` if a number is 0.
    ///
    /// Pixels per metre become pixels per inch, rounded. Numbers above 65535 become a ratio.
    fileprivate var jfifValues: (unit: UInt8, x: UInt32, y: UInt32)? {
        guard x > 0, y > 0 else { return nil }
        let (code, values): (UInt8, [UInt64]) =
            switch unit {
            case .aspectRatio: (0, [UInt64(x), UInt64(y)])
            case .inch: (1, [UInt64(x), UInt64(y)])
            case .centimeter: (2, [UInt64(x), UInt64(y)])
            case .meter: (1, [x, y].map { max(1, (UInt64($0) * 254 + 5000) / 10000) })
            }
        let largest = values.reduce(0, max)
        guard largest > 0xFFFF else { return (code, UInt32(values[0]), UInt32(values[1])) }
        return (0, UInt32(max(1, values[0] * 0xFFFF / largest)), UInt32(max(1, values[1] * 0xFFFF / largest)))
    }
}
