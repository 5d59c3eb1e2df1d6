// Sequence numbers: which of the chunks fcTL and fdAT may come next.

import ImageCodecsCore
import PNGCodec

/// The order of fcTL and fdAT chunks.
///
///     acTL, [fcTL 0], IDAT ..., fcTL n, fdAT n + 1, fdAT n + 2, ..., fcTL m, fdAT m + 1, ...
///
/// Source: PNG 3rd ed. §11.3.6 "Animation information".
struct FrameSequence: Hashable, Sendable {
    private var nextNumber: UInt32 = 0

    /// Bytes of the sequence number before the data of fdAT.
    static let numberByteCount = 4

    /// Goes on to the next chunk.
    ///
    /// - Parameter number: its sequence number. If it is not this chunk's turn, the chunks after it count on from there.
    /// - Returns: what is wrong with the number.
    mutating func advance(to number: UInt32, _ chunk: ChunkHeader) -> ImageError? {
        let expected = nextNumber
        // At most 2^31 chunks of 12 bytes and more fit into a file; numbers beyond that are wrong anyway.
        nextNumber = number &+ 1
        guard number != expected else { return nil }
        return .corrupt(
            .png, .apngSequenceNumber, offset: chunk.bodyOffset,
            reason: "\(chunk.type.name) number \(number) where \(expected) comes")
    }
}
