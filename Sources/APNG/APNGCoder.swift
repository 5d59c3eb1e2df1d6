// The APNG coder: what the registry asks.

public import ImageCodecsCore
import PNGCodec

/// Decodes animated PNG, and PNG by the same code, also incrementally and scaled down.
///
/// The picture of a file is its default image; the frames are in `RasterImage.animation`. If only the first frame is
/// wanted, that is the picture.
public struct APNGCoder: AnimatedSessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// APNG and PNG.
    public var decodableFormats: [ImageFormat] { [.apng, .png] }

    /// Whether `header` starts with PNG's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { PNGCoder().canDecode(header) }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> APNGStream {
        APNGStream(request, reusable: reusable)
    }
}
