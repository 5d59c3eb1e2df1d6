// What is made of a decoded picture before it is cached.

public import ImageCodecs
public import ImageCodecsCore

/// A change of a picture that has a name: pictures changed alike are found under one key.
///
/// ```swift
/// request.transformations = [.fill(width: 96, height: 96), .roundedCorners(radius: 48)]
/// ```
public struct ImageTransformation: Sendable {
    /// Says what is done, with all numbers: equal exactly for equal changes.
    public let key: String
    /// Makes the new picture, on the package's threads.
    let change: @Sendable (RasterImage) throws(ImageError) -> RasterImage

    private init(_ key: String, _ change: @escaping @Sendable (RasterImage) throws(ImageError) -> RasterImage) {
        (self.key, self.change) = (key, change)
    }

    /// A change of the caller's own.
    ///
    /// - Parameters:
    ///   - name: says what is done, with all numbers that matter: pictures are found by it.
    ///   - change: makes the new picture; called from any thread.
    public static func custom(
        name: String, _ change: @escaping @Sendable (RasterImage) throws(ImageError) -> RasterImage
    ) -> ImageTransformation {
        // The length keeps a name from looking like one with further keys after it.
        ImageTransformation("custom \(name.utf8.count) \(name)", change)
    }

    /// Scaled down until it fits into a box.
    public static func fit(width: Int, height: Int) -> ImageTransformation {
        ImageTransformation("fit \(width)x\(height)") { (image) throws(ImageError) in
            try image.scaled(toFit: PixelSize(width: width, height: height))
        }
    }

    /// Scaled down as far as it covers a box, and what stands out cut off.
    public static func fill(width: Int, height: Int) -> ImageTransformation {
        ImageTransformation("fill \(width)x\(height)") { (image) throws(ImageError) in
            let box = PixelSize(width: width, height: height)
            return try image.scaled(toFill: box).croppedToCenter(box)
        }
    }

    /// The part in a rectangle, in pixels of the picture before.
    public static func crop(_ rect: PixelRect) -> ImageTransformation {
        ImageTransformation("crop \(rect.x),\(rect.y) \(rect.width)x\(rect.height)") { (image) throws(ImageError) in
            try image.cropped(to: rect)
        }
    }

    /// Turned by quarters.
    public static func rotated(_ rotation: RasterImage.Rotation) -> ImageTransformation {
        ImageTransformation("rotate \(rotation.rawValue)") { (image) throws(ImageError) in try image.rotated(rotation) }
    }

    /// Mirrored.
    public static func flipped(_ flip: RasterImage.Flip) -> ImageTransformation {
        ImageTransformation("flip \(flip.rawValue)") { (image) throws(ImageError) in try image.flipped(flip) }
    }

    /// With corners cut round.
    ///
    /// - Parameters:
    ///   - radius: in pixels, at most half of the shorter side.
    ///   - corners: those to cut.
    public static func roundedCorners(radius: Double, _ corners: Bitmap.Corners = .all) -> ImageTransformation {
        ImageTransformation("corners \(radius) \(corners.rawValue)") { (image) throws(ImageError) in
            try image.roundingCorners(radius: radius, corners)
        }
    }

    /// With a colour laid over it.
    public static func tinted(_ color: PixelColor) -> ImageTransformation {
        ImageTransformation("tint \(color.red) \(color.green) \(color.blue) \(color.alpha)") {
            (image) throws(ImageError) in try image.tinted(color)
        }
    }

    /// Blurred.
    ///
    /// - Parameter radius: standard deviation of the blur in pixels, 0...10,000.
    public static func blurred(radius: Double) -> ImageTransformation {
        ImageTransformation("blur \(radius)") { (image) throws(ImageError) in try image.blurred(radius: radius) }
    }
}
