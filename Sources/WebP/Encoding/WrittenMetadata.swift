// Metadata written back: ICCP before the picture, EXIF and XMP after it.

import ImageCodecsCore

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

extension ImageMetadata {
    /// Records what a WebP file has no place for.
    func recordLosses(in losses: LossLog?) {
        guard let losses else { return }
        if describesOtherColors { losses.record(.colorDescription) }
        if !texts.isEmpty || !comments.isEmpty || iptc != nil { losses.record(.texts) }
    }

    /// Whether colours are meant in a way that the file cannot say: pixels without a profile are sRGB.
    ///
    /// - Source: RFC 9649 §2.7.1.4 "Color Profile".
    private var describesOtherColors: Bool {
        if let codePoints, codePoints != .sRGB { return true }
        if let iccProfile { return ICCColorSpace(ofProfile: iccProfile) != .rgb }
        guard codePoints == nil, renderingIntent == nil else { return false }
        return gamma.map { !Self.gammaOfSRGB.contains($0) } ?? false || chromaticities.map { $0 != .sRGB } ?? false
    }

    /// 1/2.2 as files have it, rounded in several ways.
    private static let gammaOfSRGB: ClosedRange<UInt32> = 45_000...46_000
}

extension CodingIndependentCodePoints {
    /// The primaries and the transfer function of sRGB.
    ///
    /// - Source: ITU-T H.273, tables 2 and 3.
    fileprivate static let sRGB = CodingIndependentCodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
}

extension Chromaticities {
    /// Those of sRGB.
    ///
    /// - Source: PNG 3rd ed. §11.3.2.5 "sRGB Standard RGB colour space".
    fileprivate static let sRGB = Chromaticities(
        white: Point(x: 31270, y: 32900), red: Point(x: 64000, y: 33000), green: Point(x: 30000, y: 60000),
        blue: Point(x: 15000, y: 6000))
}
