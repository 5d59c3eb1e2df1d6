// Bounds on the memory and the time that decoding a hostile file may cost.

/// Bounds on sizes, memory and time, checked before every allocation and while decoding.
///
/// A limit that is hit throws ``ImageError/limitExceeded(_:requested:allowed:)``.
public struct DecodingLimits: Hashable, Sendable {
    /// The largest width or height, in pixels.
    public var maxDimension: Int
    /// The largest number of pixels of the canvas.
    public var maxPixelCount: Int
    /// Bytes that one decode may hold at once: bitmaps, buffers, metadata and what is kept of an input that comes in pieces,
    /// but not the input itself.
    public var maxMemoryByteCount: Int
    /// The largest number of animation frames.
    public var maxFrameCount: Int
    /// The most pixels that the frames decoded by one call may draw in all; each frame counts with the rectangle that it
    /// draws: a file of a few bytes may have thousands of frames as large as its canvas.
    public var maxFramePixelCount: Int
    /// The largest number of scans of one picture (progressive JPEG).
    public var maxScanCount: Int
    /// Bytes that metadata (profiles, text, EXIF) kept from one file take in memory: unpacked, text as UTF-8, and for each
    /// entry 384 bytes besides its contents. Single items of more than 8 MiB are passed over.
    public var maxMetadataByteCount: Int
    /// Bytes of the input: a longer file is refused before it is read, a longer stream as soon as it is too long.
    public var maxInputByteCount: Int
    /// Time spent decoding, not counting the time between two pieces of an incremental decode.
    public var maxTime: Duration?

    /// Creates limits.
    public init(
        maxDimension: Int, maxPixelCount: Int, maxMemoryByteCount: Int, maxFrameCount: Int, maxScanCount: Int,
        maxMetadataByteCount: Int, maxInputByteCount: Int = .max, maxFramePixelCount: Int = .max,
        maxTime: Duration? = nil
    ) {
        self.maxFramePixelCount = maxFramePixelCount
        self.maxInputByteCount = maxInputByteCount
        self.maxDimension = maxDimension
        self.maxPixelCount = maxPixelCount
        self.maxMemoryByteCount = maxMemoryByteCount
        self.maxFrameCount = maxFrameCount
        self.maxScanCount = maxScanCount
        self.maxMetadataByteCount = maxMetadataByteCount
        self.maxTime = maxTime
    }

    /// For files you would open on your own machine: 1 Mpx a side, 256 Mpx, 2 GiB of memory, 4 GiB of input, no time
    /// limit.
    public static let `default` = DecodingLimits(
        maxDimension: 1 << 20, maxPixelCount: 1 << 28, maxMemoryByteCount: 2 << 30, maxFrameCount: 1 << 16,
        maxScanCount: 500, maxMetadataByteCount: 64 << 20, maxInputByteCount: 4 << 30)

    /// For uploads from strangers: 16384 pixels a side, 64 Mpx, 512 MiB of memory, 256 MiB of input, 4 Gpx in all
    /// frames together, ten seconds.
    public static let untrusted = DecodingLimits(
        maxDimension: 16_384, maxPixelCount: 1 << 26, maxMemoryByteCount: 512 << 20, maxFrameCount: 4_096,
        maxScanCount: 100, maxMetadataByteCount: 4 << 20, maxInputByteCount: 256 << 20,
        maxFramePixelCount: 64 << 26, maxTime: .seconds(10))

    /// No limit but what the formats and the machine impose.
    public static let unlimited = DecodingLimits(
        maxDimension: .max, maxPixelCount: .max, maxMemoryByteCount: .max, maxFrameCount: .max, maxScanCount: .max,
        maxMetadataByteCount: .max)

    /// Refuses an input that is too long.
    package func check(inputByteCount: Int) throws(ImageError) {
        guard inputByteCount <= maxInputByteCount else {
            throw .limitExceeded(.input, requested: inputByteCount, allowed: maxInputByteCount)
        }
    }

    /// Refuses an animation of too many frames.
    package func check(frameCount: Int) throws(ImageError) {
        guard frameCount <= maxFrameCount else {
            throw .limitExceeded(.frames, requested: frameCount, allowed: maxFrameCount)
        }
    }

    /// Refuses a picture that is too large.
    package func check(size: PixelSize) throws(ImageError) {
        let side = max(size.width, size.height)
        guard side <= maxDimension else {
            throw .limitExceeded(.dimension, requested: side, allowed: maxDimension)
        }
        guard let pixels = size.pixelCount, pixels <= maxPixelCount else {
            throw .limitExceeded(.pixels, requested: size.pixelCount ?? .max, allowed: maxPixelCount)
        }
    }
}
