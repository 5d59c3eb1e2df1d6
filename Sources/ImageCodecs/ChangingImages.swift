// Pictures made out of others: scaled, cut, turned, converted and decorated, in calls that can be chained.

import ImagePhotoMetadata

extension RasterImage {
    /// A turn by quarters.
    public enum Rotation: String, Hashable, Sendable, CaseIterable {
        /// By a quarter: what was at the top is at the right.
        case clockwise
        /// By two quarters: what was at the top is at the bottom.
        case half
        /// By a quarter: what was at the top is at the left.
        case counterclockwise

        package var orientation: Orientation {
            switch self {
            case .clockwise: .right
            case .half: .down
            case .counterclockwise: .left
            }
        }
    }

    /// What changes places in a mirrored picture.
    public enum Flip: String, Hashable, Sendable, CaseIterable {
        /// Left and right.
        case horizontal
        /// Top and bottom.
        case vertical

        package var orientation: Orientation {
            switch self {
            case .horizontal: .upMirrored
            case .vertical: .downMirrored
            }
        }
    }
}

// MARK: - Size

extension RasterImage {
    /// The picture scaled to `size`, larger or smaller; of an animation, every frame. See `Bitmap.scaled(to:)`.
    ///
    /// - Parameter size: width and height of the picture as seen, that is, after `orientation` is applied.
    /// - Throws: `invalidArgument` for an empty picture or size; `limitExceeded(.memory)` if the memory is not to be had;
    ///   `cancelled`.
    public func scaled(to size: PixelSize) throws(ImageError) -> RasterImage {
        let stored = orientation.size(ofStored: size)
        return try changingBitmaps(.geometry) { (bitmap) throws(ImageError) in try bitmap.scaled(to: stored) }
    }

    /// The picture scaled down until it fits into a box, keeping the aspect ratio; itself if it does already.
    ///
    /// To decode a file in that size is quicker and takes less memory: see `DecodingOptions.thumbnail(width:height:fit:)`.
    ///
    /// - Parameter box: a side of zero or less does not bind. It is for the picture as seen.
    /// - Throws: as ``scaled(to:)``.
    public func scaled(toFit box: PixelSize) throws(ImageError) -> RasterImage {
        try scaled(to: orientation.size(ofStored: size).fitted(in: box, fit: .fit))
    }

    /// The picture scaled down as far as it still covers a box, keeping the aspect ratio; itself if it does not cover it.
    ///
    /// ``croppedToCenter(_:)`` cuts off what stands out.
    ///
    /// - Parameter box: a side of zero or less does not bind. It is for the picture as seen.
    /// - Throws: as ``scaled(to:)``.
    public func scaled(toFill box: PixelSize) throws(ImageError) -> RasterImage {
        try scaled(to: orientation.size(ofStored: size).fitted(in: box, fit: .fill))
    }

    /// The picture scaled down until it fits into a square of `side` x `side` pixels, and upright.
    ///
    /// - Throws: as ``scaled(to:)``.
    public func thumbnail(_ side: Int) throws(ImageError) -> RasterImage {
        try scaled(toFit: PixelSize(width: side, height: side)).upright()
    }
}

// MARK: - Parts

extension RasterImage {
    /// The part of the picture in `rect`, in pixels of `bitmap`; of an animation, that part of every frame.
    ///
    /// Everything else stays as it is: also `orientation`, which applies to what was cut out, and the rows of the file
    /// in `partial`.
    ///
    /// - Throws: `invalidArgument` for a rectangle that is not within the picture or has a negative side;
    ///   `limitExceeded(.memory)` when the memory is not to be had.
    public func cropped(to rect: PixelRect) throws(ImageError) -> RasterImage {
        try changingBitmaps(.geometry) { (bitmap) throws(ImageError) in try bitmap.cropped(to: rect) }
    }

    /// The middle of the picture, at most `size`; if what is cut off is an odd number of pixels, one more goes at the right or at
    /// the bottom.
    ///
    /// - Parameter size: width and height of the picture as seen, that is, after `orientation` is applied.
    /// - Throws: `invalidArgument` for a negative side; `limitExceeded(.memory)` if the memory is not to be had.
    public func croppedToCenter(_ size: PixelSize) throws(ImageError) -> RasterImage {
        let upright = try upright()
        let (width, height) = (min(size.width, upright.width), min(size.height, upright.height))
        return try upright.cropped(
            to: PixelRect(
                x: (upright.width - width) / 2, y: (upright.height - height) / 2, width: width, height: height))
    }
}

