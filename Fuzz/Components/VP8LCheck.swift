// Any bytes as a VP8L bitstream: fed in one piece and in many, with the same outcome; and once more with no more memory than
// the description promised.
//
// Of two inputs, one gets a header in front whose sides its first bytes say, so that few are lost on the first five.

import CodecTestSupport
import ImageCodecsCore
import WebPLosslessCodec

enum VP8LCheck {
    /// What became of a decode.
    private struct Outcome: Equatable {
        var picture: Bitmap?
        var partial: PartialReport?
        var imageInfo: VP8LImageInfo?
        var errorCode: String?
        var estimate: Int?
    }

    static func check(_ bytes: [UInt8]) throws {
        guard bytes.count > 2 else { return }
        let file = bytes.count & 1 == 0 ? bitstream(of: bytes) : withHeader(bytes)
        var source = DecisionSource(hashOf: bytes)
        var options = DecodingOptions.hostile(&source)
        options.limits = .small
        let whole = decode(file, options, cuts: [])
        var cuts: [Int] = []
        var position = 0
        while position < file.count {
            position += 1 + source.below(source.oneIn(8) ? 600 : 9)
            cuts.append(min(position, file.count))
        }
        let pieces = decode(file, options, cuts: cuts)
        try require(whole == pieces, "cut at \(cuts): \(pieces) instead of \(whole)")
        guard let estimate = whole.estimate else { return }
        // The tables take what the bytes decide.
        let allowed = estimate + 130 * file.count + (1 << 16)
        guard allowed < options.limits.maxMemoryByteCount else { return }
        options.limits.maxMemoryByteCount = allowed
        let limited = decode(file, options, cuts: [])
        try require(limited.picture == whole.picture, "more memory than the \(allowed) bytes that are allowed")
    }

    private static func decode(_ file: [UInt8], _ options: DecodingOptions, cuts: [Int]) -> Outcome {
        var outcome = Outcome()
        var decoder = VP8LDecoder(options: options)
        do {
            var start = 0
            for end in cuts + [file.count] where end > start {
                _ = try decoder.append(file.span.extracting(start..<end))
                start = end
            }
            _ = try decoder.finish()
            let image = try decoder.image()
            (outcome.picture, outcome.partial) = (image?.bitmap, image?.partial)
        } catch {
            outcome.errorCode = error.code
        }
        outcome.imageInfo = decoder.imageInfo
        outcome.estimate = decoder.info?.estimatedPeakByteCount
        return outcome
    }

    /// What is in the first chunk if the input is a WebP file, as the seeds are.
    private static func bitstream(of bytes: [UInt8]) -> [UInt8] {
        let isFile = bytes.count > 20 && bytes[0] == 0x52 && bytes[15] == 0x4C
        return isFile ? Array(bytes.dropFirst(20)) : bytes
    }

    private static func withHeader(_ bytes: [UInt8]) -> [UInt8] {
        let bits = UInt32(bytes[0] & 127) | UInt32(bytes[1] & 127) << 14 | 1 << 28
        return [0x2F] + (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) } + bytes.dropFirst(2)
    }
}
