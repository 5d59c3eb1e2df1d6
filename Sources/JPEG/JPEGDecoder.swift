// The decoder of any JPEG file this package reads: sequential and progressive, with Huffman or arithmetic coding, and lossless.

public import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes one JPEG file piece by piece.
///
/// Sequential files show their rows as they come; progressive ones the whole picture after their first scan, and
/// sharper after each further one.
///
/// Source: ITU-T T.81 (1992), ITU-T T.871 (2011, JFIF).
public struct JPEGDecoder: SessionDecoder {
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

    /// Makes the decoder of a frame of any process that this package knows.
    static func makeFrame(
        _ request: FrameRequest, _ reusable: inout Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> any JPEGFrameDecoder {
        if request.isLossless { return try LosslessFrame(request, reusable: &reusable, work: &work) }
        if request.isArithmetic {
            return try JPEGBaselineDecoder.makeFrame(
                request, of: MultiScanFrame.arithmeticScans(isProgressive: request.isProgressive), &reusable, &work)
        }
        return request.isProgressive
            ? try MultiScanFrame.progressive(request, reusable: &reusable)
            : try JPEGBaselineDecoder.makeFrame(request, &reusable, &work)
    }

    /// The samples of the components as they are stored: one gray bitmap per component, Y', Cb and Cr as a rule, neither
    /// upsampled nor converted nor turned. When a thumbnail was asked for, as the inverse DCT reduced them.
    ///
    /// Empty unless they are kept, until the picture is finished, and for lossless files.
    public var componentPlanes: [Bitmap] { session.decoder.planes }
}
