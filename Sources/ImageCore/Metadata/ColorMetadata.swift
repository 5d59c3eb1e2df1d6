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
}
