// What a caller may ask of a decoder.

/// How a decode should go and what it should deliver.
public struct DecodingOptions: Hashable, Sendable {
    /// How a picture is fitted into a box.
    public enum Fit: String, Hashable, Sendable, CaseIterable {
        /// As large as possible inside the box, keeping the aspect ratio.
        case fit
        /// As small as possible while covering the box, keeping the aspect ratio; nothing is cropped.
        case fill
        /// Exactly the box, whatever that does to the aspect ratio.
        case stretch
    }

    /// How large the result is. Pictures are never enlarged.
    public enum OutputSize: Hashable, Sendable {
        /// As large as in the file.
        case full
        /// Fitted into a box of pixels, after rotation; a side of zero or less does not bind.
        case fitting(PixelSize, Fit = .fit)
        /// Scaled down, keeping the aspect ratio, until the pixels take at most this many bytes; zero or less means
        /// ``defaultByteCount``.
        case atMost(byteCount: Int)

        /// The limit that ``atMost(byteCount:)`` uses for zero or less: 60 MiB of pixels.
        public static let defaultByteCount = 60 * 1024 * 1024
    }

    /// How much a thumbnail may differ from the whole picture decoded and then scaled.
    public enum ThumbnailQuality: String, Hashable, Sendable, CaseIterable {
        /// The decoder reduces as far as the format can; the scaling filter does only the rest.
        ///
        /// JPEG decodes at the smallest of 1/8, 1/4, 1/2 and 1/1 that is not below the size wanted. If that is just
        /// above it, fine texture gets soft and jagged: 31 to 48 dB from the whole picture scaled, on photographs.
        case fast
        /// The decoder reduces only so far that the scaling filter after it hides the loss.
        ///
        /// JPEG decodes at the smallest of 1/8, 1/4, 1/2 and 1/1 that is at least two and a half times as wide and as
        /// high as wanted: 44 dB and more from the whole picture scaled, on photographs. Takes 1.1 to 2.1 times as long
        /// as `fast`, the most if `fast` would decode at a half or a quarter and this decodes everything.
        case best
    }

    /// What a picture that is scaled is taken the mean of.
    public enum Scaling: String, Hashable, Sendable, CaseIterable {
        /// Numbers as they are stored, which is what browsers and most programs do.
        case asStored
        /// Light, by the curve of sRGB: fine patterns of light and dark keep their brightness, as stars, hair and halftones do. Edges
        /// of dark lines on light ground get thinner. All pixels are decoded, and a decode takes several times as long; inks of CMYK pictures are scaled as
        /// they are stored.
        case linear
    }

    /// What to do about damaged or truncated data.
    public enum Strictness: String, Hashable, Sendable, CaseIterable {
        /// Damage throws.
        case strict
        /// Damage ends the decode with what was read so far; ``RasterImage/partial`` says what is decoded.
        case tolerant
    }

    /// Pixels per point of the resulting ``RasterImage/scale``; below 1 counts as 1. Pixels are not changed by it.
    public var scaleFactor: Double = 1
    /// Whether only the first frame of an animation is decoded.
    public var firstFrameOnly = false
    /// Bytes of composited frames that an animation keeps, so that asking for one of them again decodes nothing; 0 keeps none.
    ///
    /// Kept frames count against ``DecodingLimits/maxMemoryByteCount``. All animations of the process keep at most
    /// 256 MiB in all; the least recently used frames are dropped first.
    public var maxFrameCacheByteCount = 0
    /// How large the result is.
    public var size = OutputSize.full
    /// How a format that can reduce pictures while decoding (JPEG) makes use of it, for a box or a byte limit.
    ///
    /// Other formats are scaled from all of their pixels in any case.
    public var thumbnailQuality = ThumbnailQuality.best
    /// Whether pictures are scaled as they are stored, or in linear light.
    public var scaling = Scaling.asStored
    /// The pixel format of the result, or `nil` for the format nearest to the file's own samples.
    ///
    /// The default, ``PixelFormat/bgraPremultiplied``, becomes ``PixelFormat/bgrx`` for opaque images.
    public var pixelFormat: PixelFormat? = .bgraPremultiplied
    /// Whether colours are converted, and to which space.
    ///
    /// Decoders leave them as they are stored unless this says otherwise; ``thumbnail(width:height:fit:)`` asks for sRGB. Conversion
    /// needs a registry that knows profiles, as `CoderRegistry.shared` does; a coder that is called by itself leaves colours as stored.
    public var color = Color.asStored
    /// Whether the EXIF orientation is applied to the pixels.
    public var appliesOrientation = true
    /// What to do about damaged or truncated data.
    public var strictness = Strictness.strict
    /// Threads a decode may use, the caller's included.
    public var maxThreadCount = 1
    /// Bounds on size, memory and time.
    public var limits = DecodingLimits.default
    /// The format to try first.
    public var formatHint: ImageFormat?
    /// What converts colours; the registry's.
    package var colorConverter: ColorConverter?
    /// Counts what a decode allocates; one is made for each decode if this is `nil`.
    package var memoryMeter: MemoryMeter?
    /// Takes the rows in place of a bitmap, if the decoder can deliver them so; see ``RowReceiver``.
    package var rowReceiver: RowReceiver?
    /// Whether an inspection keeps all metadata, as a decode does: for a caller that writes them before the pixels come.
    package var inspectsAllMetadata = false
    /// Counts the work of a decode, for tests and reports.
    package var workLog: WorkLog?
    /// The part of ``DecodingLimits/maxTime`` that an earlier attempt at the same file has used up.
    package var spentTime = Duration.zero

    /// Options with every property at its default.
    public init() {}

    /// Full size, display-ready, strict.
    public static let `default` = DecodingOptions()

    /// A picture that fits into `width` x `height` pixels, in sRGB: it is made for showing.
    public static func thumbnail(width: Int, height: Int, fit: Fit = .fit) -> DecodingOptions {
        var options = DecodingOptions()
        options.size = .fitting(PixelSize(width: width, height: height), fit)
        options.color = .converted(to: .sRGB)
        return options
    }

    /// A picture that fits into a square of `side` x `side` pixels, in sRGB.
    public static func thumbnail(_ side: Int) -> DecodingOptions { thumbnail(width: side, height: side) }

    /// A picture whose pixels take no more than `byteCount` bytes.
    public static func atMost(byteCount: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.size = .atMost(byteCount: byteCount)
        return options
    }
}
