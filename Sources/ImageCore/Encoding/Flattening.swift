// Lays transparent pictures over a colour, for files that have no alpha.

extension Bitmap {
    /// The pixels laid over an opaque colour; itself if the format has no alpha.
    ///
    /// A sample is round((c*a + b*(m-a)) / m), m being the largest sample. The result is `PixelFormat.rgb`, or opaque
    /// `PixelFormat.rgba16` if samples have sixteen bits.
    ///
    /// - Parameters:
    ///   - background: straight red, green, blue.
    ///   - meter: counts the result, and what making it takes.
    ///   - work: asked for each row.
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had, and what `work` throws.
    package func flattened(
        onto background: SIMD3<UInt8>, meter: MemoryMeter? = nil, work: WorkGuard = .unlimited
    ) throws(ImageError) -> Bitmap {
        guard format.hasAlpha else { return self }
        return format.depth == .sixteen
            ? try flattenedDeep(onto: background, meter, work)
            : try flattenedShallow(onto: background, meter, work)
    }

    private func flattenedShallow(
        onto background: SIMD3<UInt8>, _ meter: MemoryMeter?, _ work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        var result = try Bitmap(uninitialized: size, format: .rgb, meter: meter)
        var straight = try ScratchBuffer(byteCount: 4 * width, meter: meter)
        let converter = RowConverter(from: .pixels(format), to: .rgba)
        for y in 0..<height {
            try work.check()
            withRowBytes(y) { row in straight.withMutableBytes { converter.convert(row, into: &$0, width: width) } }
            straight.withBytes { pixels in
                result.withMutableRowBytes(y) { row in
                    for x in 0..<width {
                        let alpha = UInt32(pixels.byte(at: 4 * x + 3))
                        for channel in 0..<3 {
                            let color = UInt32(pixels.byte(at: 4 * x + channel))
                            let t = color * alpha + UInt32(background[channel]) * (255 - alpha) + 128
                            row.storeBytes(
                                of: UInt8(truncatingIfNeeded: (t + t >> 8) >> 8), toByteOffset: 3 * x + channel,
                                as: UInt8.self)
                        }
                    }
                }
            }
        }
        return result
    }

    private func flattenedDeep(
        onto background: SIMD3<UInt8>, _ meter: MemoryMeter?, _ work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        var result = try converted(to: .rgba16, meter: meter, work: work)
        // A bitmap that has the format is not converted, but given back.
        try result.makeUnique()
        for y in 0..<height {
            try work.check()
            result.withMutableRowBytes(y) { row in
                for x in 0..<width {
                    let alpha = UInt64(row.bytes.nativeUInt16(at: 8 * x + 6))
                    for channel in 0..<3 {
                        let color = UInt64(row.bytes.nativeUInt16(at: 8 * x + 2 * channel))
                        let laidOver = color * alpha + UInt64(background[channel]) * 257 * (65535 - alpha)
                        row.storeBytes(
                            of: UInt16(truncatingIfNeeded: (laidOver + 32767) / 65535),
                            toByteOffset: 8 * x + 2 * channel, as: UInt16.self)
                    }
                    row.storeBytes(of: 65535, toByteOffset: 8 * x + 6, as: UInt16.self)
                }
            }
        }
        return result
    }
}
