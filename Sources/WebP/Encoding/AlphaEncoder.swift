// The alpha of one lossy picture: a plane in, an ALPH payload out.
//
//   plane ──▶ filtered in four ways ──▶ the way with the least entropy (Effort.best: every way is tried) ──┬─▶ VP8LEncoder
//                                                                                                         └─▶ or as it is
//   payload: AlphaHeader, then the bytes

package import ImageCodecsCore
import WebPLosslessCodec

/// Writes payloads of ALPH chunks.
///
/// - Source: RFC 9649 §2.7.1.2 "Alpha".
package struct AlphaEncoder: Sendable {
    private let size: PixelSize
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?

    /// Allocates nothing.
    ///
    /// - Parameters:
    ///   - size: of the picture, 1...16,383 both ways.
    ///   - effort: with `best` every filter is tried; else the one whose differences have the least entropy is taken.
    ///   - meter: counts what is held.
    package init(_ size: PixelSize, effort: EncodingOptions.Effort, meter: MemoryMeter?) {
        self.size = size
        self.effort = effort
        self.meter = meter
    }

    /// Bytes that encoding holds at most, the payload included. Saturates.
    package static func byteCount(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> Int {
        // A filtered plane, and two payloads that are compared.
        (size.pixelCount ?? .max).multipliedSaturated(by: 3)
            .addingSaturated(VP8LEncoder.byteCount(size, effort, channelCount: 1))
    }

    /// Codes a plane.
    ///
    /// - Parameters:
    ///   - plane: one byte a pixel, rows without padding.
    ///   - hasReducedLevels: whether it once had more levels.
    ///   - work: asked for each row and while it is coded.
    /// - Returns: the payload, never longer than the plane and its header.
    /// - Throws: `limitExceeded`, `cancelled`.
    /// - Precondition: `plane` has as many bytes as the picture has pixels.
    package func payload(
        of plane: RawSpan, hasReducedLevels: Bool = false, work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        precondition(plane.byteCount == size.width * size.height, "another plane")
        var filtered = try ScratchBuffer(byteCount: plane.byteCount, meter: meter)
        var best: [UInt8]?
        for filter in try filters(of: plane, &filtered, &work) {
            try apply(filter, to: plane, into: &filtered, &work)
            let bitstream = try filtered.withBytes { (bytes) throws(ImageError) in
                try VP8LEncoder.encodeAlpha(
                    bytes, size, effort: effort, meter: meter ?? MemoryMeter(), work: &work)
            }
            guard bitstream.count < min(plane.byteCount, (best?.count ?? .max) - 1) else { continue }
            best = [AlphaHeader(.lossless, filter, hasReducedLevels: hasReducedLevels).byte] + bitstream
        }
        return best ?? [AlphaHeader(.none, .none, hasReducedLevels: hasReducedLevels).byte] + plane.copiedBytes()
    }

    /// The filters that are tried.
    private func filters(
        of plane: RawSpan, _ filtered: inout ScratchBuffer, _ work: inout WorkGuard
    ) throws(ImageError) -> [AlphaFilter] {
        guard effort != .best else { return AlphaFilter.allCases }
        var cheapest: (filter: AlphaFilter, cost: UInt64)?
        for filter in AlphaFilter.allCases {
            try apply(filter, to: plane, into: &filtered, &work)
            var counts = [UInt32](repeating: 0, count: 256)
            for y in 0..<size.height {
                try work.spend(size.width)
                filtered.withBytes(y * size.width..<(y + 1) * size.width) { row in
                    for x in 0..<row.byteCount { counts[Int(row.byte(at: x))] += 1 }
                }
            }
            let cost = Self.entropy(counts)
            if cost < cheapest?.cost ?? .max { cheapest = (filter, cost) }
        }
        // What is left as it is has long runs, of which entropy knows nothing.
        let filter = cheapest?.filter ?? .none
        return effort == .default && filter != .none ? [.none, filter] : [filter]
    }

    /// Replaces a plane by differences.
    private func apply(
        _ filter: AlphaFilter, to plane: RawSpan, into filtered: inout ScratchBuffer, _ work: inout WorkGuard
    ) throws(ImageError) {
        let width = size.width
        for y in 0..<size.height {
            try work.spend(width / 16 + 1)
            let row = y * width..<(y + 1) * width
            let above = y == 0 ? nil : plane.extracting((y - 1) * width..<y * width)
            filtered.withMutableBytes(row) { filter.apply(to: plane.extracting(row), above: above, into: &$0) }
        }
    }

    /// What bytes cost that occur this often, in 1/65,536 of a bit: integers, so that every processor finds the same.
    private static func entropy(_ counts: [UInt32]) -> UInt64 {
        let all = Entropy.product(counts.reduce(0, +))
        return all - min(all, counts.reduce(0) { $0 + Entropy.product($1) })
    }
}

extension AlphaFilter {
    /// Applies the filter to a row.
    ///
    /// - Parameters:
    ///   - row: alpha, one byte a pixel, at least one.
    ///   - above: the row above; `nil` for the first row of a plane.
    ///   - target: receives as many differences.
    /// - Precondition: all have the same length.
    package func apply(to row: RawSpan, above: RawSpan?, into target: inout MutableRawSpan) {
        let width = target.byteCount
        precondition(width > 0 && row.byteCount == width && above?.byteCount ?? width == width, "rows of other lengths")
        // In the first row all filters predict from the left.
        switch (self, above) {
        case (.none, _): target.copy(row)
        case (.horizontal, let above): subtractLeft(row, first: above?.byte(at: 0) ?? 0, &target)
        case (.vertical, nil), (.gradient, nil): subtractLeft(row, first: 0, &target)
        case (.vertical, let above?): AlphaFilterKernels.subtract(above, from: row, into: &target)
        case (.gradient, let above?): AlphaFilterKernels.subtractGradient(above, from: row, into: &target)
        }
    }

    /// Writes the difference of each byte to the one before it.
    private func subtractLeft(_ row: RawSpan, first: UInt8, _ target: inout MutableRawSpan) {
        target.setByte(row.byte(at: 0) &- first, at: 0)
        AlphaFilterKernels.subtract(row, from: row.extracting(1..<row.byteCount), into: &target, at: 1)
    }
}
