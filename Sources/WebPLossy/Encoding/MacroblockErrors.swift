// How far one picture is from another, macroblock by macroblock, as the encoder measures it: squared differences of Y, U and V.

package import ImageCodecsCore

/// Squared errors of the macroblocks of a picture that is shown in the place of another.
package enum MacroblockErrors {
    /// The error of a macroblock that has to be coded.
    package static let unbearable = UInt32.max

    /// An error that is not worth the few bits that a macroblock takes at least.
    package static func negligible(_ settings: VP8Encoder.Settings) -> UInt32 {
        UInt32(bitWorth(settings) * 6 * BitCosts.unit >> 16)
    }

    /// What `byteCount` bytes are worth in squared errors.
    package static func worth(ofBytes byteCount: Int, _ settings: VP8Encoder.Settings) -> Int {
        bitWorth(settings).multipliedSaturated(by: byteCount.multipliedSaturated(by: 8 * BitCosts.unit)) >> 16
    }

    private static func bitWorth(_ settings: VP8Encoder.Settings) -> Int {
        SegmentPlan(index: Int(QualityIndex.index(settings.quality).rounded()), settings.tuning).bitWorth
    }

    /// Bytes that ``errors(of:from:meter:work:)`` holds at most, what it returns included. Saturates.
    package static func byteCount(_ size: PixelSize) -> Int {
        let strip = PixelSize(width: size.width, height: 16)
        return EncoderPlanes.byteCount(strip, isFitted: false).multipliedSaturated(by: 2)
            .addingSaturated(((size.width + 15) / 16).multipliedSaturated(by: (size.height + 15) / 16 * 4))
    }

    /// The errors, row by row.
    ///
    /// - Parameters:
    ///   - shown: straight RGBA; alpha does not count.
    ///   - wanted: of the same size.
    ///   - work: asked for each row.
    package static func errors(
        of shown: Bitmap, from wanted: Bitmap, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> [UInt32] {
        let columnCount = (wanted.width + 15) / 16
        var errors: [UInt32] = []
        errors.reserveCapacity(columnCount * ((wanted.height + 15) / 16))
        for y in stride(from: 0, to: wanted.height, by: 16) {
            let rows = y..<min(y + 16, wanted.height)
            try work.spend(wanted.width)
            let isSame = rows.allSatisfy { y in
                shown.withRowBytes(y) { row in wanted.withRowBytes(y) { $0.hasSameBytes(as: row) } }
            }
            if isSame {
                errors += [UInt32](repeating: 0, count: columnCount)
                continue
            }
            try work.spend(16 * wanted.width)
            let (first, second) = (try planes(shown, rows, meter), try planes(wanted, rows, meter))
            first.bytes.withBytes { a in
                second.bytes.withBytes { b in
                    for column in 0..<columnCount { errors.append(error(a, b, first, column)) }
                }
            }
        }
        return errors
    }

    private static func planes(
        _ picture: Bitmap, _ rows: Range<Int>, _ meter: MemoryMeter?
    ) throws(ImageError) -> EncoderPlanes {
        let size = PixelSize(width: picture.width, height: rows.count)
        var planes = try EncoderPlanes(size, isFitted: false, meter: meter)
        for y in rows { picture.withRowBytes(y) { planes.add($0.extracting(0..<4 * picture.width)) } }
        return planes
    }

    private static func error(_ a: RawSpan, _ b: RawSpan, _ planes: EncoderPlanes, _ column: Int) -> UInt32 {
        var sum = 0
        for y in 0..<4 {
            let offset = 4 * y * planes.lumaStride + 16 * column
            let first = SampleGatheringKernels.fourBlocks(a, at: offset, stride: planes.lumaStride)
            let second = SampleGatheringKernels.fourBlocks(b, at: offset, stride: planes.lumaStride)
            sum += SubblockKernels.squaredError(first.0, second.0) + SubblockKernels.squaredError(first.1, second.1)
            sum += SubblockKernels.squaredError(first.2, second.2) + SubblockKernels.squaredError(first.3, second.3)
        }
        for plane in [planes.u, planes.v] {
            for y in 0..<2 {
                let offset = plane + 4 * y * planes.chromaStride + 8 * column
                let first = SampleGatheringKernels.twoBlocks(a, at: offset, stride: planes.chromaStride)
                let second = SampleGatheringKernels.twoBlocks(b, at: offset, stride: planes.chromaStride)
                sum += SubblockKernels.squaredError(first.0, second.0) + SubblockKernels.squaredError(first.1, second.1)
            }
        }
        return UInt32(sum)
    }
}
