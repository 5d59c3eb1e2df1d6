// What a decode has to deliver, worked out from the headers and the options before a pixel is decoded.

/// Size, format and orientation of a decode's result.
package struct OutputPlan: Hashable, Sendable {
    /// The size of the picture in the file.
    package let sourceSize: PixelSize
    /// The size to scale to, in the file's orientation.
    package let targetSize: PixelSize
    /// How it is scaled.
    package let scaling: DecodingOptions.Scaling
    /// The pixel format of the result.
    package let format: PixelFormat
    /// Whether the file's samples can be transparent.
    package let hasAlpha: Bool
    /// What is applied to the finished pixels.
    package let orientation: Orientation
    /// Takes the rows in place of a bitmap; see ``RowReceiver``.
    package let receiver: RowReceiver?

    /// Plans the decode of a picture of `size`.
    ///
    /// - Parameters:
    ///   - size: as stored in the file.
    ///   - hasAlpha: whether the file's samples can be transparent.
    ///   - nearestFormat: the format used when the options leave the choice to the file.
    ///   - orientation: as the file's metadata says.
    ///   - deliversRows: whether the decoder can do without a bitmap: it writes every row once, from the top, and each
    ///     is final.
    /// - Throws: `limitExceeded` for a picture over the limits, `invalidArgument` for an empty thumbnail box.
    package init(
        size: PixelSize, hasAlpha: Bool, nearestFormat: PixelFormat, orientation: Orientation,
        deliversRows: Bool = false, options: DecodingOptions
    ) throws(ImageError) {
        try options.limits.check(size: size)
        self.hasAlpha = hasAlpha
        let wanted = options.pixelFormat ?? nearestFormat
        format = wanted == .bgraPremultiplied && !hasAlpha ? .bgrx : wanted
        self.orientation = options.appliesOrientation ? orientation : .up
        // Colours are converted in a picture that is whole.
        receiver = deliversRows && self.orientation == .up && !options.convertsColors ? options.rowReceiver : nil
        sourceSize = size
        scaling = options.scaling
        switch options.size {
        case .full:
            targetSize = size
        case .atMost(let byteCount):
            targetSize = size.fitted(inByteCount: byteCount, bytesPerPixel: format.bytesPerPixel)
        case .fitting(let box, let fit):
            guard box.width > 0 || box.height > 0 else {
                throw .invalidArgument("a thumbnail cannot be \(box) pixels")
            }
            let turned = self.orientation.swapsAxes
            let fitted = (turned ? size.transposed : size).fitted(in: box, fit: fit)
            targetSize = turned ? fitted.transposed : fitted
        }
    }

    /// A picture as large as in the file, and not turned.
    package init(unscaled size: PixelSize, format: PixelFormat) {
        (sourceSize, targetSize, scaling) = (size, size, .asStored)
        self.format = format
        hasAlpha = true
        orientation = .up
        receiver = nil
    }

    /// Whether the result is smaller than the picture.
    package var isScaled: Bool { targetSize != sourceSize }

    /// The size of the result, after orientation.
    package var resultSize: PixelSize { orientation.swapsAxes ? targetSize.transposed : targetSize }

    /// Bytes of the resulting bitmap; saturates.
    package var decodedByteCount: Int { Bitmap.byteCount(size: resultSize, format: format) ?? .max }

    /// Bytes that the output side of a decode holds at most: the result, what the scaler keeps when rows are scaled
    /// down, and a second bitmap while orientation is applied. Saturates.
    ///
    /// - Parameter reduction: what the decoder itself reduces by, as ``RowSink`` is.
    package func peakByteCount(reduction: Int = 1) -> Int {
        var peak = receiver == nil ? decodedByteCount : OutgoingRows.byteCount(self)
        if orientation != .up {
            peak = peak.addingSaturated(Bitmap.byteCount(size: targetSize, format: format) ?? .max)
        }
        if sourceSize.reduced(by: reduction) != targetSize {
            peak = peak.addingSaturated(
                RowSink.scalingByteCount(
                    sourceSize: sourceSize, reduction: reduction, targetSize: targetSize, scaling: scaling))
        }
        return peak
    }

    /// The same for a sink that takes the file's own rows, with what collecting them takes if they come in passes.
    /// Saturates.
    package func peakByteCount(layout: SampleLayout, order: RowOrder) -> Int {
        let peak = peakByteCount()
        guard order == .passes else { return peak }
        guard isScaled else {
            return peak.addingSaturated(RowSink.passRowByteCount(width: sourceSize.width, format: format))
        }
        return peak.addingSaturated(CollectedSamples.byteCount(size: sourceSize, layout: layout))
    }

    /// The same if this plan replaces `first`, for which rows were delivered: the result is made from what those
    /// left. If size and format stay, that is turned and nothing else; samples that were collected are scaled once,
    /// by this plan. Saturates.
    package func peakByteCount(replacing first: OutputPlan, layout: SampleLayout, order: RowOrder) -> Int {
        let own = peakByteCount(layout: layout, order: order)
        guard targetSize != first.targetSize || format != first.format else { return own }
        if order == .passes, isScaled, first.isScaled { return own }
        return
            own
            .addingSaturated(first.peakByteCount(layout: layout, order: order))
            .addingSaturated(
                RowSink.scalingByteCount(sourceSize: first.targetSize, targetSize: targetSize, scaling: scaling)
            )
            .addingSaturated(Bitmap.byteCount(size: targetSize, format: format) ?? .max)
    }

    /// What incoming rows are converted to first: the format of the result, or that in which they are scaled.
    func rowFormat(_ layout: SampleLayout, rowSize: PixelSize) -> PixelFormat {
        guard rowSize != targetSize else { return format }
        if format == .cmyk, layout == .pixels(.cmyk) { return .cmyk }
        return layout.hasAlpha ? .bgraPremultiplied : .bgrx
    }

    /// Where rows of the target lie in the oriented result.
    package func resultRect(ofRows rows: Range<Int>) -> PixelRect {
        orientation.rect(ofRows: rows, ofStored: targetSize)
    }
}

extension Int {
    /// The sum, or the largest integer if it overflows; neither operand is negative.
    package func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product, or the largest integer if it overflows; neither operand is negative.
    package func multipliedSaturated(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
