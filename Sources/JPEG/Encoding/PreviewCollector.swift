// A small version of the picture, for the EXIF data: made from the rows before the first is coded.

package import ImageCodecsCore
package import ImageEncoding

/// Collects a small version of the picture.
package struct PreviewCollector: Sendable {
    private var preparation: RowPreparation
    private var bitmap: Bitmap
    private var filledRowCount = 0

    /// The largest preview, the size that cameras write.
    ///
    /// - Source: Exif 2.32 §4.5.8 "Thumbnail image" leaves the size open; DCF 2.0 (JEITA CP-3461) §3.3.5 "DCF thumbnail"
    ///   has 160x120.
    private static let box = PixelSize(width: 160, height: 120)

    package init(
        size: PixelSize, format: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        let plan = Self.plan(size, format)
        preparation = try RowPreparation(plan, to: .rgb, meter: meter, work: work)
        bitmap = try Bitmap(uninitialized: plan.targetSize, format: .rgb, meter: meter)
    }

    private static func plan(_ size: PixelSize, _ format: PixelFormat) -> RowPreparationPlan {
        var options = EncodingOptions()
        options.maxPixelSize = size.width < size.height ? box.transposed : box
        return RowPreparationPlan(size: size, format: format, orientation: .up, keepsAlpha: true, options: options)
    }

    /// Whether a preview is smaller than a picture of this size.
    static func isSmaller(thanPictureOf size: PixelSize) -> Bool { plan(size, .rgb).targetSize != size }

    /// Bytes that a collector holds. Saturates.
    package static func byteCount(size: PixelSize, format: PixelFormat) -> Int {
        let plan = plan(size, format)
        return plan.byteCount(to: .rgb)
            .addingSaturated(Bitmap.byteCount(size: plan.targetSize, format: .rgb) ?? .max)
    }

    /// Takes a row of the picture, from the top.
    package mutating func add(_ row: RawSpan) throws(ImageError) {
        try preparation.push(row) { row in
            bitmap.withMutableRowBytes(filledRowCount) { $0.copy(row) }
            filledRowCount += 1
        }
    }

    /// The preview as a JPEG file without metadata, once all rows were added.
    package func file(_ request: EncodingRequest) throws(ImageError) -> [UInt8] {
        var options = EncodingOptions()
        options.effort = .fast
        options.quality = 0.7
        options.jpeg.optimizesHuffmanTables = true
        options.memoryMeter = request.meter
        return try JPEGCoder().encode(RasterImage(bitmap: bitmap), to: .jpeg, options: options)
    }
}
