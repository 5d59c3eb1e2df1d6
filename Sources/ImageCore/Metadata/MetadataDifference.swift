// What differs between the metadata of a file and those it is to have.

/// Two descriptions of a picture, for coders that replace only what differs.
package struct MetadataDifference {
    /// What coders write by itself.
    package enum Part: Hashable, Sendable {
        /// The orientation is a part of it.
        case exif
        case xmp, iptc, comments, modificationTime
        case iccProfile
        /// The name of the profile, and what stands in its place.
        case profileName
        case gamma, chromaticities, codePoints
        case density, significantBits, background, histogram, suggestedPalettes
    }

    package let before: ImageMetadata
    package let after: ImageMetadata
    /// Found once: a file may have many small chunks, and asks for each.
    private let changed: Set<Part>

    package init(from before: ImageMetadata, to after: ImageMetadata) {
        (self.before, self.after) = (before, after)
        let isChanged: [Part: Bool] = [
            .exif: before.exif != after.exif || before.orientation != after.orientation,
            .xmp: before.xmp != after.xmp,
            .iptc: before.iptc != after.iptc,
            .comments: before.comments != after.comments,
            .modificationTime: before.modificationTime != after.modificationTime,
            .iccProfile: before.iccProfile != after.iccProfile,
            .profileName: before.iccProfileName != after.iccProfileName
                || before.renderingIntent != after.renderingIntent,
            .gamma: before.gamma != after.gamma,
            .chromaticities: before.chromaticities != after.chromaticities,
            .codePoints: before.codePoints != after.codePoints,
            .density: before.density != after.density,
            .significantBits: before.significantBits != after.significantBits,
            .background: before.background != after.background,
            .histogram: before.histogram != after.histogram,
            .suggestedPalettes: before.suggestedPalettes != after.suggestedPalettes,
        ]
        changed = Set(isChanged.filter(\.value).keys)
    }

    /// Whether a part differs.
    package func changes(_ part: Part) -> Bool { changed.contains(part) }
}
