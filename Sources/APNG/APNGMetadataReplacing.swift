// An animated PNG file with other metadata, and nothing else changed.

public import ImageCodecsCore
public import ImagePhotoMetadata
import PNGCodec

extension APNGCoder: MetadataReplacingCoder {
    /// Writes a file anew with other metadata; see `PNGCoder.replacingMetadata(of:with:limits:)`.
    public func replacingMetadata(
        of file: ImageData, with metadata: ImageMetadata, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        try PNGCoder().replacingMetadata(of: file, with: metadata, limits: limits)
    }
}
