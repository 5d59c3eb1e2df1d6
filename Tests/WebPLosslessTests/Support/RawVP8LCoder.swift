// Bitstreams by themselves as a format, so that the laws of decoding can be tried on them.

import CodecTestSupport
import Foundation
import ImageCodecsCore
import WebPLosslessCodec

/// Decodes bitstreams without a file around them.
struct RawVP8LCoder: SessionCoder {
    var decodableFormats: [ImageFormat] { [.webP] }

    func canDecode(_ header: Span<UInt8>) -> Bool { header.count > 0 && header[0] == VP8LHeader.signature }

    func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> VP8LPicture {
        VP8LPicture(request, reusable: reusable)
    }

    func canEncode(to format: ImageFormat) -> Bool { false }

    func encode(_ image: RasterImage, to format: ImageFormat, options: EncodingOptions) throws(ImageError) -> [UInt8] {
        throw .unsupported(format, feature: "encoding")
    }
}

extension Fixture {
    /// The bitstream of a file with one VP8L chunk, which is the first.
    func bitstream() throws -> [UInt8] {
        let file = [UInt8](try Data(contentsOf: url))
        let count = (0..<4).reduce(0) { $0 | Int(file[16 + $1]) << (8 * $1) }
        return Array(file[20..<min(file.count, 20 + count)])
    }
}
