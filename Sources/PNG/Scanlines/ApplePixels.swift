// The pixels of Apple's variant of PNG, which Xcode makes of the PNG files of an app: finished rows in, rows of PNG samples out.

import ImageCodecsCore

/// Makes samples as PNG has them of those of a file that begins with CgBI.
///
/// Such a file differs in this from a PNG:
///
/// - CgBI, a critical chunk of four bytes, comes before IHDR. What is in it does not matter.
/// - The image data are a deflate stream alone (RFC 1951), without zlib's header and checksum.
/// - Samples of a pixel are blue, green, red, alpha; filters count them in this order.
/// - Colours, gray too, are multiplied by alpha. Undone here: `(c * 255 + a / 2) / a`, at most 255 and 0 if a is 0; likewise of 16 bits.
///
/// Source: there is no standard. "CgBI file format", iPhone Development Wiki; "PNG Images", The Apple Wiki.
struct ApplePixels: Sendable {
    private let pixels: Pixels
    private var row: ScratchBuffer

    /// Whether samples have to be changed: gray and indices are as in PNG.
    static func isNeeded(_ header: ImageHeader) -> Bool { header.isAppleVariant && header.colorType.channelCount > 1 }

    init(_ header: ImageHeader, meter: MemoryMeter?) throws(ImageError) {
        pixels = Pixels(channelCount: header.colorType.channelCount, isDeep: header.bitDepth == 16)
        row = try ScratchBuffer(byteCount: header.bytesPerScanline(width: header.size.width), meter: meter)
    }

    mutating func makeUnique() throws(ImageError) { try row.makeUnique() }

    /// Shows a row as PNG has it.
    mutating func withStraight(_ source: RawSpan, _ body: (RawSpan) -> Void) {
        let pixels = pixels
        row.withMutableBytes { target in
            for place in stride(from: 0, to: source.byteCount, by: pixels.byteCount) {
                pixels.write(source, place, into: &target)
            }
        }
        row.withBytes(0..<source.byteCount, body)
    }
}

/// The samples of a pixel.
private struct Pixels: Sendable {
    let channelCount: Int
    let isDeep: Bool

    var byteCount: Int { channelCount * (isDeep ? 2 : 1) }

    /// Writes the pixel at `place`.
    func write(_ source: RawSpan, _ place: Int, into target: inout MutableRawSpan) {
        let hasAlpha = channelCount % 2 == 0
        let largest = isDeep ? 65535 : 255
        let alpha = hasAlpha ? sample(channelCount - 1, source, place) : largest
        let colorCount = hasAlpha ? channelCount - 1 : channelCount
        for channel in 0..<colorCount {
            let color = sample(colorCount - 1 - channel, source, place)
            // Below 2^32. A colour may exceed its alpha in a damaged file.
            let straight = alpha == 0 ? 0 : min(largest, (color * largest + alpha / 2) / alpha)
            set(straight, channel, &target, place)
        }
        if hasAlpha { set(alpha, channelCount - 1, &target, place) }
    }

    private func sample(_ channel: Int, _ source: RawSpan, _ place: Int) -> Int {
        guard isDeep else { return Int(source.byte(at: place + channel)) }
        return Int(source.byte(at: place + 2 * channel)) << 8 | Int(source.byte(at: place + 2 * channel + 1))
    }

    private func set(_ sample: Int, _ channel: Int, _ target: inout MutableRawSpan, _ place: Int) {
        let low = UInt8(truncatingIfNeeded: sample)
        guard isDeep else { return target.setByte(low, at: place + channel) }
        target.setByte(UInt8(truncatingIfNeeded: sample >> 8), at: place + 2 * channel)
        target.setByte(low, at: place + 2 * channel + 1)
    }
}
