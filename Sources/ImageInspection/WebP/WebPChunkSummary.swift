// What a chunk says in a few words, and its numbers.

import ImageCodecsCore
import WebPCodec
import WebPLosslessCodec
import WebPLossyCodec

/// Describes chunks for a listing.
enum WebPChunkSummary {
    typealias Words = (summary: String, facts: [FileListing.Fact])

    /// Describes a chunk; of damaged ones nothing is said.
    ///
    /// - Parameters:
    ///   - chunk: any chunk.
    ///   - body: what there is of its payload.
    ///   - limits: for what has to be decoded of it.
    ///   - freeByteCount: memory for that besides what there are bytes for, of all chunks together.
    ///   - work: asked while that is.
    static func words(
        _ chunk: RIFFChunk, _ body: Span<UInt8>, _ limits: DecodingLimits, freeByteCount: inout Int,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Words {
        switch chunk.type {
        case .extended: return (try? ExtendedHeader(body, chunk)).map(words) ?? ("", [])
        case .animation: return (try? AnimationHeader(body, chunk)).map(words) ?? ("", [])
        case .frame: return body.count >= FrameChunk.byteCount ? words(FrameChunk(body)) : ("", [])
        case .alpha: return try alpha(chunk, body)
        case .lossy, .lossless: return try picture(chunk, body, limits, freeByteCount: &freeByteCount, &work)
        default: return ("", [])
        }
    }

    private static func words(_ header: ExtendedHeader) -> Words {
        let names: [(ExtendedHeader.Flags, String)] = [
            (.animation, "animation"), (.alpha, "alpha"), (.colorProfile, "color profile"), (.exif, "EXIF"),
            (.xmp, "XMP"),
        ]
        let flags = names.filter { header.flags.contains($0.0) }.map(\.1)
        let summary = (["canvas of \(header.canvasSize) pixels"] + flags).joined(separator: ", ")
        return (
            summary,
            [
                FileListing.Fact("width", .count(header.canvasSize.width)),
                FileListing.Fact("height", .count(header.canvasSize.height)),
                FileListing.Fact("flags", .count(Int(header.flags.rawValue))),
            ]
        )
    }

    private static func words(_ header: AnimationHeader) -> Words {
        let plays = header.loopCount == 0 ? "played for ever" : "played \(header.loopCount) times"
        return (
            plays,
            [
                FileListing.Fact("loopCount", .count(header.loopCount)),
                FileListing.Fact("background", .checksum(header.background)),
            ]
        )
    }

    private static func words(_ header: FrameChunk) -> Words {
        let duration = header.duration.wholeMilliseconds
        let blending = header.blending == .over ? "laid over" : "in place"
        let disposal = header.disposal == .clear ? ", cleared afterwards" : ""
        return (
            "\(header.rect) pixels, \(duration) ms, \(blending)" + disposal,
            [
                FileListing.Fact("x", .count(header.rect.x)), FileListing.Fact("y", .count(header.rect.y)),
                FileListing.Fact("width", .count(header.rect.width)),
                FileListing.Fact("height", .count(header.rect.height)),
                FileListing.Fact("durationMS", .count(duration)),
            ]
        )
    }

    private static func alpha(_ chunk: RIFFChunk, _ body: Span<UInt8>) throws(ImageError) -> Words {
        guard body.count > 0, let header = try? AlphaHeader(body[0], offset: chunk.bodyOffset) else { return ("", []) }
        let filters: [AlphaFilter: String] = [
            .none: "no filter", .horizontal: "horizontal filter", .vertical: "vertical filter",
            .gradient: "gradient filter",
        ]
        let summary =
            (header.compression == .none ? "not compressed" : "lossless") + ", " + (filters[header.filter] ?? "")
            + (header.hasReducedLevels ? ", levels reduced" : "")
        return (
            summary,
            [
                FileListing.Fact("compression", .count(Int(header.compression.rawValue))),
                FileListing.Fact("filter", .count(Int(header.filter.rawValue))),
                FileListing.Fact("hasReducedLevels", .count(header.hasReducedLevels ? 1 : 0)),
            ]
        )
    }

    private static func picture(
        _ chunk: RIFFChunk, _ body: Span<UInt8>, _ limits: DecodingLimits, freeByteCount: inout Int,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Words {
        guard let kind = PictureHeader.kind(of: chunk.type), body.count >= PictureHeader.byteCount(kind),
            let header = try? PictureHeader(kind, body, chunk)
        else { return ("", []) }
        var words: Words = (
            "\(header.size) pixels" + (header.hasAlpha ? ", with alpha" : ""),
            [
                FileListing.Fact("width", .count(header.size.width)),
                FileListing.Fact("height", .count(header.size.height)),
            ]
        )
        if kind == .lossless,
            let facts = try LosslessSummary.read(
                body, offset: chunk.bodyOffset, limits, freeByteCount: &freeByteCount, &work)
        {
            let more = LosslessSummary.words(facts)
            words = (words.summary + "; " + more.summary, words.facts + more.facts)
        }
        if kind == .lossy, let facts = try LossySummary.read(body, chunk, limits, &work) {
            let more = LossySummary.words(facts)
            words = (words.summary + "; " + more.summary, words.facts + more.facts)
        }
        return words
    }
}

/// How lossless pictures are coded.
enum LosslessSummary {
    /// Reads a bitstream up to its pixels.
    ///
    /// - Parameters:
    ///   - payload: what there is of the bitstream.
    ///   - offset: where it stands in the file.
    ///   - limits: memory counts.
    ///   - freeByteCount: memory that all pictures of the file together may take besides what they have bytes for.
    ///   - work: asked for the clock.
    /// - Returns: `nil` where it is damaged or cut off before them, or takes more memory than there may be.
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    static func read(
        _ payload: Span<UInt8>, offset: Int, _ limits: DecodingLimits, freeByteCount: inout Int,
        _ work: inout WorkGuard
    ) throws(ImageError) -> VP8LFacts? {
        // A few bytes can stand for large images of transforms; those of real pictures are small beside their bytes.
        let earned = payload.count.multipliedSaturated(by: 1 << 10)
        let allowed = min(limits.maxMemoryByteCount, min(freeByteCount, 1 << 18).addingSaturated(earned))
        let meter = MemoryMeter(limit: allowed)
        defer { freeByteCount -= max(0, meter.peak - earned) }
        var stream = VP8LStream(.picture, extent: .facts, meter: meter)
        var position = 0
        do throws(ImageError) {
            while !stream.isComplete {
                let used = try stream.consume(
                    payload.extracting(droppingFirst: position), offset: offset + position, isFinal: true, work: &work
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
        return stream.facts.prefixCodeGroupCount > 0 ? stream.facts : nil
    }

    /// The same in words and numbers.
    ///
    /// - Parameter facts: what the bitstream says.
    static func words(_ facts: VP8LFacts) -> WebPChunkSummary.Words {
        let transforms = facts.transforms.map { (transform: VP8LFacts.Transform) in
            switch transform {
            case .predictor(let blockSize): "predictor (\(blockSize))"
            case .color(let blockSize): "color (\(blockSize))"
            case .subtractGreen: "subtract green"
            case .colorIndexing(let colorCount, let pixelsPerByte):
                "\(colorCount) colors" + (pixelsPerByte > 1 ? " (\(pixelsPerByte) pixels a byte)" : "")
            }
        }
        let cache = facts.colorCacheBits > 0 ? "color cache of \(facts.colorCacheBits) bits" : "no color cache"
        let groups =
            facts.prefixCodeGroupCount == 1 ? "1 prefix code group" : "\(facts.prefixCodeGroupCount) prefix code groups"
        return (
            ((transforms.isEmpty ? ["no transforms"] : transforms) + [cache, groups]).joined(separator: ", "),
            [
                FileListing.Fact("transformCount", .count(facts.transforms.count)),
                FileListing.Fact("colorCacheBits", .count(facts.colorCacheBits)),
                FileListing.Fact("prefixCodeGroupCount", .count(facts.prefixCodeGroupCount)),
            ]
        )
    }
}
