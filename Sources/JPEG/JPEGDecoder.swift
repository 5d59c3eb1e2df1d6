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
    private var stream: JPEGStream

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameter keepsPlanes: Whether ``componentPlanes`` are wanted besides the picture.
    public init(options: DecodingOptions = .default, keepsPlanes: Bool = false) {
        self.init(options: options, purpose: .incremental, donor: nil)
        stream.keepsPlanes = keepsPlanes
    }

    /// - Parameter donor: A bitmap whose memory is reused when it fits and nobody else holds it.
    init(options: DecodingOptions, purpose: JPEGStream.Purpose, donor: consuming Bitmap?) {
        stream = JPEGStream(options: options, purpose: purpose, donor: consume donor) {
            (request, donor) throws(ImageError) in
            guard request.context.header.isProgressive else {
                return try JPEGBaselineDecoder.makeFrame(request, &donor)
            }
            return try ProgressiveFrame(
                request.context, plan: request.plan, options: request.options, donor: &donor, meter: request.meter)
        }
    }

    /// The samples of the components as they are stored: one gray bitmap per component, Y', Cb and Cr as a rule, neither
    /// upsampled nor converted nor turned. When a thumbnail was asked for, as the inverse DCT reduced them.
    ///
    /// Empty unless they are kept, and until there are rows; with several scans, until the end.
    public var componentPlanes: [Bitmap] { stream.planes }

    /// What the headers say, once the first scan begins.
    public var info: ImageInfo? { stream.info }

    /// Decodes as far as `newBytes` allow; see `IncrementalImageDecoder`.
    public mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try stream.append(newBytes)
    }

    /// Says that no more bytes will come; see `IncrementalImageDecoder`.
    public mutating func finish() throws(ImageError) -> DecodingProgress { try stream.finish() }

    /// The picture so far; see `IncrementalImageDecoder`.
    public func image() throws(ImageError) -> Image? { try stream.image() }

    /// Decodes a whole file in one call.
    mutating func decodeAll(_ bytes: Span<UInt8>) throws(ImageError) { try stream.decodeRest(bytes) }
}
