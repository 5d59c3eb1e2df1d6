// Finds a lossy picture in a WebP file: the bytes of its frame, and those of its alpha.

import ImageCodecsCore

/// Where one lossy picture lies in a file.
struct LossyFrame {
    /// The number of the frame; 0 of a still.
    let index: Int
    /// Whether there are others.
    let isAnimated: Bool
    /// Bytes of the VP8 frame that its chunk says it has, and those that are there.
    let byteCount: Int
    let payload: Range<Int>
    /// Bytes of the alpha plane before it.
    let alpha: Range<Int>?

    /// Finds a frame.
    ///
    /// - Parameters:
    ///   - data: the file.
    ///   - wanted: its number; `nil` for the first lossy one.
    ///   - limits: time counts.
    /// - Throws: `invalidArgument` if the frame is not there or has no macroblocks.
    init(_ data: ImageData, _ wanted: Int?, limits: DecodingLimits) throws(ImageError) {
        let frames = try Self.frames(FileListing(of: data, limits: limits), data)
        guard !frames.isEmpty else { throw .truncated(.webP, offset: data.count) }
        if let wanted, !frames.contains(where: { $0.index == wanted }) {
            let count = (frames.last?.index ?? 0) + 1
            throw .invalidArgument(
                "frame \(wanted): there \(count == 1 ? "is one frame, number 0" : "are \(count) frames, 0 to \(count - 1)")"
            )
        }
        let lossy = frames.first { $0.frame != nil && $0.index == wanted ?? $0.index }
        guard let frame = lossy?.frame else {
            let what = wanted.map { "frame \($0) is lossless" } ?? "nothing in the file is lossy"
            throw .invalidArgument(what + ": lossless pictures have no macroblocks")
        }
        self = frame
    }

    private init(index: Int, isAnimated: Bool, byteCount: Int, payload: Range<Int>, alpha: Range<Int>?) {
        (self.index, self.isAnimated, self.byteCount) = (index, isAnimated, byteCount)
        (self.payload, self.alpha) = (payload, alpha)
    }

    /// The first picture of every frame, `nil` for lossless ones.
    private static func frames(_ listing: FileListing, _ data: ImageData) -> [(index: Int, frame: LossyFrame?)] {
        let isAnimated = listing.parts.contains { $0.name == "ANMF" }
        var (frames, index, alpha) = ([(index: Int, frame: LossyFrame?)](), isAnimated ? -1 : 0, Range<Int>?.none)
        for part in listing.parts {
            let start = min(part.offset + headByteCount, data.count)
            let body = start..<min(start + (part.byteCount ?? 0), data.count)
            switch part.name {
            case "ANMF": (index, alpha) = (index + 1, nil)
            case "ALPH": alpha = body
            case "VP8 " where frames.last?.index != index:
                let frame = LossyFrame(
                    index: index, isAnimated: isAnimated, byteCount: part.byteCount ?? body.count, payload: body,
                    alpha: alpha)
                frames.append((index, frame))
            case "VP8L" where frames.last?.index != index: frames.append((index, nil))
            default: break
            }
        }
        return frames
    }

    /// Bytes of a chunk's name and length.
    private static let headByteCount = 8

    /// The picture and its alpha as a file of their own.
    ///
    /// - Source: RFC 9649 section 2.7 "Extended File Format"
    func file(_ bytes: Span<UInt8>, size: PixelSize) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            Array(name.utf8) + number(body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
        }
        func body(_ range: Range<Int>) -> [UInt8] { range.map { bytes[$0] } }
        let hasAlpha: UInt8 = 0x10
        let head = [hasAlpha, 0, 0, 0] + number(size.width - 1, 3) + number(size.height - 1, 3)
        let chunks =
            chunk("VP8X", head) + (alpha.map { chunk("ALPH", body($0)) } ?? []) + chunk("VP8 ", body(payload))
        return Array("RIFF".utf8) + number(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }
}
