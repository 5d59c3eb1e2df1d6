// A VP8L bitstream written anew, to see whether it gets shorter.
//
//   payload ──▶ VP8LStream ──rows──▶ VP8LEncoder ──▶ a shorter payload, or none

import ImageCodecsCore
import ImageEncoding
import WebPLosslessCodec

/// Encodes bitstreams again without changing a pixel.
struct BitstreamShortening {
    private let settings: VP8LEncoder.Settings
    private let encoding: EncodingLimits
    private let limits: DecodingLimits
    private let meter: MemoryMeter
    /// The clocks of reading and of writing all bitstreams of a file.
    private var reading: WorkGuard
    private var writing: WorkGuard

    init(_ options: EncodingOptions, _ limits: DecodingLimits) {
        var settings = VP8LEncoder.Settings(effort: options.effort)
        settings.keepsInvisibleColors = options.webp.keepsInvisibleColors
        self.settings = settings
        encoding = options.limits
        self.limits = limits
        meter = EncodingRequest(options: options).meter
        (reading, writing) = (WorkGuard(limits: limits), WorkGuard(options))
    }

    /// Bytes that encoding a bitstream again holds at most, with how it is read. Saturates.
    private func byteCount(_ size: PixelSize) -> Int {
        VP8LEncoder.byteCount(size, settings.effort)
            .addingSaturated(VP8LStream.estimatedByteCount(.picture, size: size))
    }

    /// A bitstream of the same pixels.
    ///
    /// - Parameters:
    ///   - payload: the bitstream.
    ///   - offset: where it begins in the file.
    /// - Returns: `nil` if it gets no shorter, or has alpha without saying so.
    /// - Throws: `corrupt` and `truncated` for a damaged one, `limitExceeded`, `cancelled`.
    mutating func shorter(
        than payload: Span<UInt8>, offset: Int
    ) throws(ImageError) -> [UInt8]? {
        reading.begin()
        writing.begin()
        defer {
            reading.end()
            writing.end()
        }
        var stream = VP8LStream(.picture, meter: meter)
        var position = try stream.consume(payload, offset: offset, isFinal: true, work: &reading) { _, _ in }
        guard let header = stream.header else { throw Self.short(offset + payload.count) }
        try limits.check(size: header.size)
        try reading.countFramePixels(header.size)
        let estimate = byteCount(header.size)
        guard estimate <= encoding.maxMemoryByteCount else {
            throw .limitExceeded(.encodingMemory, requested: estimate, allowed: encoding.maxMemoryByteCount)
        }
        var encoder = VP8LEncoder(header.size, settings, meter: meter)
        var failure: ImageError?
        while !stream.isComplete {
            let step = try stream.consume(
                payload.extracting(droppingFirst: position), offset: offset + position, isFinal: true, work: &reading
            ) { row, _ in
                guard failure == nil else { return }
                do throws(ImageError) {
                    try encoder.add(bgra: row, &writing)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            position += step
            if step == 0 { break }
        }
        guard stream.isComplete else { throw Self.short(offset + payload.count) }
        // Without the flag some decoders take all pixels for opaque, and others do not: what is not may not be lost.
        guard header.alphaIsUsed || !encoder.hasAlpha else { return nil }
        let bitstream = try encoder.finish(&writing)
        return bitstream.count < payload.count ? bitstream : nil
    }

    private static func short(_ offset: Int) -> ImageError {
        .corrupt(.webP, .webpImageDataShort, offset: offset, reason: "a bitstream that ends before its last row")
    }
}
