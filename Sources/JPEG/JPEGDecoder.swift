// The decoder of any JPEG file this package reads: sequential and progressive.

public import ImageCore
import JPEGBaseline
import JPEGProgressive

/// Decodes one JPEG file piece by piece.
///
/// Sequential files show their rows as they come; progressive ones the whole picture after their first scan, and
/// sharper after each further one.
///
/// Source: ITU-T T.81 (1992), ITU-T T.871 (2011, JFIF).
public struct JPEGDecoder: IncrementalImageDecoder {
    private var session: DecodingSession<JPEGStream>

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameter keepsPlanes: Whether ``componentPlanes`` are wanted besides the picture.
    public init(options: DecodingOptions = .default, keepsPlanes: Bool = false) {
        session = Self.makeSession(
            DecodingRequest(options: options, purpose: .incremental), keepsPlanes: keepsPlanes, donor: nil)
    }

    /// A session that decodes frames of all processes that this package knows.
    ///
    /// - Parameter donor: A bitmap whose memory is reused when it fits and nobody else holds it.
    static func makeSession(
        _ request: DecodingRequest, keepsPlanes: Bool = false, donor: consuming Bitmap?
    ) -> DecodingSession<JPEGStream> {
        let frames = FrameSource(request, keepsPlanes: keepsPlanes, donor: donor) {
            (request, donor) throws(ImageError) in
            guard request.context.header.isProgressive else {
                return try JPEGBaselineDecoder.makeFrame(request, &donor)
            }
            return try ProgressiveFrame(request, donor: &donor)
        }
        return DecodingSession(request, JPEGStream(request, frames: frames))
    }

    /// The samples of the components as they are stored: one gray bitmap per component, Y', Cb and Cr as a rule, neither
    /// upsampled nor converted nor turned. When a thumbnail was asked for, as the inverse DCT reduced them.
    ///
    /// Empty unless they are kept, and until the picture is finished.
    public var componentPlanes: [Bitmap] { session.decoder.planes }

    /// What the headers say, once the first scan begins.
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
