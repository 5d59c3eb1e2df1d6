// The laws of encoding, asked of pictures of all sizes: the same for every format.

package import ImageCodecsCore

extension EncoderLaws {
    /// Violations of the laws by pictures of all sizes, written with all efforts in turn.
    ///
    /// - Parameter adjust: sets what is the format's own, by the number of the size.
    package func violations(
        ofPictures format: PixelFormat, _ content: EncoderPicture.Content,
        _ adjust: (Int, inout EncodingOptions) -> Void
    ) throws(ImageError) -> [String] {
        var found: [String] = []
        for (index, size) in EncoderPicture.sizes.enumerated() {
            let picture = try EncoderPicture(content, size: size, format: format)
            var options = EncodingOptions()
            options.effort = EncodingOptions.Effort.allCases[index % 3]
            adjust(index, &options)
            found += violations(picture, options)
        }
        return found
    }

    /// Violations of the laws by a wide and by a high picture.
    package func violations(ofLongSides side: Int, _ options: EncodingOptions = .default) throws(ImageError) -> [String]
    {
        var found: [String] = []
        for size in [PixelSize(width: side, height: 5), PixelSize(width: 3, height: side)] {
            found += violations(try EncoderPicture(.ramp, size: size, format: .rgb), options)
        }
        return found
    }

    /// Whether limits on the length of files are met by a picture of 90 x 60 pixels.
    package func sizeLimitsAreMet(
        by content: EncoderPicture.Content, _ options: EncodingOptions = .default
    ) throws(ImageError) -> [String] {
        try sizeLimitsAreMet(EncoderPicture(content, size: PixelSize(width: 90, height: 60), format: .rgba), options)
    }
}
