// The PNG decoder as applications see it.

public import ImageCore

/// Decodes one PNG file piece by piece.
///
/// Interlaced files show a coarse picture of full size after the first of their seven passes. A file is
/// complete only with its IEND chunk. Animated PNG files show their default image.
///
/// Source: Portable Network Graphics (PNG) Specification, 3rd edition (W3C, 2025).
public struct PNGDecoder: IncrementalImageDecoder {
    private var session: DecodingSession<PNGStream>

    /// A decoder that has seen nothing yet.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, PNGStream(request))
    }

    /// What the headers say; known once the first IDAT chunk begins.
    public var info: ImageInfo? { session.info }

    /// Decodes as far as `newBytes` allow; see `IncrementalImageDecoder`.
    public mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try session.append(newBytes)
    }

    /// Says that no more bytes will come; see `IncrementalImageDecoder`.
    public mutating func finish() throws(ImageError) -> DecodingProgress { try session.finish() }

    /// The picture so far; see `IncrementalImageDecoder`.
    public mutating func image() throws(ImageError) -> Image? { try session.image() }
}
