// What a format has a place for, and what becomes of metadata in it.
//
// Every format says once what it holds. The session leaves out everything else before an encoder sees it, and records what that was.

package import ImageCodecsCore

/// What files of a format can say about a picture.
package struct MetadataPlaces: Hashable, Sendable {
    /// Kinds that have a place of their own.
    package var kinds: Set<ImageMetadata.Kind>
    /// What the samples of the format may be, so that profiles of such samples can go with them.
    package var profileSpaces: Set<ICCColorSpace> = [.gray, .rgb]
    /// Whether the only density that has a place is a ratio.
    package var densityIsRatio = false
    /// Whether texts without a place of their own become properties of the XMP packet, as far as it has such.
    package var textsBecomeXMP = false

    package init(_ kinds: Set<ImageMetadata.Kind>) { self.kinds = kinds }

    /// Nothing is known of the format: its coder gets all.
    package static let unknown = MetadataPlaces(Set(ImageMetadata.Kind.allCases))
}

extension ImageMetadata {
    /// These metadata as a file with such places has them, the kinds of which something is lost, and those of them of which some items are kept.
    ///
    /// Comments and texts of the keyword `Comment` are the same. Not lost, though left out, is what says nothing, or only something about
    /// the samples of the file that was read: rendering intents and whatever else describes sRGB, ratios of 1, significant bits that are all
    /// of eight, histograms, and backgrounds that are entries of a palette.
    package func fitted(
        to places: MetadataPlaces
    ) -> (metadata: ImageMetadata, lost: Set<Kind>, partlyKept: Set<Kind>) {
        guard !isUntouched else { return (self, [], []) }
        var fitted = self
        var lost: Set<Kind> = []
        if !places.kinds.contains(.texts), !texts.isEmpty {
            if places.kinds.contains(.comments) {
                fitted.comments += fitted.texts.filter(\.isComment).map(\.text)
                fitted.texts.removeAll(where: \.isComment)
            }
            if places.textsBecomeXMP { fitted.moveTextsToXMP() }
        }
        if let profile = iccProfile, !places.profileSpaces.contains(ICCColorSpace(ofProfile: profile)) {
            (fitted.iccProfile, fitted.iccProfileName) = (nil, nil)
            lost.insert(.iccProfile)
        }
        if places.densityIsRatio, let density, density.unit != .aspectRatio {
            fitted.density?.unit = .aspectRatio
            lost.insert(.density)
        }
        for kind in Kind.allCases where !places.kinds.contains(kind) && fitted.has(kind) {
            if fitted.isLessWithout(kind, in: places) { lost.insert(kind) }
        }
        let partlyKept: Set<Kind> = lost.contains(.texts) && fitted.texts.count < texts.count ? [.texts] : []
        for kind in Kind.allCases where !places.kinds.contains(kind) { fitted.take(kind, from: ImageMetadata()) }
        // The orientation belongs to the picture, not to its EXIF data.
        fitted.orientation = orientation
        return (fitted, lost, partlyKept)
    }

    /// Whether the picture is described less well without what it says of this kind.
    private func isLessWithout(_ kind: Kind, in places: MetadataPlaces) -> Bool {
        switch kind {
        case .exif: return exif != nil
        case .renderingIntent, .histogram: return false
        // An index means nothing without its palette; every GIF file has one.
        case .background: if case .paletteIndex = background { return false } else { return true }
        case .significantBits: return significantBits?.contains { $0 < 8 } ?? false
        case .density:
            guard let density, density.unit != .aspectRatio || density.x != density.y else { return false }
            // EXIF data that go along say it too.
            let resolution = ExifTag(.main, 0x011A)
            return !places.kinds.contains(.exif) || exif.flatMap { ExifBlock($0) }?.field(resolution) == nil
        case .codePoints: return codePoints != .sRGB
        // Code points and profiles beat them, and a rendering intent says that they are those of sRGB.
        case .gamma: return isDescribedByGamma && gamma.map { !Self.gammaOfSRGB.contains($0) } ?? false
        case .chromaticities: return isDescribedByGamma && chromaticities.map { $0 != .sRGB } ?? false
        default: return true
        }
    }

    private var isDescribedByGamma: Bool { codePoints == nil && iccProfile == nil && renderingIntent == nil }

    /// 1/2.2 as files have it, rounded in several ways.
    private static let gammaOfSRGB: ClosedRange<UInt32> = 45_000...46_000
}

extension TextEntry {
    /// Whether it is what other formats have comments for.
    fileprivate var isComment: Bool { keyword.lowercased() == "comment" }
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
