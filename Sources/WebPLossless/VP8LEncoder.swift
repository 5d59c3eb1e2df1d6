// From the rows of one picture to the bytes of a VP8L bitstream.

package import ImageCodecsCore

/// Writes one picture as a VP8L bitstream: rows in, and after the last one the whole bitstream out.
package struct VP8LEncoder: Sendable {
    /// What is wanted of the bitstream.
    package struct Settings: Hashable, Sendable {
        /// How much time it may take.
        package var effort: EncodingOptions.Effort
        /// Whether colours of pixels with alpha 0 are kept; else they are what takes the fewest bits.
        package var keepsInvisibleColors = false
        /// How little samples are changed to make the file smaller, as cwebp's `-near_lossless` counts: 0 (most) ... 100 (not at all).
        package var nearLosslessQuality = 100

        package init(effort: EncodingOptions.Effort) { self.effort = effort }
    }

    /// Width and height are written with 14 bits each.
    ///
    /// - Source: RFC 9649 section 3.4 "RIFF Header".
    package static let largestSide = 1 << 14

    private let size: PixelSize
    private let settings: Settings
    private let meter: MemoryMeter
    /// Made with the first row.
    private var picture: PixelPlane?
    private var rowCount = 0
    /// Counts the bitstream.
    private var reservation: MemoryReservation?
    /// Whether a pixel was not opaque, of those added so far.
    package private(set) var hasAlpha = false

    /// Allocates nothing.
    ///
    /// - Precondition: both sides are 1...``largestSide``.
    package init(_ size: PixelSize, _ settings: Settings, meter: MemoryMeter) {
        self.size = size
        self.settings = settings
        self.meter = meter
    }

    /// Takes the next row, from the top: straight RGBA.
    package mutating func add(_ row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        try add(row, &work) { $0 & 0xFF00_FF00 | ($0 & 0xFF) << 16 | $0 >> 16 & 0xFF }
    }

    /// Takes the next row, from the top: straight BGRA, as ``VP8LStream`` hands rows out.
    package mutating func add(bgra row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        try add(row, &work) { $0 }
    }

    /// - Parameter argb: makes alpha, red, green, blue, from the highest byte on, of a pixel whose first byte is the lowest.
    @inline(__always)
    private mutating func add(
        _ row: RawSpan, _ work: inout WorkGuard, _ argb: (UInt32) -> UInt32
    ) throws(ImageError) {
        try work.spend(size.width)
        var picture: PixelPlane
        if let begun = self.picture.take() { picture = begun } else { picture = try PixelPlane(size, meter: meter) }
        let start = PixelPlane.margin + rowCount * size.width
        let keepsColors = settings.keepsInvisibleColors
        var all: UInt32 = ~0
        picture.pixels.withMutableSpan { pixels in
            for x in 0..<size.width {
                let pixel = argb(row.nativeUInt32(at: 4 * x).littleEndian)
                all &= pixel
                pixels[start + x] = keepsColors || pixel >= 1 << 24 ? pixel : 0
            }
        }
        hasAlpha = hasAlpha || all >> 24 < 255
        rowCount += 1
        self.picture = picture
    }

    /// Codes the picture.
    ///
    /// - Returns: the bitstream, from its signature on; it is counted by the meter until the encoder is gone.
    package mutating func finish(_ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        guard var picture = picture.take() else { return [] }
        let nearLossless = NearLossless(quality: settings.nearLosslessQuality)
        if nearLossless.bitCount > 0, try PictureColors(picture, meter: meter, &work) == nil {
            try nearLossless.apply(to: &picture, meter: meter, &work)
        }
        let best =
            EncodingStrategy.isSmall(size, settings.effort)
            ? try shortest(picture, settings.effort, &work) : try shortestOfLarge(&picture, &work)
        reservation = best?.reservation
        return best?.bytes ?? []
    }

    /// The shortest bitstream of a large picture, which the last way to write it uses up.
    private func shortestOfLarge(
        _ picture: inout PixelPlane, _ work: inout WorkGuard
    ) throws(ImageError) -> EncodedBitstream? {
        var attempts = try EncodingStrategy.attempts(for: picture, effort: settings.effort, meter: meter, &work)
        let last = attempts.removeLast()
        var best: EncodedBitstream?
        for attempt in attempts {
            best.takeShorter(try bitstream(attempt, try picture.copied(meter: meter, &work), &work))
        }
        best.takeShorter(try bitstream(last, picture.handedOver(), &work))
        return best
    }

    /// The shortest bitstream that an effort finds for a small picture.
    private func shortest(
        _ picture: PixelPlane, _ effort: EncodingOptions.Effort, _ work: inout WorkGuard
    ) throws(ImageError) -> EncodedBitstream? {
        var best: EncodedBitstream?
        if effort != .fast {
            best = try shortest(picture, effort == .best ? .default : .fast, &work)
        }
        let attempts = try EncodingStrategy.attempts(for: picture, effort: effort, meter: meter, &work)
        guard effort != .fast, attempts.count > 1 else {
            for attempt in attempts {
                best.takeShorter(try bitstream(attempt, try picture.copied(meter: meter, &work), &work))
            }
            return best
        }
        var quick: [(attempt: EncodingAttempt, byteCount: Int)] = []
        for attempt in attempts where !quick.contains(where: { $0.attempt == attempt }) {
            let found = try bitstream(attempt.quick, try picture.copied(meter: meter, &work), &work)
            quick.append((attempt, found.bytes.count))
            best.takeShorter(found)
        }
        // The first is likely to be the shortest; others may be if they are not much longer after a quick look.
        let first = quick.removeFirst()
        quick.sort { $0.byteCount < $1.byteCount }
        let most = min(first.byteCount, quick.first?.byteCount ?? .max)
        let taken = quick.prefix(EncodingStrategy.takenCount(effort)).filter {
            $0.byteCount <= most + most / (effort == .best ? 8 : 32)
        }
        for attempt in [first] + taken {
            best.takeShorter(try bitstream(attempt.attempt, try picture.copied(meter: meter, &work), &work))
        }
        return best
    }

    /// - Parameter plane: the picture, which is used up.
    private func bitstream(
        _ attempt: EncodingAttempt, _ plane: consuming PixelPlane, _ work: inout WorkGuard
    ) throws(ImageError) -> EncodedBitstream {
        var output = try BitstreamWriter(meter: meter)
        try output.write(0x2F, count: 8)
        try output.write(size.width - 1, count: 14)
        try output.write(size.height - 1, count: 14)
        try output.write(hasAlpha ? 1 : 0, count: 1)
        try output.write(0, count: 3)
        try attempt.encode(&plane, to: &output, meter: meter, &work)
        // Its memory is given back before the bitstream is put together.
        _ = consume plane
        return try output.finished(&work)
    }

    /// Codes a plane of alpha for a chunk `ALPH`: a bitstream without header, whose values are in the green channel.
    ///
    /// - Parameter plane: as many bytes as the picture has pixels.
    /// - Source: RFC 9649 section 2.7.1.2 "Alpha".
    package static func encodeAlpha(
        _ plane: RawSpan, _ size: PixelSize, effort: EncodingOptions.Effort, meter: MemoryMeter,
        work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        var encoder = VP8LEncoder(size, Settings(effort: effort), meter: meter)
        var pixels = try PixelPlane(size, meter: meter)
        for y in 0..<size.height {
            try work.spend(size.width)
            pixels.pixels.withMutableSpan { pixels in
                for index in y * size.width..<(y + 1) * size.width {
                    pixels[PixelPlane.margin + index] = 0xFF00_0000 | UInt32(plane.byte(at: index)) << 8
                }
            }
        }
        encoder.picture = pixels
        // A header has five bytes.
        return try Array(encoder.finish(&work).dropFirst(5))
    }
}

extension EncodedBitstream? {
    fileprivate mutating func takeShorter(_ other: EncodedBitstream) {
        if map({ other.bytes.count < $0.bytes.count }) ?? true { self = other }
    }
}
