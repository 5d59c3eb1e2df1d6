// Effort best, of short streams: the cheapest way that repeated search finds, unless a quick search has found a cheaper one.

import ImageCodecsCore

/// Codes each segment with ``OptimalParsing``, or as ``LazySearch`` finds it if that is shorter: where matches hardly pay, the search
/// for the cheapest way may end at one that is not. The prices of what the quick search has found are another begin of it.
struct BestSearch: Sendable {
    private var parsing: OptimalParsing
    private var lazy: LazySearch

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - meter: counts the tables.
    init(segmentByteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        parsing = try OptimalParsing(segmentByteCount: segmentByteCount, .best, meter: meter)
        lazy = try LazySearch(segmentByteCount: segmentByteCount, isRefined: true, meter: meter)
    }

    /// Bytes that it holds.
    static func byteCount(segmentByteCount: Int) -> Int {
        OptimalParsing.byteCount(segmentByteCount: segmentByteCount)
            + LazySearch.byteCount(segmentByteCount: segmentByteCount, isRefined: false)
    }

    /// Codes a segment.
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let blocks = try lazy.findBlocks(segment, window, &work)
        let ways = try parsing.findBlocks(segment, window, beside: lazy.prices, &work)
        let bitCount = try parsing.bitCount(ways, segment, window, &writer, &work)
        if try lazy.bitCount(blocks, &writer, &work) < bitCount {
            try lazy.write(blocks, segment, window, &writer, to: &output, &work)
        } else {
            try parsing.write(ways, segment, window, &writer, to: &output, &work)
        }
    }
}
