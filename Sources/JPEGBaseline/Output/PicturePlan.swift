// What a frame's picture will be: its size, scale and formats, and the memory it takes.
//
// In: the frame header, what segments before the first scan say, and the options. Out: the plan by which
// `PictureRenderer` works; `ThumbnailScale.swift` chooses the scale to decode at.

package import ImageCodecsCore

/// What to deliver, and how far the inverse DCT reduces the picture on the way.
package struct PicturePlan: Hashable, Sendable {
    package let output: OutputPlan
    /// The frame at the scale of the inverse DCT.
    package let geometry: FrameGeometry
    package let colorModel: JPEGColorModel
    /// Bits of a sample.
    package let precision: Int
    /// The format of the emitter's rows.
    package let rowFormat: PixelFormat

    /// - Throws: `limitExceeded`, `invalidArgument`; `unsupported` if a sampling factor does not divide the largest.
    package init(
        header: JPEGFrameHeader, colorModel: JPEGColorModel, orientation: Orientation, options: DecodingOptions
    ) throws(ImageError) {
        let output = try OutputPlan(
            size: header.size, hasAlpha: false, nearestFormat: colorModel.nativeFormat(precision: header.precision),
            orientation: orientation, deliversRows: true, options: options)
        self.output = output
        self.colorModel = colorModel
        precision = header.precision
        let whole = try header.geometry(scale: .full)
        // Scaled transforms give means of what is stored.
        let mayReduce = output.isScaled && options.scaling == .asStored && whole.unitSide > 1 && header.precision == 8
        geometry = mayReduce ? whole.reduced(to: output.targetSize, options.thumbnailQuality) : whole
        rowFormat = Self.rowFormat(output, geometry, colorModel)
    }

    /// The plan for another height of the same frame, whose coefficients were decoded for the scale of `first`.
    ///
    /// - Throws: `limitExceeded`, `invalidArgument`.
    package init(replacing first: PicturePlan, height: Int, options: DecodingOptions) throws(ImageError) {
        geometry = first.geometry.withHeight(height)
        colorModel = first.colorModel
        precision = first.precision
        output = try OutputPlan(
            size: geometry.size, hasAlpha: false, nearestFormat: colorModel.nativeFormat(precision: precision),
            orientation: first.output.orientation, options: options)
        rowFormat = Self.rowFormat(output, geometry, colorModel)
    }

    private static func rowFormat(
        _ output: OutputPlan, _ geometry: FrameGeometry, _ colorModel: JPEGColorModel
    ) -> PixelFormat {
        let isScaled = geometry.outputSize != output.targetSize
        // Inks are scaled as such.
        let wanted = isScaled && output.format != .cmyk ? .bgrx : output.format
        return colorModel.canWrite(wanted) ? wanted : colorModel.nativeFormat
    }

    /// Bytes that the output side holds at most, the result included. Saturates.
    package var peakByteCount: Int {
        output.peakByteCount(reduction: geometry.scale.reduction)
            .addingSaturated(RowEmitter.byteCount(geometry))
            .addingSaturated(geometry.outputSize.width.multipliedSaturated(by: 4).addingSaturated(64))
    }
}
