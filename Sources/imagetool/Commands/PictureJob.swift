// One picture read and written again: what convert and thumbnail do with each file.

import ImageCodecs

/// Reads one file and writes it again.
struct PictureJob: Sendable {
    /// What of a file's metadata goes with the picture.
    enum KeptMetadata: Sendable {
        case all, colors, none
    }

    let decoding: DecodingOptions
    let encoding: EncodingOptions
    let format: OutputFormat
    let pixelFormat: PixelFormat
    let keptMetadata: KeptMetadata
    let location: OutputLocation
    let protection: InputProtection

    @Sendable func run(_ path: String) -> Outcome {
        do throws(ImageError) {
            let output = location.path(for: path, fileExtension: format.fileExtension)
            let input = try InputPicture(path, options: decoding)
            var image = try input.decode()
            if keptMetadata == .colors { image.metadata = image.metadata.colors }
            var encoding = encoding
            encoding.writesMetadata = keptMetadata != .none
            let bytes = try format.encode(image, pixelFormat: pixelFormat, options: encoding)
            try protection.write(bytes, to: output, in: location.directory)
            return Outcome(warnings: input.warnings + [image.partial?.summary].compactMap { $0 })
        } catch {
            return Outcome(failure: error)
        }
    }
}

/// A whole file in memory and what its headers say.
struct InputPicture: Sendable {
    let path: String
    let data: ImageData
    let options: DecodingOptions
    /// What stands in front of the pixels; `nil` where that cannot be read: decoding then tells what is wrong.
    let info: ImageInfo?

    init(_ path: String, options: DecodingOptions) throws(ImageError) {
        var reader = try FileReader(imageFile: path, limits: options.limits)
        self.path = path
        self.options = options
        data = try reader.readToEnd()
        info = try? CoderRegistry.shared.readHeaders(of: data, options: options)
    }

    /// The picture, its scale as the file's name says.
    func decode() throws(ImageError) -> RasterImage {
        var options = options
        if options.scaleFactor == 1 { options.scaleFactor = RasterImage.scale(promisedBy: path) }
        return try RasterImage(data, options: options)
    }

    /// Remarks that are no failures.
    var warnings: [String] { info?.warnings ?? [] }
}

extension ImageInfo {
    /// What to tell people who expect all that is in the file.
    var warnings: [String] {
        hasUndecodedAnimation ? ["the file is animated; only its still picture is decoded"] : []
    }
}
