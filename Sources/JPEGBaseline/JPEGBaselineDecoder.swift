// The decoder of sequential JPEG files: baseline and extended, Huffman-coded, eight bits a sample. The pipeline:
//
//   bytes ──▶ markers and tables (Markers/) ──▶ Huffman codes (Entropy/) ──▶ inverse DCT (Reconstruction/)
//         ──▶ upsampling, colour, rows (Output/) ──▶ scaling, bitmap (ImageCore)

public import ImageCodecsCore

/// Decodes one sequential JPEG file piece by piece; progressive files are refused as unsupported.
///
/// For study and reuse: applications want `JPEGCoder`, which decodes both.
///
/// Source: ITU-T T.81 (1992), ITU-T T.871 (2011, JFIF).
public struct JPEGBaselineDecoder: SessionDecoder {
    package var session: DecodingSession<JPEGStream>

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameters:
    ///   - options: Size, pixel format, strictness and limits of the decode.
    ///   - keepsPlanes: Whether ``componentPlanes`` are wanted besides the picture.
    public init(options: DecodingOptions = .default, keepsPlanes: Bool = false) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        let observer = keepsPlanes ? ComponentPlanes() : nil
        session = DecodingSession(request, JPEGStream(request, observer: observer, makeFrame: Self.makeFrame))
    }

    /// Makes the decoder of a sequential frame, whether it comes in one scan or in several.
    package static func makeFrame(
        _ request: FrameRequest, _ reusable: inout Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> any JPEGFrameDecoder {
        guard !request.isProgressive else {
            throw .unsupported(.jpeg, feature: "progressive process (SOF2) in the baseline decoder")
        }
        guard !request.isArithmetic else {
            throw .unsupported(.jpeg, feature: "arithmetic coding (SOF9) in the baseline decoder")
        }
        guard !request.isLossless else {
            throw .unsupported(.jpeg, feature: "lossless process (SOF3) in the baseline decoder")
        }
        guard request.comesInOneScan, !request.isInspection, request.plan.precision == 8 else {
            return try makeFrame(request, of: BufferedSequentialScan.self, &reusable, &work)
        }
        return try SequentialFrame.make(request, reusable: &reusable, work: &work)
    }

    /// Makes the decoder of a frame with scans of any kind that put their coefficients into a store.
    package static func makeFrame(
        _ request: FrameRequest, of process: any StoredScan.Type, _ reusable: inout Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> any JPEGFrameDecoder {
        request.comesInOneScan && !request.isInspection
            ? try OneScanFrame(request, of: process, reusable: &reusable, work: &work)
            : try MultiScanFrame(request, of: process, reusable: &reusable)
    }

    /// The samples of the components as they are stored: one gray bitmap per component, Y', Cb and Cr as a rule, neither
    /// upsampled nor converted nor turned. When a thumbnail was asked for, as the inverse DCT reduced them.
    ///
    /// Empty unless they are kept, and until the picture is finished.
    public var componentPlanes: [Bitmap] { session.decoder.planes }
}
