// The kinds of metadata, each of which a format has a place for or not.

extension ImageMetadata {
    /// Something that files say about a picture besides its pixels.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// ``ImageMetadata/exif`` and ``ImageMetadata/orientation``, which is a part of it.
        case exif
        case xmp, iptc, texts, comments, modificationTime
        case iccProfile
        /// ``ImageMetadata/renderingIntent``, in whose place ``ImageMetadata/iccProfileName`` stands.
        case renderingIntent
        case gamma, chromaticities, codePoints, masteringDisplay, contentLight
        case density, significantBits, background, histogram, suggestedPalettes
        case placement, stereoLayout, physicalScale, calibration, furtherPictures
    }

    /// Whether others say the same of this kind.
    package func equals(_ other: ImageMetadata, in kind: Kind) -> Bool {
        switch kind {
        case .exif: exif == other.exif && orientation == other.orientation
        case .xmp: xmp == other.xmp
        case .iptc: iptc == other.iptc
        case .texts: texts == other.texts
        case .comments: comments == other.comments
        case .modificationTime: modificationTime == other.modificationTime
        case .iccProfile: iccProfile == other.iccProfile
        case .renderingIntent: iccProfileName == other.iccProfileName && renderingIntent == other.renderingIntent
        case .gamma: gamma == other.gamma
        case .chromaticities: chromaticities == other.chromaticities
        case .codePoints: codePoints == other.codePoints
        case .masteringDisplay: masteringDisplay == other.masteringDisplay
        case .contentLight: contentLight == other.contentLight
        case .density: density == other.density
        case .significantBits: significantBits == other.significantBits
        case .background: background == other.background
        case .histogram: histogram == other.histogram
        case .suggestedPalettes: suggestedPalettes == other.suggestedPalettes
        case .placement: placement == other.placement
        case .stereoLayout: stereoLayout == other.stereoLayout
        case .physicalScale: physicalScale == other.physicalScale
        case .calibration: calibration == other.calibration
        case .furtherPictures: furtherPictures == other.furtherPictures
        }
    }

    /// Whether anything of this kind is there.
    package func has(_ kind: Kind) -> Bool { !equals(ImageMetadata(), in: kind) }

    /// Takes what others say of a kind.
    package mutating func take(_ kind: Kind, from other: ImageMetadata) {
        switch kind {
        case .exif: (exif, orientation) = (other.exif, other.orientation)
        case .xmp: xmp = other.xmp
        case .iptc: iptc = other.iptc
        case .texts: texts = other.texts
        case .comments: comments = other.comments
        case .modificationTime: modificationTime = other.modificationTime
        case .iccProfile: iccProfile = other.iccProfile
        case .renderingIntent: (iccProfileName, renderingIntent) = (other.iccProfileName, other.renderingIntent)
        case .gamma: gamma = other.gamma
        case .chromaticities: chromaticities = other.chromaticities
        case .codePoints: codePoints = other.codePoints
        case .masteringDisplay: masteringDisplay = other.masteringDisplay
        case .contentLight: contentLight = other.contentLight
        case .density: density = other.density
        case .significantBits: significantBits = other.significantBits
        case .background: background = other.background
        case .histogram: histogram = other.histogram
        case .suggestedPalettes: suggestedPalettes = other.suggestedPalettes
        case .placement: placement = other.placement
        case .stereoLayout: stereoLayout = other.stereoLayout
        case .physicalScale: physicalScale = other.physicalScale
        case .calibration: calibration = other.calibration
        case .furtherPictures: furtherPictures = other.furtherPictures
        }
    }
}
