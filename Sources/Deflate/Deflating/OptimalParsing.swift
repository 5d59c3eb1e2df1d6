import ImageCodecsCore

struct OptimalParsing: Sendable {
    private var lazy: LazySearch
    init(segmentByteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        lazy = try LazySearch(segmentByteCount: segmentByteCount, meter: meter)
    }
    static func byteCount(segmentByteCount: Int) -> Int { LazySearch.byteCount(segmentByteCount: segmentByteCount) }
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        try lazy.compress(segment, window, &writer, to: &output, &work)
    }
}
