// The alpha of one lossy picture: an ALPH payload in, rows of alpha out.
//
//   payload ──▶ header ──┬─▶ bytes as they are ──────────┬─▶ filter undone in the plane ──▶ rows
//                        └─▶ lossless picture, green ────┘

package import ImageCodecsCore
import WebPLosslessCodec

/// Decodes the payload of an ALPH chunk while it comes.
///
/// Damage is kept, not thrown: it counts when a row that it cost is wanted, and not at all if the picture after the
/// chunk is lossless and has its own alpha.
///
/// A value: a copy is a checkpoint.
///
/// - Source: RFC 9649 §2.7.1.2 "Alpha".
package struct AlphaPlane: Sendable {
    private enum Coding: Sendable {
        /// The header is not read.
        case unknown
        /// Bytes of the plane that came.
        case none(byteCount: Int)
        case lossless(VP8LStream)
        /// Nothing more is read.
        case ended
    }

    /// Width and height of the picture.
    package let size: PixelSize
    /// How alpha is coded, once that is known.
    package private(set) var header: AlphaHeader?
    /// Rows that are decoded, from the top.
    package private(set) var rowCount = 0
    /// What ended the decode early.
    package private(set) var damage: ImageError?
    private var coding = Coding.unknown
    /// One byte a pixel, rows without padding.
    private var plane: ScratchBuffer
    private let meter: MemoryMeter?

    /// Bytes that are unfiltered before the clock is asked.
    private static let stepByteCount = 1 << 16

    /// Allocates the plane.
    ///
    /// - Parameters:
    ///   - size: of the picture, not empty.
    ///   - meter: counts the memory.
    /// - Throws: `limitExceeded(.memory)`.
    package init(size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        self.size = size
        self.meter = meter
        plane = try ScratchBuffer(byteCount: Self.planeByteCount(size), meter: meter)
    }

    private static func planeByteCount(_ size: PixelSize) -> Int { size.width.multipliedSaturated(by: size.height) }

    /// The most memory that decoding alpha takes. Saturates.
    ///
    /// - Parameter size: of the picture.
    package static func byteCount(_ size: PixelSize) -> Int {
        planeByteCount(size).addingSaturated(VP8LStream.estimatedByteCount(.alpha(size), size: size))
    }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        // What is whole is only read.
        guard !isEnded else { return }
        try plane.makeUnique()
        guard case .lossless(var stream) = coding else { return }
        coding = .ended
        defer { coding = .lossless(stream) }
        try stream.makeUnique()
    }

    private var isEnded: Bool {
        if case .ended = coding { true } else { false }
    }

    /// Decodes what there is of the payload.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes of it.
    ///   - offset: where they stand in the file.
    ///   - isFinal: whether the payload ends after them.
    ///   - work: asked while rows are decoded.
    /// - Returns: how many bytes are not needed again.
    /// - Throws: `limitExceeded`, `cancelled`; no damage.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var used = 0
        do throws(ImageError) {
            used = try decode(bytes, offset: offset, isFinal: isFinal, work: &work)
        } catch {
            guard error.isDamage else { throw error }
            damage = error
            coding = .ended
        }
        if isFinal || rowCount == size.height {
            if rowCount < size.height, damage == nil { damage = missing(offset + bytes.count) }
            coding = .ended
        }
        return isEnded ? bytes.count : used
    }

    private func missing(_ offset: Int) -> ImageError {
        .corrupt(
            .webP, .webpAlphaShort, offset: offset,
            reason: "the alpha ends in row \(rowCount) of \(size.height)")
    }

    private mutating func decode(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var start = 0
        if case .unknown = coding {
            guard !bytes.isEmpty else { return 0 }
            try beginPlane(AlphaHeader(bytes[0], offset: offset))
            start = AlphaHeader.byteCount
        }
        let rest = bytes.extracting(droppingFirst: start)
        switch coding {
        case .unknown, .ended: return bytes.count
        case .none(let byteCount): return start + (try copy(rest, behind: byteCount, &work))
        case .lossless:
            return start + (try decodeLossless(rest, offset: offset + start, isFinal: isFinal, work: &work))
        }
    }

    private mutating func beginPlane(_ header: AlphaHeader) {
        self.header = header
        coding =
            switch header.compression {
            case .none: .none(byteCount: 0)
            case .lossless: .lossless(VP8LStream(.alpha(size), meter: meter))
            }
    }

    /// Takes bytes that are not compressed; what is after the last row is ignored.
    private mutating func copy(
        _ bytes: Span<UInt8>, behind byteCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var (position, count) = (0, byteCount)
        let total = min(plane.byteCount - byteCount, bytes.count)
        while position < total {
            let piece = bytes.extracting(position..<min(total, position + Self.stepByteCount))
            try work.spend(piece.count)
            plane.withMutableBytes { $0.copy(piece, at: count) }
            position += piece.count
            count += piece.count
            for y in rowCount..<count / size.width { undoFilter(y) }
            rowCount = count / size.width
        }
        coding = .none(byteCount: count)
        return bytes.count
    }

    private mutating func decodeLossless(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        guard case .lossless(var stream) = coding else { return bytes.count }
        // Out of `self` for the call, so that the buffers in it are not shared.
        coding = .ended
        defer { coding = .lossless(stream) }
        let width = size.width
        return try stream.consume(bytes, offset: offset, isFinal: isFinal, work: &work) { row, y in
            plane.withMutableBytes { $0.copy(row.extracting(0..<width), at: y * width) }
            undoFilter(y)
            rowCount = y + 1
        }
    }

    private mutating func undoFilter(_ y: Int) {
        guard let filter = header?.filter, filter != .none else { return }
        let width = size.width
        let start = max(0, y - 1) * width
        plane.withMutablePixels(start..<(y + 1) * width) { filter.undo(&$0, width: width) }
    }

    /// The alpha of a row.
    ///
    /// - Parameters:
    ///   - y: the row.
    ///   - body: gets one byte a pixel.
    /// - Precondition: the row is decoded.
    package func withRow(_ y: Int, _ body: (RawSpan) -> Void) {
        precondition(y < rowCount, "a row that is not decoded")
        plane.withBytes(y * size.width..<(y + 1) * size.width) { body($0) }
    }
}
