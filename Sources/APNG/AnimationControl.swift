// acTL: how many frames there are, and how often they are played.

package import ImageCodecsCore
package import PNGCodec

/// An animation control chunk.
///
/// Source: PNG 3rd ed. §11.3.6.1 "acTL Animation Control Chunk".
package struct AnimationControl: Hashable, Sendable {
    /// Frames, at least 1.
    package let frameCount: Int
    /// Total number of plays, 0 for ever.
    package let playCount: Int

    /// Bytes of the chunk's body.
    package static let byteCount = 8

    /// Reads the body of a chunk.
    ///
    /// - Precondition: it has eight bytes.
    package init(_ body: Span<UInt8>, _ chunk: ChunkHeader) throws(ImageError) {
        frameCount = Int(body.bigEndianUInt32(at: 0))
        playCount = Int(body.bigEndianUInt32(at: 4))
        guard frameCount > 0 else {
            throw .corrupt(.png, .apngAnimationControl, offset: chunk.bodyOffset, reason: "acTL of no frames")
        }
    }

    /// The body of a chunk.
    ///
    /// - Precondition: both numbers are below 2^31.
    static func body(frameCount: Int, playCount: Int) -> [UInt8] {
        var body: [UInt8] = []
        body.appendBigEndian(UInt32(frameCount))
        body.appendBigEndian(UInt32(playCount))
        return body
    }
}
