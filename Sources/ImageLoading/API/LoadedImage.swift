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

    /// What is known of the bytes that it was made of.
    let description: SourceDescription

    /// What the source said beside the bytes: their type, validators.
    public var sourceAttributes: [String: String] { description.attributes }
    /// Until when the picture stands for its source, by the time of day: time since 1 January 1970; `nil` if that does not end.
    public var freshUntil: Duration? { description.freshUntil }

    init(
        _ image: RasterImage, animation: (any AnimatedImageProvider)? = nil, isPreview: Bool = false,
        fileByteCount: Int = 0, description: SourceDescription
    ) {
        self.description = description
        self.image = image
        self.animation = animation
        self.isPreview = isPreview
        let frames = image.animation?.frames.reduce(0) { $0.addingSaturated($1.bitmap.byteCount) } ?? 0
        byteCount = image.bitmap.byteCount.addingSaturated(frames)
            .addingSaturated(Self.byteCount(of: image.metadata))
            .addingSaturated(animation.map { Self.byteCount(of: $0, fileByteCount: fileByteCount) } ?? 0)
            .addingSaturated(
                description.attributes.reduce(1024) { sum, attribute in
                    sum.addingSaturated(attribute.key.utf8.count).addingSaturated(attribute.value.utf8.count)
                })
    }

    /// About what it takes in memory: pixels, metadata, what the source said, and if frames are decoded later the file and the canvas.
    public let byteCount: Int

    private static func byteCount(of metadata: ImageMetadata) -> Int {
        let bytes = [
            metadata.exif, metadata.iccProfile, metadata.xmp, metadata.iptc, metadata.furtherPictures,
            metadata.physicalScale, metadata.calibration,
        ]
        return bytes.reduce(0) { $0.addingSaturated($1?.count ?? 0) }
            .addingSaturated(metadata.texts.reduce(0) { $0.addingSaturated($1.text.utf8.count) })
            .addingSaturated(metadata.comments.reduce(0) { $0.addingSaturated($1.utf8.count) })
    }

    /// The file, and the canvas in the size of the animation, with what it was before the last frame.
    private static func byteCount(of animation: any AnimatedImageProvider, fileByteCount: Int) -> Int {
        let canvas = Bitmap.byteCount(size: animation.info.size, format: .bgraPremultiplied) ?? .max
        return fileByteCount.addingSaturated(canvas).addingSaturated(canvas)
    }
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
    /// The bytes were on the disk, and the source said that they still hold.
    case revalidated
    /// The bytes were on the disk and are no longer fresh: the source is being asked, or failed.
    case stale
}

/// The bytes of a source, not decoded.
public struct LoadedOriginal: Sendable {
    /// The bytes.
    public let bytes: ImageData
    /// What the source said beside the bytes: their type, validators.
    public let attributes: [String: String]
    /// Until when they stand for their source: time since 1 January 1970; `nil` if that does not end.
    public let freshUntil: Duration?
    /// Where they came from.
    public let origin: LoadOrigin
}

/// What is known of the bytes of a source.
struct SourceDescription: Sendable {
    var attributes: [String: String] = [:]
    /// Time since 1 January 1970; `nil` if there is no end.
    var freshUntil: Duration?
    /// Whether caches may keep what is made of them.
    var isStorable = true
}
