// Which filters another encoder chose: read from a file that is to be written anew.

import DeflateCodec
import ImageCodecsCore

extension ScanlineFilter {
    /// The filter of every scanline of a PNG file without interlacing.
    ///
    /// - Parameters:
    ///   - file: a whole file that was decoded before.
    ///   - meter: counts what unpacking takes.
    ///   - work: is asked for the time.
    /// - Returns: none if the file is interlaced, or damaged.
    static func filters(
        of file: Span<UInt8>, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> [ScanlineFilter] {
        let headerEnd = 8 + ChunkHeader.byteCount + ImageHeader.byteCount
        guard file.count >= headerEnd,
            let header = try? ImageHeader(file.extracting(headerEnd - ImageHeader.byteCount..<headerEnd), offset: 16),
            !header.isInterlaced
        else { return [] }
        var scanlines = FilterBytes(header)
        var inflater = try Inflater(capacity: inflatePieceByteCount, meter: meter)
        var offset = 8
        while file.count - offset >= ChunkHeader.byteCount,
            let chunk = try? ChunkHeader(file.extracting(offset..<offset + ChunkHeader.byteCount), offset: offset)
        {
            let end = min(chunk.bodyOffset + chunk.length, file.count)
            if chunk.type == .imageData {
                let body = file.extracting(chunk.bodyOffset..<end)
                guard try scanlines.inflate(body, &inflater, &work) else { break }
            }
            offset = min(chunk.end, file.count)
        }
        return scanlines.filters.count == header.size.height ? scanlines.filters : []
    }
}

/// Picks the first byte of each scanline out of unpacked image data.
private struct FilterBytes {
    private(set) var filters: [ScanlineFilter] = []
    private let scanlineByteCount: Int
    private let rowCount: Int
    /// Bytes up to the next filter type byte.
    private var distance = 0

    init(_ header: ImageHeader) {
        scanlineByteCount = header.bytesPerScanline(width: header.size.width) + 1
        rowCount = header.size.height
    }

    /// Unpacks a piece; `false` if there is nothing more to unpack.
    mutating func inflate(
        _ piece: Span<UInt8>, _ inflater: inout Inflater, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var rest = piece
        while true {
            // A byte unpacks to a thousand at most, so that a call is over soon.
            let input = rest.extracting(first: inflatePieceByteCount)
            guard let step = try? inflater.inflate(input, limit: inflatePieceByteCount) else { return false }
            rest = rest.extracting(droppingFirst: step.consumed)
            guard inflater.withUnpacked({ pick($0) }) else { return false }
            inflater.discard(step.produced)
            try work.spend(step.consumed + step.produced)
            if step.isFinished || filters.count == rowCount { return false }
            if step.consumed == 0 && step.produced == 0 { return true }
        }
    }

    /// Picks from the next bytes; `false` if a byte is none of a filter.
    private mutating func pick(_ bytes: RawSpan) -> Bool {
        var offset = distance
        while offset < bytes.byteCount, filters.count < rowCount {
            guard let filter = ScanlineFilter(rawValue: bytes.byte(at: offset)) else { return false }
            filters.append(filter)
            offset += scanlineByteCount
        }
        distance = offset - bytes.byteCount
        return true
    }
}
