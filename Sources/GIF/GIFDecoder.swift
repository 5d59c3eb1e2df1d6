// The GIF decoder as applications see it.

public import ImageCodecsCore

/// Decodes one GIF file piece by piece.
///
/// While a frame comes, `image()` shows it row by row on the canvas of those before; when the file is complete it is the
/// first frame. `animation()` has the frames that are whole.
///
/// Source: Graphics Interchange Format, version 89a (CompuServe, 1990).
public struct GIFDecoder: SessionDecoder {
    package var session: DecodingSession<GIFStream>

    /// A decoder that has seen nothing yet.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, GIFStream(request))
    }
}
