// What metadata no longer say once the colours of a picture are converted.

import ImageCodecsCore
import ImagePhotoMetadata

extension ImageMetadata {
    /// Takes out what `colors` keeps, what EXIF data say of the kind, colours beside the picture that are in the space it was in,
    /// and what its samples stood for.
    mutating func removeColors() {
        (iccProfile, iccProfileName, gamma, chromaticities) = (nil, nil, nil, nil)
        (renderingIntent, codePoints, masteringDisplay, contentLight) = (nil, nil, nil, nil)
        (background, suggestedPalettes, calibration) = (nil, [], nil)
        guard let block = exif.flatMap({ ExifBlock($0) }) else { return }
        let tags = Self.colorTags.filter { block[$0] != nil }
        guard !tags.isEmpty else { return }
        try? editExif { (exif) throws(ImageError) in for tag in tags { exif.remove(tag) } }
    }

    /// ColorSpace, and the mark of Adobe RGB (Exif 3.0 §4.6.5 "ColorSpace", §4.6.6 "InteroperabilityIndex").
    private static var colorTags: [ExifTag] { [ExifTag(.exif, 0xA001), ExifTag(.interoperability, 1)] }
}
