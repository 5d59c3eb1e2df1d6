// What a request is answered with.

public import ImageCodecsCore

/// A loaded picture. It does not change, and may be used from any thread.
public final class LoadedImage: Sendable {
    /// The picture; of an animation, its first frame. If frames were asked for beforehand, all are in
    /// `RasterImage.animation`.
    public let image: RasterImage
    /// Frames of an animation, each decoded when it is asked for; `nil` for still pictures, and for what was not asked for
    /// with ``ImageRequest/Frames/lazy``.
    public let animation: (any AnimatedImageProvider)?
    /// Whether bytes are still to come: a picture of ``ImageLoader/pictures(for:)`` that is not the last one.
    public let isPreview: Bool

    init(
        _ image: RasterImage, animation: (any AnimatedImageProvider)? = nil, isPreview: Bool = false,
        fileByteCount: Int = 0
    ) {
        self.image = image
        self.animation = animation
        self.isPreview = isPreview
        let frames = image.animation?.frames.reduce(0) { $0.addingSaturated($1.bitmap.byteCount) } ?? 0
        let file = animation == nil ? 0 : fileByteCount
        byteCount = image.bitmap.byteCount.addingSaturated(frames).addingSaturated(file).addingSaturated(1024)
    }

    /// About what it takes in memory: pixels, and the file if frames are decoded from it later.
    public let byteCount: Int
}

/// Where a picture came from.
public enum LoadOrigin: String, Hashable, Sendable, CaseIterable {
    /// The memory cache.
    case memory
    /// The finished picture was on the disk.
    case result
    /// The bytes of the source were on the disk.
    case original
    /// The source delivered bytes.
    case source
}