// MARK: - Turning

extension RasterImage {
    /// The picture with `orientation` applied to its pixels, which then is `Orientation.up`; of an animation, every frame.
    ///
    /// - Throws: `limitExceeded(.memory)` if the memory is not to be had, `cancelled`.
    public func upright() throws(ImageError) -> RasterImage { try oriented(.up) }

    /// The picture turned by quarters, as seen; upright afterwards.
    ///
    /// - Throws: as ``upright()``.
    public func rotated(_ rotation: Rotation) throws(ImageError) -> RasterImage { try oriented(rotation.orientation) }

    /// The picture mirrored, as seen; upright afterwards.
    ///
    /// - Throws: as ``upright()``.
    public func flipped(_ flip: Flip) throws(ImageError) -> RasterImage { try oriented(flip.orientation) }

    /// Turns what is seen as `next` says.
    private func oriented(_ next: Orientation) throws(ImageError) -> RasterImage {
        let whole = orientation.followed(by: next)
        var result = try changingBitmaps(.geometry) { (bitmap) throws(ImageError) in try bitmap.oriented(whole) }
        result.orientation = .up
        return result
    }
}

// MARK: - Pixels

extension RasterImage {
    /// The picture in another pixel format; of an animation, every frame. See `Bitmap.converted(to:)`.
    ///
    /// - Throws: `limitExceeded(.memory)` if the memory is not to be had, `cancelled`.
    public func converted(to format: PixelFormat) throws(ImageError) -> RasterImage {
        try changingBitmaps(nil) { (bitmap) throws(ImageError) in try bitmap.converted(to: format) }
    }

    /// The picture with corners cut round; of an animation, every frame. See `Bitmap.roundingCorners(radius:_:)`.
    ///
    /// - Parameters:
    ///   - radius: in pixels, at most half of the shorter side; more counts as that.
    ///   - corners: those to cut, of `bitmap`.
    /// - Throws: `invalidArgument` for a negative radius; `limitExceeded(.memory)` if the memory is not to be had; `cancelled`.
    public func roundingCorners(
        radius: Double, _ corners: Bitmap.Corners = .all
    ) throws(ImageError) -> RasterImage {
        try changingBitmaps(.pixels) { (bitmap) throws(ImageError) in
            try bitmap.roundingCorners(radius: radius, corners)
        }
    }

    /// The picture with a colour laid over it wherever it is not transparent; of an animation, every frame. See
    /// `Bitmap.tinted(_:)`.
    ///
    /// - Throws: `limitExceeded(.memory)` if the memory is not to be had, `cancelled`.
    public func tinted(_ color: PixelColor) throws(ImageError) -> RasterImage {
        try changingBitmaps(.pixels) { (bitmap) throws(ImageError) in try bitmap.tinted(color) }
    }

    /// The picture blurred; of an animation, every frame. See `Bitmap.blurred(radius:)`.
    ///
    /// - Parameter radius: standard deviation of the blur in pixels, 0...10,000.
    /// - Throws: `invalidArgument` for another radius; `limitExceeded(.memory)` if the memory is not to be had; `cancelled`.
    public func blurred(radius: Double) throws(ImageError) -> RasterImage {
        try changingBitmaps(.pixels) { (bitmap) throws(ImageError) in try bitmap.blurred(radius: radius) }
    }

    /// The same with other pixels: those that `change` makes of each bitmap. A bitmap that is the picture and the first frame is
    /// changed once. What the metadata said of the picture goes if it is another now; see `ImageMetadata.follow(_:)`.
    private func changingBitmaps(
        _ kind: ImageMetadata.Change?, _ change: (Bitmap) throws(ImageError) -> Bitmap
    ) throws(ImageError) -> RasterImage {
        var result = self
        result.bitmap = try change(bitmap)
        if let kind, !result.bitmap.hasSameStorage(as: bitmap) { result.metadata.follow(kind) }
        guard var animation else { return result }
        for index in animation.frames.indices {
            let frame = animation.frames[index].bitmap
            animation.frames[index].bitmap = frame.hasSameStorage(as: bitmap) ? result.bitmap : try change(frame)
        }
        result.animation = animation
        return result
    }
}
