// Which chunk may come next: sequence numbers, and frames whose data are there.

import ImageCore
import PNG

/// The order of fcTL and fdAT chunks.
///
///     acTL, [fcTL 0], IDAT ..., fcTL n, fdAT n + 1, fdAT n + 2, ..., fcTL m, fdAT m + 1, ...
///
/// Source: PNG 3rd ed. §11.3.6 "Animation information".
struct FrameDataStream: Hashable, Sendable {
    private var nextNumber: UInt32 = 0

    /// Takes the sequence number of the next chunk.
    ///
    /// - Throws: `corrupt` where it is another than its turn.
    mutating func take(_ number: UInt32, _ chunk: ChunkHeader) throws(ImageError) {
        guard number == nextNumber else {
            throw .corrupt(
                .png, .apngSequenceNumber, offset: chunk.bodyOffset,
                reason: "\(chunk.type.name) number \(number) where \(nextNumber) comes")
        }
        // At most 2^31 chunks of 12 bytes and more fit into a file; numbers beyond that are refused here.
        nextNumber = nextNumber &+ 1
    }

    /// Bytes of the sequence number in front of the data of fdAT.
    static let numberByteCount = 4
}
