// The APNG decoder as applications see it.

public import ImageCodecsCore

/// Decodes one APNG or PNG file piece by piece.
///
/// While a frame comes, `image()` shows it row by row on the canvas of those before; when the file is complete it is the
/// default image. `animation()` has the frames that are whole.
///
/// Source: Portable Network Graphics (PNG) Specification, 3rd edition (W3C, 2025), §11.3.6 "Animation information".
public struct APNGDecoder: SessionDecoder {
    package var session: DecodingSession<APNGStream>

    /// A decoder that has seen nothing yet.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, APNGStream(request))
    }
}
