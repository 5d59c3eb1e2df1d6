// The result of an inspection: a picture described by its headers, without decoded pixels.

/// A picture described by its headers and by the metadata around its pixels.
public struct ImageInfo: Hashable, Sendable {
    /// The format of the file.
    public var format: ImageFormat
    /// Width and height as stored, before EXIF orientation.
    public var size: PixelSize
    /// The animation; `nil` for stills.
    public var animation: Animation?
    /// Whether the file holds an animation that this coder does not decode: it delivers a still picture of it.
    public var hasUndecodedAnimation = false
    /// Whether the samples are stored with loss, as those of JPEG are and those of WebP may be; of an animation, those of its first frame.
    public var isLossy = false
    /// Whether a pixel may be transparent.
    public var hasAlpha: Bool
    /// Bits of a sample in the file.
    public var bitDepth: Int
    /// The kind of samples in the format's own words: `RGB`, `palette`, `Y'CbCr 4:2:0`, ...
    public var colorDescription: String
    /// Whether the picture is stored so that it sharpens while it loads (Adam7, progressive JPEG).
    public var isProgressive: Bool
    /// How the stored picture has to be turned for viewing.
    public var orientation: Orientation
    /// Width and height of the bitmap that a decode with the same options returns: scaled and turned as they say.
    public var decodedSize: PixelSize
    /// The pixel format of that bitmap.
    public var decodedFormat: PixelFormat
    /// About how much memory such a decode takes at once, for planning: the pixels of the result and the working buffers of the
    /// costliest picture that the file may hold. Known as soon as the headers are, and the same from then on.
    ///
    /// What a decode holds is never more than this estimate, plus
    /// - metadata, of which there are at most ``DecodingLimits/maxMetadataByteCount``;
    /// - twice the bytes fed, for what is kept of a file that comes in pieces;
    /// - the tables of a lossless WebP picture: at most 128 bytes for each byte that codes them;
    /// - 256 bytes for each frame of an animation, and the frames that the caller holds;
    /// - 64 KiB;
    ///
    /// and never more than ``DecodingLimits/maxMemoryByteCount``, the limit that protects the process. The input itself is not
    /// counted, nor are pictures of an unfinished decode and sub-frames that are asked for alone.
    public var estimatedPeakByteCount: Int
    /// Bytes after the end of the first picture (camera previews, gain maps), if the format allows them.
    public var trailingByteCount: Int?
    /// Metadata found as far as the file was read. An inspection keeps at most 4 MiB of them and passes over items that
    /// do not fit; the decode has them all. ``ImageMetadata/orientation`` is as stored.
    public var metadata: ImageMetadata

    /// Creates a description.
    public init(
        format: ImageFormat, size: PixelSize, animation: Animation? = nil, hasAlpha: Bool, bitDepth: Int,
        colorDescription: String, isProgressive: Bool = false, orientation: Orientation = .up,
        decodedSize: PixelSize, decodedFormat: PixelFormat, estimatedPeakByteCount: Int, trailingByteCount: Int? = nil,
        metadata: ImageMetadata = ImageMetadata()
    ) {
        self.format = format
        self.size = size
        self.animation = animation
        self.hasAlpha = hasAlpha
        self.bitDepth = bitDepth
        self.colorDescription = colorDescription
        self.isProgressive = isProgressive
        self.orientation = orientation
        self.decodedSize = decodedSize
        self.decodedFormat = decodedFormat
        self.estimatedPeakByteCount = estimatedPeakByteCount
        self.trailingByteCount = trailingByteCount
        self.metadata = metadata
    }

    /// Bytes of the bitmap that a decode with the same options returns, row padding included; for an animation, of
    /// one frame. The largest `Int` if the number overflows.
    public var decodedByteCount: Int { Bitmap.byteCount(size: decodedSize, format: decodedFormat) ?? .max }

    /// What the headers of an animation say.
    public struct Animation: Hashable, Sendable {
        /// How many frames there are; `nil` if only reading the whole file would tell.
        public var frameCount: Int?
        /// Total number of plays, 0 for ever.
        public var loopCount: Int

        /// Creates a description.
        public init(frameCount: Int?, loopCount: Int) {
            self.frameCount = frameCount
            self.loopCount = loopCount
        }
    }
}
