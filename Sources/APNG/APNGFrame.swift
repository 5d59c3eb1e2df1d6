// How one frame of a file is coded: with the colors and the depth of the file's header, as a zlib stream of its own.

package import ImageCodecsCore
import PNGCodec

/// What all frames of a file have in common.
final class FrameCoding: Sendable {
    let header: ImageHeader
    let layout: SampleLayout
    /// Whether a wrong checksum of a chunk ends a frame.
    let isStrict: Bool

    /// - Parameter still: has read the header.
    init?(_ still: PNGStream, _ options: DecodingOptions) {
        guard let header = still.header, let layout = still.layout else { return nil }
        self.header = header
        self.layout = layout
        isStrict = options.strictness == .strict
    }

    /// What decodes the data of a frame.
    func assembly(size: PixelSize, meter: MemoryMeter?) throws(ImageError) -> FrameAssembly {
        try FrameAssembly(header, size: size, meter: meter)
    }
}

/// One frame of a file, without its data.
package struct APNGFrame: CodedFrame {
    let coding: FrameCoding

    package var rows: SubFrameRows {
        SubFrameRows(layout: coding.layout, order: coding.header.isInterlaced ? .passes : .topToBottom)
    }

    package var heldByteCount: Int { 0 }

    /// - Parameters:
    ///   - bytes: kept ones are the data alone; in the file, chunks with the data and what stands between them.
    package func decode(
        _ bytes: Span<UInt8>, offset: Int, areKept: Bool, into rows: inout FramePainter, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        var assembly = try coding.assembly(size: rows.frameSize, meter: meter)
        var damage: ImageError?
        do throws(ImageError) {
            if areKept {
                try assembly.decode(bytes, offset: offset, into: &rows, work: &work)
            } else {
                damage = try walk(bytes, offset: offset, &assembly, &rows, &work)
            }
        } catch {
            let end = try assembly.finishDamaged(error, into: &rows, work: &work)
            guard end.isWhole, !coding.isStrict else { throw end.damage }
            return end.damage
        }
        try assembly.finishRows(into: &rows, work: &work)
        do throws(ImageError) {
            try assembly.end(offset: offset + bytes.count)
        } catch {
            guard assembly.isWhole, !coding.isStrict else { throw error }
            return ImageError.earlier(damage, error)
        }
        return damage
    }

    /// Decodes what the chunks of a frame hold.
    ///
    /// - Returns: the first chunk with a wrong checksum, if those are tolerated.
    private func walk(
        _ bytes: Span<UInt8>, offset: Int, _ assembly: inout FrameAssembly, _ rows: inout FramePainter,
        _ work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        var reader = ChunkReader.atChunk
        var (position, numberByteCount) = (0, 0)
        // A frame is all IDAT or all fdAT; other chunks are skipped.
        var dataType: ChunkType?
        var damage: ImageError?
        while let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            switch step {
            case .begins(let chunk):
                guard chunk.type == dataType ?? chunk.type, chunk.type == .imageData || chunk.type == .frameData
                else { continue }
                dataType = chunk.type
                numberByteCount = chunk.type == .frameData ? FrameSequence.numberByteCount : 0
                reader.accept(chunk, .pieces(leading: numberByteCount))
            case .piece(_, let body):
                let skipped = min(numberByteCount, body.count)
                numberByteCount = 0
                try assembly.decode(
                    bytes.extracting(body.lowerBound + skipped..<body.upperBound),
                    offset: offset + body.lowerBound + skipped, into: &rows, work: &work)
            case .ends(let chunk, let checksums):
                guard !checksums.agree else { continue }
                let error = PNGStream.wrongChecksum(of: chunk)
                if coding.isStrict {
                    try assembly.finishRows(into: &rows, work: &work)
                    throw error
                }
                damage = damage ?? error
            case .whole: break
            }
        }
        return damage
    }
}
