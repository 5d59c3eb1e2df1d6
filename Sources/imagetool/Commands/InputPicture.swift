// A whole file in memory and what its headers say.

import ImageCodecs

/// The bytes of a picture, on their way to a decoder.
struct InputPicture: Sendable {
    let path: String
    let data: ImageData
    let options: DecodingOptions
    /// What stands before the pixels; `nil` if that cannot be read: decoding then reports what is wrong.
    let info: ImageInfo?

    /// Reads a file.
    ///
    /// - Parameter reduction: sets the size of `options`.
    init(
        _ file: InputFile, options: DecodingOptions, reduction: PictureReduction? = nil
    ) throws(ImageError) {
        var reader = try FileReader(picture: file, limits: options.limits)
        try self.init(file.path, reader.readToEnd(), options: options, reduction: reduction)
    }

    /// Takes bytes in memory; `path` is what they are called.
    init(
        _ path: String, _ data: ImageData, options: DecodingOptions, reduction: PictureReduction? = nil
    ) throws(ImageError) {
        var options = options
        if options.scaleFactor == 1 { options.scaleFactor = RasterImage.scale(promisedBy: path) }
        if let reduction {
            let whole = reduction.isShare ? try? CoderRegistry.shared.readHeaders(of: data, options: options) : nil
            options.size = reduction.outputSize(for: whole, appliesOrientation: options.appliesOrientation)
        }
        // What a decode needs depends on the size.
        let info = try? CoderRegistry.shared.readFrameCount(of: data, options: options)
        self.path = path
        self.data = data
        self.options = options
        self.info = info
    }

    /// The picture, its scale as the file's name says.
    func decode() throws(ImageError) -> RasterImage { try RasterImage(data, options: options) }

    /// Bytes of the input and of decoding it, the first frame alone or one frame at a time.
    var estimatedByteCount: Int { data.count.addingSaturated(info?.estimatedPeakByteCount ?? 0) }

    /// How many frames there are, as far as the headers say; 1 for a still picture.
    var frameCount: Int { info?.animation?.frameCount ?? 1 }

    /// Remarks that are no failures.
    var warnings: [String] { info?.warnings ?? [] }
}

extension ImageInfo {
    /// Warnings for people who expect all that is in the file.
    var warnings: [String] { [undecodedAnimationWords].compactMap { $0 } }
}
