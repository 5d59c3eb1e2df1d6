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

    /// The header of an animation that is written: no background colour.
    ///
    /// - Parameter loopCount: total number of plays: 1...``mostPlays``, 0 for ever.
    package init(loopCount: Int) {
        background = 0
        self.loopCount = loopCount
    }

    /// The payload.
    package var body: [UInt8] {
        [0, 0, 0, 0, UInt8(truncatingIfNeeded: loopCount), UInt8(truncatingIfNeeded: loopCount >> 8)]
    }

    /// The most plays that a file can ask for, but for those for ever; more are as many.
    package static let mostPlays = Int(UInt16.max)

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
