// The decoder of VP8L bitstreams by themselves, for study and reuse. The pipeline:
//
//   bits ──▶ header, transforms ──▶ prefix codes (PrefixCodes/) ──▶ pixels (Pixels/, Kernels/)
//        ──▶ transforms undone, by rows (Transforms/) ──▶ scaling, bitmap (ImageCore)

public import ImageCodecsCore

/// Decodes one VP8L bitstream piece by piece: what is in the VP8L chunk of a WebP file, without the file around it.
///
/// Applications want `WebPCoder`, which decodes files.
///
/// Source: RFC 9649 section 3 "Specification for WebP Lossless Bitstream".
public struct VP8LDecoder: SessionDecoder {
    package var session: DecodingSession<VP8LPicture>

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameter options: Size, pixel format, strictness and limits of the decode.
    public init(options: DecodingOptions = .default) {
        let request = DecodingRequest(options: options, purpose: .incremental)
        session = DecodingSession(request, VP8LPicture(request))
    }

    /// How the bitstream is coded, as far as it was read: transforms, color cache, prefix code groups.
    public var imageInfo: VP8LImageInfo { session.decoder.imageInfo }
}
