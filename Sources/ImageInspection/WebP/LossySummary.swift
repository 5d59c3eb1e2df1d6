// How lossy pictures are coded, in words and numbers for a listing.

import ImageCodecsCore
import WebPCodec
import WebPLossyCodec

/// Reads frame headers.
enum LossySummary {
    /// Work for a frame header, however few bytes it has: so many numbers are the probabilities of its tokens.
    private static let headerUnitCount = 1 << 12

    /// Reads a bitstream up to the end of its frame header.
    ///
    /// - Parameters:
    ///   - payload: what there is of the bitstream.
    ///   - chunk: its chunk.
    ///   - limits: memory counts.
    ///   - work: asked for the clock.
    /// - Returns: `nil` where it is damaged up to there, or its first partition is cut off.
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    static func read(
        _ payload: Span<UInt8>, _ chunk: RIFFChunk, _ limits: DecodingLimits, _ work: inout WorkGuard
    ) throws(ImageError) -> VP8Facts? {
        try work.spend(headerUnitCount)
        // Many chunks of a few bytes may each claim the largest size: nothing is allocated for what they claim.
        var stream = VP8Stream(extent: .facts, meter: MemoryMeter(limit: limits.maxMemoryByteCount))
        var position = 0
        do throws(ImageError) {
            while !stream.isComplete {
                let end = VP8Header.byteCount + (stream.header?.firstPartitionByteCount ?? 0)
                guard end <= payload.count else { return nil }
                let used = try stream.consume(
                    payload.extracting(position..<end), offset: chunk.bodyOffset + position, isFinal: false,
                    byteCount: chunk.byteCount, work: &work
                ) { _, _ in }
                position += used
                if used == 0 { break }
            }
        } catch {
            switch error {
            case .cancelled, .limitExceeded(.time, _, _): throw error
            default: return nil
            }
        }
        return stream.isComplete ? stream.facts : nil
    }

    /// The same in words and numbers.
    ///
    /// - Parameter facts: what the bitstream says.
    static func words(_ facts: VP8Facts) -> WebPChunkSummary.Words {
        let partitions = facts.partitionCount == 1 ? "1 partition" : "\(facts.partitionCount) partitions"
        let segments = facts.segments.count > 1 ? ", \(facts.segments.count) segments" : ""
        let filter =
            facts.filterKind == .none
            ? "no loop filter"
            : "\(facts.filterKind.rawValue) loop filter of level \(facts.filterLevel), sharpness \(facts.filterSharpness)"
        let scale = facts.header.horizontalScale + facts.header.verticalScale > 0 ? ", to be scaled" : ""
        return (
            "profile \(facts.header.profile), \(partitions)\(segments), quantizer \(facts.quantizer), \(filter)\(scale)",
            [
                FileListing.Fact("profile", .count(facts.header.profile)),
                FileListing.Fact("partitionCount", .count(facts.partitionCount)),
                FileListing.Fact("segmentCount", .count(facts.segments.count)),
                FileListing.Fact("quantizer", .count(facts.quantizer)),
                FileListing.Fact("filterLevel", .count(facts.filterLevel)),
                FileListing.Fact("filterSharpness", .count(facts.filterSharpness)),
            ]
        )
    }
}
