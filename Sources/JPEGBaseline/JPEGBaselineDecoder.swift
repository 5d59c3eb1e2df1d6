// The decoder of sequential JPEG files: baseline and extended, Huffman-coded, eight bits a sample. The pipeline:
//
//   bytes ──▶ markers and tables (Markers/) ──▶ Huffman codes (Entropy/) ──▶ inverse DCT (Reconstruction/)
//         ──▶ upsampling, colour, rows (Output/) ──▶ scaling, bitmap (ImageCore)

public import ImageCore

/// Decodes one sequential JPEG file piece by piece; progressive files are refused as unsupported.
///
/// For study and reuse: applications want `JPEGCoder`, which decodes both.
///
/// Source: ITU-T T.81 (1992), ITU-T T.871 (2011, JFIF).
public struct JPEGBaselineDecoder: IncrementalImageDecoder {
    private var session: DecodingSession<JPEGStream>

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameter keepsPlanes: Whether ``componentPlanes`` are wanted besides the picture.
    public init(options: DecodingOptions = .default, keepsPlanes: Bool = false) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        let frames = FrameSource(request, keepsPlanes: keepsPlanes) { (request, donor) throws(ImageError) in
            try Self.makeFrame(request, &donor)
        }
        session = DecodingSession(request, JPEGStream(request, frames: frames))
    }

    /// Makes the decoder of a sequential frame, whether it comes in one scan or in several.
    package static func makeFrame(
        _ request: FrameSource.FrameRequest, _ donor: inout Bitmap?
    ) throws(ImageError) -> any FrameDecoder {
        guard !request.context.header.isProgressive else {
            throw .unsupported(.jpeg, feature: "progressive process (SOF2) in the baseline decoder")
        }
        guard request.context.comesInOneScan, !request.isInspection else {
            return try MultiScanFrame<BufferedSequentialScan>(request, donor: &donor)
        }
        return try SequentialFrame(
            request.context, plan: request.plan, options: request.options, donor: &donor, meter: request.meter)
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
