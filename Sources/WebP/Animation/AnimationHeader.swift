// ANIM: what counts for a whole animation.

package import ImageCodecsCore

/// The global parameters of an animation.
///
/// - Source: RFC 9649 §2.7.1.1 "Animation".
package struct AnimationHeader: Hashable, Sendable {
    /// Blue, green, red and alpha of the canvas if nothing is drawn: a hint, which nobody paints.
    package let background: UInt32
    /// Total number of plays, 0 for ever.
    package let loopCount: Int

    /// Bytes of the payload; what is after them is passed over.
    package static let byteCount = 6

    /// Reads the payload.
    ///
    /// - Parameters:
    ///   - body: the payload.
    ///   - chunk: the chunk that it is of.
    /// - Throws: `corrupt` for a payload that is too short.
    package init(_ body: Span<UInt8>, _ chunk: RIFFChunk) throws(ImageError) {
        guard body.count >= Self.byteCount else {
            throw .corrupt(
                .webP, .webpChunkSize, offset: chunk.offset, reason: "ANIM of \(chunk.byteCount) bytes instead of 6")
        }
        background = body.littleEndianUInt32(at: 0)
        loopCount = Int(body.littleEndianUInt16(at: 4))
    }
}
