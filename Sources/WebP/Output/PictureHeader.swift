// The first bytes of a bitstream: enough to know what picture it holds.

package import ImageCodecsCore
import WebPLosslessCodec
import WebPLossyCodec

/// What a bitstream says about its picture.
///
/// - Source: RFC 6386 §9.1 "Uncompressed Data Chunk"; RFC 9649 §3.4 "RIFF Header".
package struct PictureHeader: Hashable, Sendable {
    /// Which of the two bitstreams it is.
    package enum Kind: Hashable, Sendable {
        case lossy
        case lossless
    }

    /// Which of the two bitstreams it is.
    package let kind: Kind
    /// Width and height: 1...2^14 each.
    package let size: PixelSize
    /// Whether the bitstream says that pixels are transparent. Lossy ones have no alpha.
    package let hasAlpha: Bool
    /// Bytes of the first partition of a lossy bitstream, 0 of lossless ones.
    package let firstPartitionByteCount: Int

    /// Lossy pictures have no more pixels to a side.
    static let largestLossySide = 0x3FFF

    /// The most bytes that the first partition of a lossy picture may have: its size has 19 bits.
    static let largestPartitionByteCount = 1 << 19

    /// The kind of picture in a chunk; `nil` if it holds none.
    ///
    /// - Parameter type: what the chunk holds.
    package static func kind(of type: FourCC) -> Kind? {
        switch type {
        case .lossy: .lossy
        case .lossless: .lossless
        default: nil
        }
    }

    /// Bytes that have to be there to read it.
    ///
    /// - Parameter kind: of the bitstream.
    package static func byteCount(_ kind: Kind) -> Int {
        switch kind {
        case .lossy: VP8Header.byteCount
        case .lossless: VP8LHeader.byteCount
        }
    }

    /// Reads the first bytes of a payload.
    ///
    /// - Parameters:
    ///   - kind: what the chunk says that it is.
    ///   - bytes: ``byteCount(_:)`` bytes or more.
    ///   - chunk: the chunk.
    /// - Throws: `corrupt` for what cannot begin such a bitstream, `unsupported` for a lossy one that is not to be shown.
    package init(_ kind: Kind, _ bytes: Span<UInt8>, _ chunk: RIFFChunk) throws(ImageError) {
        self.kind = kind
        switch kind {
        case .lossless:
            guard let header = try VP8LHeader(bytes, offset: chunk.bodyOffset) else { throw Self.short(chunk) }
            (size, hasAlpha, firstPartitionByteCount) = (header.size, header.alphaIsUsed, 0)
        case .lossy:
            // The scale that the header asks for is ignored, as in all decoders.
            let header = try VP8Header(bytes, offset: chunk.bodyOffset, payloadByteCount: chunk.byteCount)
            // As in libwebp, a frame whose show_frame flag is 0 is refused.
            guard header.isShown else { throw .unsupported(.webP, feature: "a VP8 frame that is not to be shown") }
            (size, hasAlpha, firstPartitionByteCount) = (header.size, false, header.firstPartitionByteCount)
        }
    }

    /// What is wrong with a payload that has fewer bytes than a header.
    ///
    /// - Parameter chunk: its chunk.
    static func short(_ chunk: RIFFChunk) -> ImageError {
        .corrupt(
            .webP, .webpImageHeader, offset: chunk.offset, reason: "\(chunk.type.name) of \(chunk.byteCount) bytes")
    }
}
