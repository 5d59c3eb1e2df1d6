// How large a result is and which part of the picture it shows: what the decoder is asked for, and the cut after it.

import ImageCodecs

/// A size, a way to get there, and what is cut off.
struct PictureReduction: Sendable {
    var size: SizeRequest?
    var fit = FitChoice.fit
    var gravity = Gravity.center
    /// Most bytes of decoded pixels; beats the size.
    var limitBytes: Int?

    /// Whether the size depends on that of the picture.
    var isShare: Bool { if case .percent = size { true } else { false } }

    /// What the decoder is asked for.
    ///
    /// - Parameters:
    ///   - info: the picture's headers, which a share of its size is of.
    ///   - appliesOrientation: whether the size is that of the turned picture.
    func outputSize(for info: ImageInfo?, appliesOrientation: Bool) -> DecodingOptions.OutputSize {
        if let limitBytes { return .atMost(byteCount: limitBytes) }
        switch size {
        case nil: return .full
        case .box(let box): return .fitting(box, fit.decoding)
        case .percent(let share):
            guard let info else { return .full }
            let turned = appliesOrientation && info.orientation.swapsAxes
            let whole = turned ? info.size.transposed : info.size
            return .fitting(
                PixelSize(width: Self.side(whole.width, share), height: Self.side(whole.height, share)), .stretch)
        }
    }

    /// What a picture of `size`, which was decoded whole, is scaled to.
    func size(of size: PixelSize) -> PixelSize {
        if let limitBytes { return size.fitted(inByteCount: limitBytes) }
        switch self.size {
        case nil: return size
        case .box(let box): return size.fitted(in: box, fit: fit.decoding)
        case .percent(let share):
            return PixelSize(width: Self.side(size.width, share), height: Self.side(size.height, share))
        }
    }

    private static func side(_ whole: Int, _ percent: Double) -> Int {
        max(1, Int(exactly: (Double(whole) * percent / 100).rounded()) ?? whole)
    }

    /// Whether something may have to be cut off.
    var mayCut: Bool { fit == .fill && limitBytes == nil && size != nil }

    /// Cuts off what is outside the box, if that is asked for.
    func cut(_ image: inout RasterImage) throws(ImageError) {
        guard fit == .fill, limitBytes == nil, case .box(let box) = size else { return }
        let rect = gravity.rect(of: box, in: image.size)
        guard rect.size != image.size else { return }
        image.bitmap = try image.bitmap.cropped(to: rect)
    }
}
