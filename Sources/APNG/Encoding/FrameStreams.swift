// The zlib streams of sub-frames.
//
//   sub-frame ──▶ scanlines (packed, held) ──▶ filtered in several ways and compressed, to compare ──▶ compressed, to be written

import DeflateCodec
import ImageCodecsCore
import ImageEncoding
import PNGCodec

/// Makes the image data of frames.
struct FrameStreams: Sendable {
    private let colors: FrameColors
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?
    /// How the scanlines of all frames are filtered, once it is decided for all.
    private var commonMethod: Int?

    /// - Parameters:
    ///   - colors: how pixels are written.
    ///   - effort: how many ways are tried, and how hard each is compressed.
    ///   - meter: counts scanlines and what compressing takes.
    init(_ colors: FrameColors, effort: EncodingOptions.Effort, meter: MemoryMeter?) {
        self.colors = colors
        self.effort = effort
        self.meter = meter
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        let widest = PixelEncoding(unchanged: .rgba, grayUse: .refused)
        let pass = pass(size, widest)
        let total = pass.byteCount.addingSaturated(1).multipliedSaturated(by: pass.rowCount)
        let compressing = [tryingEffort(effort), writingEffort(effort)].map {
            ImageDataWriter.estimatedByteCount(byteCount: pass.byteCount, total: total, $0)
        }
        return ScanlineStore.byteCount([pass])
            .addingSaturated(ScanlinePacker.estimatedByteCount(.rgba, width: size.width))
            .addingSaturated(size.width.multipliedSaturated(by: 4))
            .addingSaturated(compressing.max() ?? 0)
    }

    private static func pass(_ size: PixelSize, _ encoding: PixelEncoding) -> ScanlineStore.Pass {
        ScanlineStore.Pass(byteCount: encoding.bytesPerScanline(width: size.width), rowCount: size.height)
    }

    /// What ways to write a frame are compared with: faster than what writes it, but with the same preferences.
    private static func tryingEffort(_ effort: EncodingOptions.Effort) -> CompressionEffort {
        effort == .fast ? .fast : .default
    }

    /// What frames are written with. Most frames are small, so that there is time for more than a still picture gets.
    private static func writingEffort(_ effort: EncodingOptions.Effort) -> CompressionEffort {
        switch effort {
        case .fast: .fast
        case .default: .thorough
        case .best: .best
        }
    }

    /// About how many bytes a frame becomes, and the way to filter it.
    func cost(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> SubFrameCost {
        try cheapest(scanlines(of: frame, &work), skipping: false, &work)
    }

    /// Hands out the image data of a frame in pieces.
    ///
    /// - Parameter method: the way to filter it, from its cost; `nil` if that was not asked for.
    mutating func write(
        _ frame: SubFrame, method: Int?, _ work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let scanlines = try scanlines(of: frame, &work)
        var known = method ?? commonMethod
        if known == nil { known = try cheapest(scanlines, skipping: true, &work).method }
        if effort == .fast { commonMethod = known }
        try scanlines.write(
            strategies[known ?? 0], Self.writingEffort(effort), meter: meter, work: &work, emit: emit)
    }

    /// The way of filtering that makes the shortest stream.
    ///
    /// - Parameter skipping: whether parts may stand for all, if there are many scanlines; bytes are not those of all then.
    private func cheapest(
        _ scanlines: ScanlineStore, skipping: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        let strategies = strategies
        if skipping, strategies.count == 1 { return SubFrameCost(byteCount: 0) }
        let best = try scanlines.bestStrategy(
            of: strategies, Self.tryingEffort(effort), skipping: skipping, meter: meter, work: &work)
        return SubFrameCost(
            byteCount: best.byteCount, method: strategies.firstIndex(of: best.strategy) ?? 0)
    }

    /// Ways to filter the scanlines of a frame; the number of one is its method.
    private var strategies: [FilterStrategy] {
        switch effort {
        case .best: [.fewestBits(step: 1), .fixed(.none), .leastPairEntropy, .fixed(.sub)]
        case .default where colors.encoding.isFiltered: [.fewestBits(step: 1), .fixed(.none)]
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
