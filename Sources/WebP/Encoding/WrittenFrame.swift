// One frame of an animation without loss: rows of a sub-frame in, the chunks of its picture out.

import ImageCodecsCore
import ImageEncoding
import WebPLosslessCodec

/// A frame as it is coded.
struct WrittenFrame: Sendable {
    /// The chunks of its picture.
    let chunks: RIFFWriter
    /// Whether a pixel is not opaque.
    let hasAlpha: Bool
    /// Counts what is held of it.
    private let reservation: MemoryReservation

    init(_ chunks: RIFFWriter, hasAlpha: Bool, meter: MemoryMeter) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: chunks.bytes.count, meter: meter)
        self.chunks = chunks
        self.hasAlpha = hasAlpha
    }

    var byteCount: Int { chunks.bytes.count }
}

extension WrittenFrame {
    /// Codes a sub-frame without loss.
    init(
        lossless frame: SubFrame, _ effort: EncodingOptions.Effort, meter: MemoryMeter, _ work: inout WorkGuard
    ) throws(ImageError) {
        var encoder = VP8LEncoder(frame.rect.size, VP8LEncoder.Settings(effort: effort), meter: meter)
        var row = try ScratchBuffer(byteCount: 4 * frame.rect.width, meter: meter)
        for y in 0..<frame.rect.height {
            try work.spend(frame.rect.width)
            row.withMutableBytes { frame.copyRow(y, into: &$0) }
            try row.withBytes { (row) throws(ImageError) in try encoder.add(row, &work) }
        }
        var chunks = RIFFWriter()
        chunks.append(.lossless, try encoder.finish(&work))
        try self.init(chunks, hasAlpha: encoder.hasAlpha, meter: meter)
    }
}
