// The zlib streams of sub-frames: tried in several ways, and the shortest kept until its frame is written.
//
//   sub-frame ──▶ scanlines (packed, held) ──▶ filtered in several ways, compressed ──▶ the shortest

import DeflateCodec
import ImageCodecsCore
import PNGCodec

/// Makes the image data of frames.
struct FrameStreams: Sendable {
    /// A compressed frame.
    private struct Stream: Sendable {
        /// The way its scanlines were filtered.
        let method: Int
        let bytes: ByteCollector
    }

    private let colors: FrameColors
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?
    /// The shortest stream since the last frame was written, and the one that was when that frame was.
    private var candidate: Stream?
    private var waiting: Stream?
    /// How the scanlines of all frames are filtered, once it is decided for all.
    private var commonMethod: Int?

    /// - Parameters:
    ///   - colors: how pixels are written.
    ///   - effort: how many ways are tried, and how hard each is compressed.
    ///   - meter: counts scanlines and streams.
    init(_ colors: FrameColors, effort: EncodingOptions.Effort, meter: MemoryMeter?) {
        self.colors = colors
        self.effort = effort
        self.meter = meter
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        let widest = PixelEncoding(unchanged: .rgba, grayUse: .refused)
        let scanlines = ScanlineStore.byteCount([pass(size, widest)])
        var count =
            scanlines
            .addingSaturated(ScanlinePacker.estimatedByteCount(.rgba, width: size.width))
            .addingSaturated(size.width.multipliedSaturated(by: 4))
            .addingSaturated(ImageDataWriter.estimatedByteCount(widest, size: size, effort: effort))
        if effort == .default {
            // The stream that waits, the shortest and the one that is tried, with room to grow; none is longer than stored bytes.
            let stream = scanlines.addingSaturated(size.height).addingSaturated(scanlines / 1024 + 1024)
            count = count.addingSaturated(stream.multipliedSaturated(by: 6))
        }
        return count
    }

    private static func pass(_ size: PixelSize, _ encoding: PixelEncoding) -> ScanlineStore.Pass {
        ScanlineStore.Pass(byteCount: encoding.bytesPerScanline(width: size.width), rowCount: size.height)
    }

    /// Bytes of the shortest stream that a frame becomes.
    mutating func cost(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> SubFrameCost {
        let scanlines = try scanlines(of: frame, &work)
        // If frames are compressed harder in the end, only the way of filtering is kept.
        guard effort == .default else {
            let best = try scanlines.bestStrategy(of: strategies, .default, meter: meter, work: &work)
            return SubFrameCost(
                byteCount: best.byteCount, method: strategies.firstIndex(of: best.strategy) ?? 0)
        }
        var shortest = SubFrameCost(byteCount: .max)
        for (method, strategy) in strategies.enumerated() {
            let byteCount = try tryOut(scanlines, method, strategy, &work)
            if byteCount < shortest.byteCount { shortest = SubFrameCost(byteCount: byteCount, method: method) }
        }
        return shortest
    }

    /// Compresses a frame, and keeps the stream if it is the shortest so far.
    private mutating func tryOut(
        _ scanlines: ScanlineStore, _ method: Int, _ strategy: FilterStrategy, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        let shortest = candidate?.bytes.count ?? .max
        var bytes = ByteCollector(meter: meter)
        var byteCount = 0
        let clock = work
        try scanlines.write(strategy, CompressionEffort(effort), meter: meter, work: &work) {
            (piece) throws(ImageError) in
            byteCount += piece.byteCount
            guard byteCount < shortest else { return }
            try bytes.append(Span<UInt8>(_bytes: piece), work: clock)
        }
        if byteCount < shortest { candidate = Stream(method: method, bytes: bytes) }
        return byteCount
    }

    /// Hands out the image data of a frame in pieces.
    ///
    /// - Parameter method: of the cost that decided for it; `nil` if nothing was compared.
    mutating func write(
        _ frame: SubFrame, method: Int?, _ work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var stream = method == nil || effort != .default ? nil : waiting
        waiting = candidate.take()
        if effort == .default, stream == nil {
            _ = try cost(of: frame, &work)
            stream = candidate.take()
        }
        if let stream {
            return try stream.bytes.withBytes { (bytes) throws(ImageError) in
                try bytes.withRawBytes { (bytes) throws(ImageError) in try Self.cut(bytes, emit) }
            }
        }
        let scanlines = try scanlines(of: frame, &work)
        var method = method
        if method == nil { method = try chooseMethod(scanlines, &work) }
        try scanlines.write(
            strategies[method ?? 0], CompressionEffort(effort), meter: meter, work: &work, emit: emit)
    }

    private static func cut(
        _ bytes: RawSpan, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var start = 0
        while start < bytes.byteCount {
            let end = min(start + ImageDataWriter.pieceByteCount, bytes.byteCount)
            try emit(bytes.extracting(start..<end))
            start = end
        }
    }

    /// The way to filter a frame to which there is no alternative.
    private mutating func chooseMethod(
        _ scanlines: ScanlineStore, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        if let commonMethod { return commonMethod }
        let strategies = strategies
        guard strategies.count > 1 else { return 0 }
        let best = try scanlines.bestStrategy(
            of: strategies, effort == .fast ? .fast : .default, skipping: true, meter: meter, work: &work)
        let method = strategies.firstIndex(of: best.strategy) ?? 0
        if effort == .fast { commonMethod = method }
        return method
    }

    /// Ways to filter the scanlines of a frame; the number of one is its method.
    private var strategies: [FilterStrategy] {
        switch effort {
        case .best: [.fewestBits(step: 1), .fixed(.none), .fewestPairs, .fixed(.sub)]
        case .default where colors.encoding.isFiltered: [.fewestBits(step: 1), .fixed(.none), .fewestPairs]
        case .fast where colors.encoding.isFiltered: [.fewestBits(step: 4), .fixed(.none)]
        case .default, .fast: [.fixed(.none)]
        }
    }

    /// The scanlines of a frame, before they are filtered.
    private func scanlines(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> ScanlineStore {
        let encoding = colors.encoding
        var store = try ScanlineStore(
            [Self.pass(frame.rect.size, encoding)], distance: encoding.filterDistance, meter: meter)
        var packer = try ScanlinePacker(from: .rgba, to: encoding, width: frame.rect.width, meter: meter)
        var row = try ScratchBuffer(byteCount: 4 * frame.rect.width, meter: meter)
        for y in 0..<frame.rect.height {
            try work.spend(frame.rect.width)
            row.withMutableBytes { frame.copyRow(y, into: &$0, clear: colors.clear) }
            row.withBytes { row in store.set(pass: 0, row: y) { packer.pack(row, into: &$0) } }
        }
        return store
    }
}
