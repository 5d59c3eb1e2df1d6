// The WebP coder: what the registry asks.

public import ImageCodecsCore

/// Decodes WebP, stills and animations, also incrementally and scaled down.
///
/// Frames are composited as browsers do: the background color is not painted, and what no frame has painted is
/// transparent.
public struct WebPCoder: AnimatedSessionCoder {
    /// Creates the coder; it has no settings.
    public init() {}

    /// WebP.
    public var decodableFormats: [ImageFormat] { [.webP] }

    /// Whether `header` starts with WebP's signature.
    public func canDecode(_ header: Span<UInt8>) -> Bool { FormatSignature.webP.match(header) == .whole }

    package func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> WebPStream {
        WebPStream(request, reusable: reusable)
    }
}
