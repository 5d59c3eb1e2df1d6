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
    private var pixels: [UInt32] = []
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

    /// Bytes that encoding holds at most, the bitstream included. Saturates.
    package static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        (size.pixelCount ?? .max).multipliedSaturated(by: 12).addingSaturated(1 << 16)
    }

    /// Takes the next row, from the top: straight RGBA.
    package mutating func add(_ row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        try work.spend(size.width)
        for x in 0..<size.width {
            let (red, green) = (UInt32(row.byte(at: 4 * x)), UInt32(row.byte(at: 4 * x + 1)))
            let (blue, alpha) = (UInt32(row.byte(at: 4 * x + 2)), UInt32(row.byte(at: 4 * x + 3)))
            hasAlpha = hasAlpha || alpha < 255
            pixels.append(alpha << 24 | red << 16 | green << 8 | blue)
        }
    }

    /// Codes the picture.
    ///
    /// - Returns: the bitstream, from its signature on; it is counted by the meter until the encoder is gone.
    package mutating func finish(_ work: inout WorkGuard) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt64(0), 0)
        func put(_ value: Int, _ bitCount: Int) {
            bits |= UInt64(value) << UInt64(count)
            count += bitCount
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                count -= 8
            }
        }
        put(0x2F, 8)
        put(size.width - 1, 14)
        put(size.height - 1, 14)
        put(hasAlpha ? 1 : 0, 1)
        put(0, 3)
        // No transform, no color cache, no meta prefix codes.
        put(0, 3)
        for _ in 0..<4 {
            // 256 lengths of 8: a code of lengths in which only 8 has one.
            put(0, 1)
            put(12 - 4, 4)
            for symbol in ([17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] as [Int]) { put(symbol == 8 ? 1 : 0, 3) }
            put(1, 1)
            put(3, 3)
            put(256 - 2, 8)
        }
        put(1, 1)
        put(0, 1)
        put(0, 1)
        put(0, 1)
        func reversed(_ value: UInt32) -> Int {
            var (value, result) = (value, 0)
            for _ in 0..<8 {
                result = result << 1 | Int(value & 1)
                value >>= 1
            }
            return result
        }
        for pixel in pixels {
            put(reversed(pixel >> 8 & 255), 8)
            put(reversed(pixel >> 16 & 255), 8)
            put(reversed(pixel & 255), 8)
            put(reversed(pixel >> 24), 8)
        }
        put(0, 7)
        return bytes
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
        for index in 0..<plane.byteCount {
            encoder.pixels.append(0xFF00_0000 | UInt32(plane.byte(at: index)) << 8)
        }
        // A header has five bytes.
        return try Array(encoder.finish(&work).dropFirst(5))
    }
}
