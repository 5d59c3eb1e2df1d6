// The WebP decoder as applications see it.

public import ImageCodecsCore

/// Decodes one WebP file piece by piece.
///
/// While a frame comes, `image()` shows it row by row on the canvas of those before; when the file is complete it is the
/// first frame. `animation()` has the frames that are whole.
///
/// Source: RFC 9649 "WebP Image Format" (2024).
public struct WebPDecoder: SessionDecoder {
    package var session: DecodingSession<WebPStream>

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameter options: what is wanted.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, WebPStream(request))
    }
}
