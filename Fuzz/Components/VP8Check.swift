// Any bytes as a VP8 key frame: in one piece and in several it gives the same rows and the same damage, and never takes more
// memory than promised.

import ImageCore
import WebPLossy

enum VP8Check {
    static func check(_ bytes: [UInt8]) throws {
        guard bytes.count > 12 else { return }
        // A RIFF header in front is passed over, so that files serve as seeds.
        let isFile = bytes.count > 20 && bytes[0] == 0x52 && bytes[12] == 0x56
        let frame = Array(isFile ? bytes[20...] : bytes[...])
        let whole = Outcome(frame, piece: frame.count, keepsPlanes: frame.count % 2 == 0)
        let piece = 1 + frame.reduce(0) { $0 &* 31 &+ Int($1) } & 63
        let pieces = Outcome(frame, piece: piece, keepsPlanes: false)
        try require(
            whole.rowCount == pieces.rowCount, "\(whole.rowCount) rows, in pieces of \(piece) \(pieces.rowCount)")
        try require(whole.pixels == pieces.pixels, "other pixels in pieces of \(piece)")
        try require(whole.macroblocks == pieces.macroblocks, "other macroblocks in pieces of \(piece)")
        try require(
            whole.damage == pieces.damage, "\(whole.damage ?? "none"), in pieces of \(piece) \(pieces.damage ?? "none")"
        )
    }

    private struct Outcome {
        var rowCount = 0
        var pixels: [UInt8] = []
        var macroblocks: [VP8Macroblock?] = []
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
