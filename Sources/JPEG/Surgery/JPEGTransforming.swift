// A JPEG file cut, turned or without its colours, with the same coefficients.

public import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec

extension JPEGCoder {
    /// Writes a JPEG file with its picture cut, turned or gray, without loss.
    ///
    /// Coefficients are moved, exchanged and given other signs; none is rounded. The file is coded as ``optimized(_:options:limits:strictness:)``
    /// does, and metadata are kept as there. What they say of size and orientation is made true. Previews are left out, in EXIF data,
    /// XMP packet and Photoshop's resources, and so are second pictures and gain maps, which show the picture as it was; whatever else follows
    /// the picture stays. Of pictures that become gray a profile for colours goes.
    ///
    /// - Parameters:
    ///   - file: a JPEG file.
    ///   - transformation: what is done. Without a change the file is optimized, and is new in any case.
    ///   - options: how it is written. Quality and sampling mean nothing here.
    ///   - limits: bounds on reading it.
    ///   - strictness: what is done about damage; under `.tolerant` what can be read up to it is written.
    /// - Throws: as ``optimized(_:options:limits:strictness:)``; `invalidArgument` for what cannot be done without loss.
    public func transformed(
        _ file: ImageData, by transformation: JPEGTransformation, options: EncodingOptions = .default,
        limits: DecodingLimits = .default, strictness: DecodingOptions.Strictness = .strict
    ) throws(ImageError) -> ImageData {
        try Surgery(options, limits: limits, strictness: strictness).transformed(file, by: transformation).file
    }
}

extension Surgery {
    /// A file with its picture changed, and metadata that say so.
    package func transformed(
        _ file: ImageData, by transformation: JPEGTransformation
    ) throws(ImageError) -> Result {
        var result = try rewritten(file) { (picture, orientation, work) throws(ImageError) in
            (picture, orientation) = try transformation.apply(
                to: picture, orientation: orientation, meter: meter, &work)
        }
        guard options.metadata == .all else { return result }
        var metadata = try JPEGCoder().storedMetadata(of: result.file, limits: limits)
        let orientation = transformation.appliesOrientation ? .up : metadata.orientation
        let isMoved =
            transformation.crop != nil || metadata.orientation != orientation || transformation.orientation != .up
        guard isMoved || transformation.isGray else { return result }
        metadata.follow(isMoved ? .geometry : .pixels)
        metadata.furtherPictures = nil
        metadata.orientation = orientation
        metadata.describe(result.size, orientation: orientation)
        if transformation.isGray, let profile = metadata.iccProfile, ICCColorSpace(ofProfile: profile) != .gray {
            metadata.iccProfile = nil
        }
        result.file = try JPEGCoder().replacingMetadata(of: result.file, with: metadata, limits: limits)
        return result
    }
}
