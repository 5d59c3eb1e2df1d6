// Any bytes as a VP8 key frame, or as decisions on one: in one piece and in several it gives the same rows, the same samples
// and the same damage.

import CodecTestSupport
import HostileFiles
import ImageCodecsCore
import WebPLossyCodec

enum VP8Check {
    static func check(_ bytes: [UInt8]) throws {
        guard bytes.count > 12 else { return }
        let frame = frame(of: bytes)
        guard !frame.isEmpty else { return }
        let whole = Outcome(frame, piece: frame.count, keepsPlanes: frame.count % 2 == 0)
        let piece = 1 + frame.reduce(0) { $0 &* 31 &+ Int($1) } & 63
        let pieces = Outcome(frame, piece: piece, keepsPlanes: frame.count % 4 == 0)
        try require(
            whole.rowCount == pieces.rowCount, "\(whole.rowCount) rows, in pieces of \(piece) \(pieces.rowCount)")
        try require(whole.pixels == pieces.pixels, "other pixels in pieces of \(piece)")
        try require(whole.macroblocks == pieces.macroblocks, "other macroblocks in pieces of \(piece)")
        try require(
            whole.damage == pieces.damage, "\(whole.damage ?? "none"), in pieces of \(piece) \(pieces.damage ?? "none")"
        )
        guard frame.count % 4 == 0 else { return }
        try require(whole.planes == pieces.planes, "other samples in pieces of \(piece)")
    }

    /// A file's frame, or the bytes as they are; the first byte of what is no key frame begins decisions.
    private static func frame(of bytes: [UInt8]) -> [UInt8] {
        // A RIFF header in front is passed over, so that files serve as seeds.
        if bytes.count > 20, bytes[0] == 0x52, bytes[12] == 0x56 { return Array(bytes[20...]) }
        guard bytes[0] & 1 == 1 else { return bytes }
        var source = DecisionSource(Array(bytes.dropFirst()))
        source.isCalm = bytes[0] & 2 == 0
        let (width, height) = (1 + source.below(90), 1 + source.below(90))
        return LossyRecipe.bytes(width: width, height: height, &source)
    }

    private struct Outcome {
        var rowCount = 0
        var pixels: [UInt8] = []
        var macroblocks: [VP8Macroblock?] = []
        var planes: [Bitmap] = []
        var damage: String?

        init(_ frame: [UInt8], piece: Int, keepsPlanes: Bool) {
            var decoder = VP8Decoder(
                byteCount: frame.count, keepsPlanes: keepsPlanes, keepsMacroblocks: true, limits: .small)
            do {
                var start = 0
                while start < frame.count {
                    let end = min(start + piece, frame.count)
                    try frame[start..<end].withSpan { try decoder.append($0) }
                    start = end
                }
                try decoder.finish()
            } catch {
                damage = (error as? ImageError)?.damageCode?.rawValue ?? (error as? ImageError)?.code
            }
            (rowCount, pixels) = (decoder.rowCount, decoder.picture.packedBytes())
            planes = (try? decoder.planes()) ?? []
            // One macroblock of each row, along a diagonal.
            macroblocks = (0..<decoder.macroblockRowCount).map { row in
                decoder.macroblock(column: row % decoder.macroblockGrid.width, row: row)
            }
        }
    }
}

extension ArraySlice where Element == UInt8 {
    fileprivate func withSpan(_ body: (Span<UInt8>) throws -> Void) throws { try body(span) }
}
