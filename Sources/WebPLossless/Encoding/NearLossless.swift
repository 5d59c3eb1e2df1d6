// Small changes that make a picture smaller: what is rough gets fewer values, what is smooth stays as it is, for bands would show.

import ImageCodecsCore

/// Rounds the colours of pixels that differ from those around them.
struct NearLossless: Hashable, Sendable {
    /// Values become multiples of two to this power, or 255: none changes by more than half of that.
    let bitCount: Int

    /// - Parameter quality: 0 (most is changed) ... 100 (nothing), in steps of 20.
    init(quality: Int) { bitCount = 5 - min(max(quality, 0), 100) / 20 }

    /// Changes a picture; pixels at its edges stay, and alpha does.
    func apply(to plane: inout PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        guard bitCount > 0, plane.width > 2, plane.height > 2 else { return }
        var result = try PixelPlane(plane.size, meter: meter)
        let width = plane.width
        for y in 0..<plane.height {
            try work.spend(4 * width)
            let isEdge = y == 0 || y == plane.height - 1
            plane.pixels.withSpan { pixels in
                result.pixels.withMutableSpan { result in
                    let start = PixelPlane.margin + y * width
                    for x in 0..<width {
                        let index = start + x
                        let pixel = pixels[index]
                        if isEdge || x == 0 || x == width - 1
                            || isSmooth(
                                pixel, pixels[index - 1], pixels[index + 1], pixels[index - width],
                                pixels[index + width])
                        {
                            result[index] = pixel
                        } else {
                            result[index] = rounded(pixel)
                        }
                    }
                }
            }
        }
        plane = result
    }

    /// Whether no channel of a neighbour differs by as much as values are rounded to.
    private func isSmooth(
        _ pixel: UInt32, _ left: UInt32, _ right: UInt32, _ above: UInt32, _ below: UInt32
    ) -> Bool {
        isNear(pixel, left) && isNear(pixel, right) && isNear(pixel, above) && isNear(pixel, below)
    }

    private func isNear(_ a: UInt32, _ b: UInt32) -> Bool {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            guard abs(Int32(a >> shift & 255) - Int32(b >> shift & 255)) < 1 << Int32(bitCount) else { return false }
        }
        return true
    }

    private func rounded(_ pixel: UInt32) -> UInt32 {
        var result = pixel & 0xFF00_0000
        let half = UInt32(1) << UInt32(bitCount - 1)
        for shift in stride(from: UInt32(0), to: 24, by: 8) {
            let value = (pixel >> shift & 255) + half
            result |= min(255, value & ~(2 * half - 1)) << shift
        }
        return result
    }
}
