// A JPEG file cut, turned, without its colours or with others pasted into it, with the same coefficients.

public import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec

extension JPEGCoder {
    /// Writes a JPEG file with its picture cut, turned, gray or replaced in part, without loss.
    ///
    /// Coefficients are moved, exchanged and given other signs; none is rounded. The file is coded as ``optimized(_:options:limits:strictness:)``
    /// does, and metadata are kept as there. What they say of size and orientation is made true. A preview in the EXIF data is turned with
    /// a picture that is turned as a whole (up to 15 of its rows and columns may go). Other previews are left out, in XMP packet and Photoshop's
    /// resources, and so are second pictures and gain maps, which show the picture as it was; whatever else follows
    /// the picture stays. Of pictures that become gray a profile for colours goes.
    ///
    /// - Parameters:
    ///   - file: a JPEG file.
    ///   - transformation: what is done. Without a change the file is optimized, and is new in any case.
    ///   - patches: pictures that replace parts of the new picture, one after the other; of them nothing but coefficients is used, and
    ///     damaged ones are refused. Those whose EXIF orientation counts in the file are turned by their own. Incomplete MCUs of them are
    ///     pasted only at the edge of the picture; elsewhere they are refused, or left out if `edges` says anything else.
    ///   - options: how it is written. Quality and sampling mean nothing here.
    ///   - limits: bounds on reading it.
    ///   - strictness: what is done about damage; under `.tolerant` what can be read up to it is written.
    /// - Throws: as ``optimized(_:options:limits:strictness:)``; `invalidArgument` for what cannot be done without loss.
    public func transformed(
        _ file: ImageData, by transformation: JPEGTransformation, pasting patches: [JPEGPatch] = [],
        options: EncodingOptions = .default, limits: DecodingLimits = .default,
        strictness: DecodingOptions.Strictness = .strict
    ) throws(ImageError) -> ImageData {
        let surgery = Surgery(options, limits: limits, strictness: strictness)
        return try surgery.transformed(file, by: transformation, pasting: patches).file
    }
}

extension Surgery {
    /// A file with its picture changed, and metadata that say so.
    package func transformed(
        _ file: ImageData, by transformation: JPEGTransformation, pasting patches: [JPEGPatch] = []
    ) throws(ImageError) -> Result {
        var result = try rewritten(file) { (picture, orientation, work) throws(ImageError) in
            (picture, orientation) = try transformation.apply(
                to: picture, orientation: orientation, meter: meter, &work)
            for patch in patches { try paste(patch, into: &picture, of: transformation, &work) }
        }
        guard options.metadata == .all else { return result }
        var metadata = try JPEGCoder().storedMetadata(of: result.file, limits: limits)
        let orientation = transformation.appliesOrientation ? .up : metadata.orientation
        let isMoved =
            transformation.crop != nil || metadata.orientation != orientation || transformation.orientation != .up
        guard isMoved || transformation.isGray || !patches.isEmpty else { return result }
        let preview = patches.isEmpty ? try preview(of: metadata, changedAs: transformation) : nil
        metadata.follow(isMoved ? .geometry : .pixels)
        metadata.furtherPictures = nil
        metadata.orientation = orientation
        metadata.describe(result.size, orientation: orientation)
        if let preview, let exif = metadata.exif {
            metadata.exif =
                ExifThumbnail.embed(jpeg: preview, into: exif, byteCount: MetadataSegments.largestExif) ?? exif
        }
        if transformation.isGray, let profile = metadata.iccProfile, ICCColorSpace(ofProfile: profile) != .gray {
            metadata.iccProfile = nil
        }
        result.file = try JPEGCoder().replacingMetadata(of: result.file, with: metadata, limits: limits)
        return result
    }

    /// The preview in the EXIF data, turned as the picture is; `nil` if there is none that can be, or the picture is cut.
    ///
    /// - Throws: `cancelled`.
    private func preview(
        of metadata: ImageMetadata, changedAs transformation: JPEGTransformation
    ) throws(ImageError) -> [UInt8]? {
        guard transformation.crop == nil, let jpeg = metadata.exif.flatMap({ ExifThumbnail.jpeg(in: $0) }) else {
            return nil
        }
        var turn = transformation
        turn.appliesOrientation = false
        if transformation.appliesOrientation {
            turn.orientation = metadata.orientation.followed(by: transformation.orientation)
        }
        turn.edges = .trim
        var options = EncodingOptions.default
        options.metadata = .none
        options.jpeg.isProgressive = false
        options.limits = self.options.limits
        options.memoryMeter = meter
        // Of what fits into EXIF data some may say that they have far more pixels than any preview.
        var limits = limits
        limits.maxPixelCount = min(limits.maxPixelCount, Self.mostPixelsOfPreview)
        let surgery = Surgery(options, limits: limits, strictness: .strict)
        do throws(ImageError) {
            return try surgery.transformed(ImageData(jpeg), by: turn).file.withBytes { Array($0) }
        } catch {
            if case .cancelled = error { throw error }
            return nil
        }
    }

    /// Three times as many as 640x480 has.
    private static var mostPixelsOfPreview: Int { 1 << 20 }
}
