// The bytes of a transfer as they came.

package import ImageCodecsCore

/// Bytes that came piece by piece. Small pieces are joined, so that a source that delivers byte by byte costs no more than its bytes; one
/// that delivers everything at once, or much at a time, is not copied.
package struct ReceivedBytes: Sendable {
    private var pieces: [ImageData] = []
    /// Where each of them ends among all bytes.
    private var ends: [Int] = []
    /// Small pieces after those.
    private var tail: [UInt8] = []

    /// Bytes from which on a piece is kept as it is.
    private static let largeByteCount = 1 << 14
    /// Bytes of small pieces that are one piece then.
    private static let joinedByteCount = 1 << 16

    package init() {}

    package var count: Int { (ends.last ?? 0) + tail.count }

    /// Pieces that are held.
    package var pieceCount: Int { pieces.count + (tail.isEmpty ? 0 : 1) }

    package mutating func append(_ piece: ImageData) {
        guard piece.count > 0 else { return }
        if piece.count >= Self.largeByteCount || count == 0 {
            endTail()
            add(piece)
            return
        }
        piece.withBytes { tail.append($0) }
        if tail.count >= Self.joinedByteCount { endTail() }
    }

    private mutating func add(_ piece: ImageData) {
        ends.append((ends.last ?? 0) + piece.count)
        pieces.append(piece)
    }

    private mutating func endTail() {
        guard !tail.isEmpty else { return }
        add(ImageData(tail))
        tail = []
    }

    /// All bytes as one piece, which they are from then on.
    package mutating func joined() -> ImageData {
        if pieces.count == 1, tail.isEmpty { return pieces[0] }
        let data = ImageData(bytes(from: 0))
        (pieces, ends, tail) = ([data], [data.count], [])
        return data
    }

    /// The bytes from `offset` on.
    package func bytes(from offset: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(max(0, count - offset))
        // The first piece that ends after the offset.
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > offset { high = middle } else { low = middle + 1 }
        }
        var skipped = offset - (low > 0 ? ends[low - 1] : 0)
        for piece in pieces[low...] {
            piece.withBytes { bytes.append($0.extracting(droppingFirst: skipped)) }
            skipped = 0
        }
        if skipped < tail.count { bytes += tail[skipped...] }
        return bytes
    }
}
