// The part of the metadata that affects colours: without it a picture looks different.

extension ImageMetadata {
    /// Only what says how the samples are meant as colours: for small versions of pictures, which should look the
    /// same but need not carry the rest along.
    ///
    /// Kept are ``iccProfile`` with ``iccProfileName``, ``gamma``, ``chromaticities``, ``renderingIntent``, ``codePoints``,
    /// ``masteringDisplay`` and ``contentLight``. Everything else is left out: EXIF, XMP and IPTC, text and comments, density, time, and what
    /// is said about the samples of the original (significant bits, background, histogram, palettes). So is
    /// ``orientation``: it describes the file; a decoded picture's is `RasterImage.orientation`.
    ///
    ///     var options = DecodingOptions.thumbnail(width: 400, height: 300)
    ///     options.color = .asStored
    ///     var thumbnail = try RasterImage(contentsOfFile: path, options: options)
    ///     thumbnail.metadata = thumbnail.metadata.colors
    ///
    /// Encoders write a profile only with pixels that have its channels; see `EncodingOptions.metadata`.
    public var colors: ImageMetadata {
        var kept = ImageMetadata()
        kept.iccProfile = iccProfile
        kept.iccProfileName = iccProfileName
        kept.gamma = gamma
        kept.chromaticities = chromaticities
        kept.renderingIntent = renderingIntent
        kept.codePoints = codePoints
        kept.masteringDisplay = masteringDisplay
        kept.contentLight = contentLight
        return kept
    }

    /// Takes out what ``colors`` keeps, what EXIF data say of the kind, colours beside the picture that are in the space it was in,
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
