// A JPEG file written anew, smaller, with the same coefficients.

public import ImageCodecsCore

extension JPEGCoder {
    /// Writes a JPEG file anew, so that it gets smaller and no coefficient changes.
    ///
    /// Every scan gets Huffman tables of its own, and the file is progressive or not, whichever is smaller; how many ways of
    /// dividing the coefficients among scans are compared is a matter of `EncodingOptions.effort`, and with `.fast` a sequential
    /// file stays one. Sampling, quantisation tables and components stay. `EncodingOptions.jpeg` may ask for a process
    /// (``JPEGEncodingOptions/isProgressive``) and for restart intervals, which are left out otherwise. No picture of pixels is made:
    /// what is held is the coefficients.
    ///
    /// With `EncodingOptions.MetadataPolicy.all` all application segments and comments stay as they are, in their order, and so does what
    /// follows the picture: second pictures and gain maps are found by an index (MPF) that says where they are now. With other policies
    /// the orientation stays, and what says how the components are meant; what follows the picture goes.
    ///
    /// - Parameters:
    ///   - file: a JPEG file.
    ///   - options: how it is written; by default with `EncodingOptions.Effort.best`. Quality and sampling mean nothing here.
    ///   - limits: bounds on reading it.
    ///   - strictness: what is done about damage; under `.tolerant` what can be read up to it is written.
    /// - Returns: a new file; `file` itself if that is no longer, and nothing was to be left out or changed.
    /// - Throws: `unknownFormat` for a file that is no JPEG; what decoding it strictly throws, and what `options` has no room for.
    public func optimized(
        _ file: ImageData, options: EncodingOptions = .best, limits: DecodingLimits = .default,
        strictness: DecodingOptions.Strictness = .strict
    ) throws(ImageError) -> ImageData {
        try Surgery(options, limits: limits, strictness: strictness).optimized(file).file
    }
}
