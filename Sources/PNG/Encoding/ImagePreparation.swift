// Before anything is written: lay the picture over a background, scale it down.

import ImageCore

/// Applies the options that change pixels.
struct ImagePreparation: Sendable {
    private let options: EncodingOptions

    init(_ options: EncodingOptions) { self.options = options }

    /// The image with background and size as asked for.
    func prepare(_ image: Image) throws(ImageError) -> Image {
        var image = image
        if let box = options.maxPixelSize {
            // The box is meant for the picture as it is viewed.
            let box = image.orientation.swapsAxes ? box.transposed : box
            image.bitmap = try image.bitmap.scaled(to: CoderHelper.scaledSize(of: image.size, in: box))
        }
        if let background = options.background, image.bitmap.format.hasAlpha {
            image.bitmap = try image.bitmap.flattened(onto: background)
        }
        return image
    }

    /// Writes `image` smaller and smaller until the file has at most `byteCount` bytes.
    ///
    /// Every attempt starts from the full picture. The first guess is that bytes go with the number of pixels; since
    /// small pictures compress worse, a few attempts may be needed, each at most nine tenths as wide as the last.
    func shrink(
        _ image: Image, toFileOf byteCount: Int, _ write: (Image) throws(ImageError) -> EncodedFile
    ) throws(ImageError) -> [UInt8] {
        var attempt = image
        while true {
            let file = try write(attempt)
            if file.bytes.count <= byteCount { return file.bytes }
            let wanted = byteCount - file.overhead
            guard wanted > 0, attempt.size != PixelSize(width: 1, height: 1) else {
                throw .invalidArgument("a PNG file of this picture needs more than \(byteCount) bytes")
            }
            let pixelBytes = max(1, file.bytes.count - file.overhead)
            let factor = min(0.9, 0.98 * (Double(wanted) / Double(pixelBytes)).squareRoot())
            let target = PixelSize(
                width: max(1, Int(Double(attempt.size.width) * factor)),
                height: max(1, Int(Double(attempt.size.height) * factor)))
            attempt.bitmap = try image.bitmap.scaled(to: target)
        }
    }
}

extension Bitmap {
    /// The pixels laid over an opaque colour: `PixelFormat.rgb`, or opaque `PixelFormat.rgba16` where samples
    /// have sixteen bits.
    ///
    /// A sample is round((c*a + b*(m-a)) / m), m being the largest sample.
    func flattened(onto background: SIMD3<UInt8>) throws(ImageError) -> Bitmap {
        format.depth == .sixteen
            ? try flattenedDeep(onto: background)
            : try flattenedShallow(onto: background)
    }

    private func flattenedShallow(onto background: SIMD3<UInt8>) throws(ImageError) -> Bitmap {
        var result = try Bitmap(uninitialized: size, format: .rgb, meter: nil)
        var straight = try ScratchBuffer(byteCount: 4 * width, meter: nil)
        let converter = RowConverter(from: .pixels(format), to: .rgba)
        for y in 0..<height {
            withRow(y) { row in straight.withMutableBytes { converter.convert(row, into: &$0, width: width) } }
            straight.withBytes { pixels in
                result.withMutableRow(y) { row in
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

    private func flattenedDeep(onto background: SIMD3<UInt8>) throws(ImageError) -> Bitmap {
        var result = try converted(to: .rgba16)
        for y in 0..<height {
            result.withMutableRow(y) { row in
                for x in 0..<width {
                    let alpha = UInt64(row.sixteenBitSample(at: 4 * x + 3))
                    for channel in 0..<3 {
                        let color = UInt64(row.sixteenBitSample(at: 4 * x + channel))
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

extension MutableRawSpan {
    /// The native sample of sixteen bits with this number.
    fileprivate func sixteenBitSample(at index: Int) -> UInt16 {
        UInt16(bytes.byte(at: 2 * index)) | UInt16(bytes.byte(at: 2 * index + 1)) << 8
    }
}
