// What a chunk says in a few words, and its numbers.

import ImageCodecsCore
import WebPCodec
import WebPLosslessCodec
import WebPLossyCodec

/// Describes chunks for a listing.
enum WebPChunkSummary {
    typealias Words = (summary: String, details: [FileListing.Detail])

    /// Describes a chunk; of damaged ones nothing is said.
    ///
    /// - Parameters:
    ///   - chunk: any chunk.
    ///   - body: what there is of its payload.
    ///   - limits: for what has to be decoded of it.
    ///   - freeByteCount: memory for that besides what there are bytes for, of all chunks together.
    ///   - work: asked for the clock while a bitstream is decoded.
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
                FileListing.Detail("width", .count(header.canvasSize.width)),
                FileListing.Detail("height", .count(header.canvasSize.height)),
                FileListing.Detail("flags", .count(Int(header.flags.rawValue))),
            ]
        )
    }

    private static func words(_ header: AnimationHeader) -> Words {
        let plays = header.loopCount == 0 ? "played for ever" : "played \(header.loopCount) times"
        return (
            plays,
            [
                FileListing.Detail("loopCount", .count(header.loopCount)),
                FileListing.Detail("background", .checksum(header.background)),
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
                FileListing.Detail("x", .count(header.rect.x)), FileListing.Detail("y", .count(header.rect.y)),
                FileListing.Detail("width", .count(header.rect.width)),
                FileListing.Detail("height", .count(header.rect.height)),
                FileListing.Detail("durationMS", .count(duration)),
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
                FileListing.Detail("compression", .count(Int(header.compression.rawValue))),
                FileListing.Detail("filter", .count(Int(header.filter.rawValue))),
                FileListing.Detail("hasReducedLevels", .count(header.hasReducedLevels ? 1 : 0)),
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
                FileListing.Detail("width", .count(header.size.width)),
                FileListing.Detail("height", .count(header.size.height)),
            ]
        )
        if kind == .lossless,
            let info = try LosslessSummary.read(
                body, offset: chunk.bodyOffset, limits, freeByteCount: &freeByteCount, &work)
        {
            let more = LosslessSummary.words(info)
            words = (words.summary + "; " + more.summary, words.details + more.details)
        }
        if kind == .lossy, let info = try LossySummary.read(body, chunk, limits, &work) {
            let more = LossySummary.words(info)
            words = (words.summary + "; " + more.summary, words.details + more.details)
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
    /// - Returns: `nil` if it is damaged or cut off before them, or takes more memory than there may be.
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    static func read(
        _ payload: Span<UInt8>, offset: Int, _ limits: DecodingLimits, freeByteCount: inout Int,
        _ work: inout WorkGuard
    ) throws(ImageError) -> VP8LImageInfo? {
        // A few bytes can stand for large images of transforms; those of real pictures are small beside their bytes.
        let earned = payload.count.multipliedSaturated(by: 1 << 10)
        let allowed = min(limits.maxMemoryByteCount, min(freeByteCount, 1 << 18).addingSaturated(earned))
        let meter = MemoryMeter(limit: allowed)
        defer { freeByteCount -= max(0, meter.peak - earned) }
        var stream = VP8LStream(.picture, extent: .headers, meter: meter)
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
        return stream.imageInfo.prefixCodeGroupCount > 0 ? stream.imageInfo : nil
    }

    /// The same in words and numbers.
    ///
    /// - Parameter info: what the bitstream says.
    static func words(_ info: VP8LImageInfo) -> WebPChunkSummary.Words {
        let transforms = info.transforms.map { (transform: VP8LImageInfo.Transform) in
            switch transform {
            case .predictor(let blockSize): "predictor (\(blockSize))"
            case .color(let blockSize): "color (\(blockSize))"
            case .subtractGreen: "subtract green"
            case .colorIndexing(let colorCount, let pixelsPerByte):
                "\(colorCount) colors" + (pixelsPerByte > 1 ? " (\(pixelsPerByte) pixels a byte)" : "")
            }
        }
        let cache = info.colorCacheBits > 0 ? "color cache of \(info.colorCacheBits) bits" : "no color cache"
        let groups =
            info.prefixCodeGroupCount == 1 ? "1 prefix code group" : "\(info.prefixCodeGroupCount) prefix code groups"
        return (
            ((transforms.isEmpty ? ["no transforms"] : transforms) + [cache, groups]).joined(separator: ", "),
            [
                FileListing.Detail("transformCount", .count(info.transforms.count)),
                FileListing.Detail("colorCacheBits", .count(info.colorCacheBits)),
                FileListing.Detail("prefixCodeGroupCount", .count(info.prefixCodeGroupCount)),
            ]
        )
    }
}
