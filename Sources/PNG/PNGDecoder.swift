// The PNG decoder as applications see it.

public import ImageCodecsCore

/// Decodes one PNG file piece by piece.
///
/// Interlaced files show a coarse picture of full size after the first of their seven passes. A file is
/// complete only with its IEND chunk. Animated PNG files show their default image.
///
/// Source: Portable Network Graphics (PNG) Specification, 3rd edition (W3C, 2025).
public struct PNGDecoder: SessionDecoder {
    package var session: DecodingSession<PNGStream>

    /// A decoder that has seen nothing yet.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, PNGStream(request))
    }
}
