// How one frame of a file is coded: chunks of its own, ALPH and `VP8 `, or VP8L.

package import ImageCodecsCore

/// One frame of a file, without its chunks.
package struct WebPFrame: CodedFrame {
    /// What its rows hold.
    let layout: SampleLayout

    package var rows: SubFrameRows { SubFrameRows(layout: layout) }

    package var heldByteCount: Int { 0 }

    /// - Parameter bytes: the chunks in the frame, of which the last may be cut off; when they were read they were in order.
    package func decode(
        _ bytes: Span<UInt8>, offset: Int, areKept: Bool, into rows: inout FramePainter, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        var decoder = WebPFrameDecoder(threads: 1, meter: meter)
        var reader = RIFFReader(inFrameAt: offset)
        var position = 0
        while let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            switch step {
            case .begins(let chunk):
                if chunk.type == .alpha { try decoder.beginAlpha(size: rows.frameSize) }
                if chunk.type == .alpha || PictureHeader.kind(of: chunk.type) != nil { reader.accept(chunk, .stream) }
            case .stream(let chunk, let body, _):
                let payload = bytes.extracting(body)
                let place = offset + body.lowerBound
                if let kind = PictureHeader.kind(of: chunk.type) {
                    try decoder.beginPicture(PictureHeader(kind, payload, chunk))
                    _ = try decoder.decode(
                        payload, offset: place, isFinal: true, byteCount: chunk.byteCount, work: &work
                    ) { row, y in rows.write(row, index: y) }
                    try decoder.end(chunk)
                    return nil
                }
                _ = try decoder.decodeAlpha(payload, offset: place, isFinal: true, work: &work)
                position = body.upperBound
                reader.skipRest(of: chunk)
            case .file, .first, .frame, .frameEnds, .ends: break
            }
        }
        throw .corrupt(.webP, .webpImageMissing, offset: offset + bytes.count, reason: "a frame without a picture")
    }
}
