// What encoding an image that is held will take, without encoding it.

package import ImageCodecsCore

extension CoderRegistry {
    /// Bytes that ``encode(_:to:options:)`` takes at most for an image: what the session will estimate, and of an animation that has
    /// to fit into a number of bytes, those too.
    ///
    /// - Throws: what `encode` throws before the first row: `unsupported`, `invalidArgument`, `limitExceeded`.
    package func estimatedByteCount(
        of image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> Int {
        guard let animation = image.animation, !options.firstFrameOnly, canEncodeAnimation(to: format) else {
            return try makeEncodingSession(
                to: format, EncodedPicture(image), from: .bitmap, options: options
            ).estimatedPeakByteCount
        }
        let source = AnimationSource(image, animation)
        var unfitted = options
        unfitted.maxFileByteCount = nil
        return try makeAnimationEncodingSession(
            to: format, size: source.picture.size, pixelFormat: source.picture.format, frameCount: source.frameCount,
            loopCount: source.loopCount, orientation: source.picture.orientation, metadata: source.picture.metadata,
            options: unfitted
        ).estimatedPeakByteCount
            .addingSaturated(source.convertedByteCount).addingSaturated(options.maxFileByteCount ?? 0)
    }
}
