// A WebP file with other metadata, and nothing else changed.

public import ImageCodecsCore
public import ImagePhotoMetadata

extension WebPCoder: MetadataRewritingCoder {
    /// Writes a WebP file anew with other metadata; nothing is decoded, and pictures, frames and unknown chunks stay as they are.
    ///
    /// ```swift
    /// var metadata = try ImageInfo(file).metadata
    /// metadata.xmp = nil
    /// let smaller = try WebPCoder().replacingMetadata(of: file, with: metadata)
    /// ```
    ///
    /// - Parameters:
    ///   - file: a WebP file, lossy or not, animated or not.
    ///   - metadata: the profile, if it is one of RGB pictures, EXIF and XMP; what is `nil` is removed, and what the file says already stays as
    ///     it is. Of EXIF and XMP no chunk stays that readers pass over. The orientation counts as well: what it is decides how viewers turn the picture, whatever EXIF says.
    ///   - limits: bounds on reading the file.
    /// - Throws: `unknownFormat` for a file that is no WebP; `corrupt` and `truncated` for damaged chunks; `invalidArgument` for more
    ///   metadata than a file can hold.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        try rewriting(file, with: metadata, limits: limits)
    }

    package func rewriting(
        _ file: ImageData, _ difference: MetadataDifference, limits: DecodingLimits
    ) throws(ImageError) -> ImageData {
        let new = try WrittenMetadata(difference.after, orientation: difference.after.orientation)
        return ImageData(
            try rewritten(file, limits) { (list, bytes, work) throws(ImageError) -> [UInt8] in
                func stays(_ type: FourCC) -> Bool {
                    // In a simple file they are chunks of unknown types, and after some damage they are not read.
                    guard list.extended != nil else { return false }
                    return switch type {
                    case .colorProfile: difference.before.iccProfile != nil && !difference.changes(.iccProfile)
                    case .exif: difference.before.exif != nil && !difference.changes(.exif)
                    default: difference.before.xmp != nil && !difference.changes(.xmp)
                    }
                }
                func payload(_ type: FourCC, else new: [UInt8]?) -> [UInt8]? {
                    stays(type) ? list.metadata(type, of: bytes) : new
                }
                let written = WrittenMetadata(
                    profile: payload(.colorProfile, else: new.profile), exif: payload(.exif, else: new.exif),
                    xmp: payload(.xmp, else: new.xmp))
                return try RewrittenFile(list, written, keepsUnknown: true).bytes(of: bytes, work: &work) { _, _ in nil
                }
            })
    }
}
