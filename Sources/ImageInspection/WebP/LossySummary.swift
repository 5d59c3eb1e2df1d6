// How lossy pictures are coded, in words and numbers for a listing.

import ImageCodecsCore
import WebPCodec
import WebPLossyCodec

/// Reads frame headers.
enum LossySummary {
    /// Work for a frame header, however few bytes it has: as many numbers as its tokens have probabilities.
    private static let headerUnitCount = 1 << 12

    /// Reads a bitstream up to the end of its frame header.
    ///
    /// - Parameters:
    ///   - payload: what there is of the bitstream.
    ///   - chunk: its chunk.
    ///   - limits: memory counts.
    ///   - work: asked for the clock.
    /// - Returns: `nil` if it is damaged up to there, or its first partition is cut off.
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    static func read(
        _ payload: Span<UInt8>, _ chunk: RIFFChunk, _ limits: DecodingLimits, _ work: inout WorkGuard
    ) throws(ImageError) -> VP8FrameInfo? {
        try work.spend(headerUnitCount)
        // Many chunks of a few bytes may each claim the largest size: nothing is allocated for what they claim.
        var stream = VP8Stream(extent: .headers, meter: MemoryMeter(limit: limits.maxMemoryByteCount))
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
        return stream.isComplete ? stream.frameInfo : nil
    }

    /// The same in words and numbers.
    ///
    /// - Parameter info: what the bitstream says.
    static func words(_ info: VP8FrameInfo) -> WebPChunkSummary.Words {
        let partitions = info.partitionCount == 1 ? "1 partition" : "\(info.partitionCount) partitions"
        let segments = info.segments.count > 1 ? ", \(info.segments.count) segments" : ""
        let filter =
            info.filterKind == .none
            ? "no loop filter"
            : "\(info.filterKind.rawValue) loop filter of level \(info.filterLevel), sharpness \(info.filterSharpness)"
        let scale = info.header.horizontalScale + info.header.verticalScale > 0 ? ", to be scaled" : ""
        return (
            "profile \(info.header.profile), \(partitions)\(segments), quantizer \(info.quantizer), \(filter)\(scale)",
            [
                FileListing.Detail("profile", .count(info.header.profile)),
                FileListing.Detail("partitionCount", .count(info.partitionCount)),
                FileListing.Detail("segmentCount", .count(info.segments.count)),
                FileListing.Detail("quantizer", .count(info.quantizer)),
                FileListing.Detail("filterLevel", .count(info.filterLevel)),
                FileListing.Detail("filterSharpness", .count(info.filterSharpness)),
            ]
        )
    }
}
