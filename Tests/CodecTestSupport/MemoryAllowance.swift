// What law 4 of decoding allows a decode to hold: its estimate, and what that leaves out.

package import ImageCodecsCore

/// The bytes that a decode of one file may hold.
package struct MemoryAllowance: Sendable {
    /// What an inspection says.
    package let info: ImageInfo
    private let fileByteCount: Int
    private let options: DecodingOptions
    /// Whether a registry decodes: up to the end of the headers it keeps the bytes of pieces for another coder, besides what its
    /// coder keeps of them. Headers may be the whole file: that of a JPEG whose height comes after its scan.
    private let mayAskAnother: Bool
    /// Bytes of metadata, and of making them.
    private let metadataByteCount: Int

    /// Tables of a lossless WebP picture, for each byte of the file that codes them.
    private static let tableBytesPerByte = 128
    /// For each frame that is met.
    private static let frameByteCount = 256
    private static let freeByteCount = 64 << 10

    /// Inspects `file`, which holds metadata and nothing else; more than 4 MiB of them an inspection does not keep.
    package init(_ coder: any ImageCoder, _ file: [UInt8], _ options: DecodingOptions) throws(ImageError) {
        let meter = MemoryMeter()
        var metered = options
        metered.memoryMeter = meter
        info = try coder.inspect(ImageData(file), options: metered)
        (fileByteCount, self.options) = (file.count, options)
        mayAskAnother = coder is CoderRegistry
        let isAll = meter.peak < MetadataBudget.inspectionByteCount / 2
        metadataByteCount = isAll ? 2 * meter.peak : options.limits.maxMetadataByteCount
    }

    /// Estimate + 2 * bytes fed (a registry: 3.5) + tables + metadata + 256 * frames + 64 KiB, and the frames that are held.
    ///
    /// - Parameter holdsFrames: whether the caller asks for all frames at once.
    package func byteCount(holdsFrames: Bool) -> Int {
        let frameCount = info.animation?.frameCount ?? 0
        var allowed = info.estimatedPeakByteCount
        allowed = allowed.addingSaturated(2 * fileByteCount)
        if mayAskAnother { allowed = allowed.addingSaturated(fileByteCount * 3 / 2) }
        if info.format == .webP { allowed = allowed.addingSaturated(Self.tableBytesPerByte * fileByteCount) }
        allowed = allowed.addingSaturated(metadataByteCount)
        allowed = allowed.addingSaturated(Self.frameByteCount.multipliedSaturated(by: frameCount))
        allowed = allowed.addingSaturated(Self.freeByteCount)
        // Frames that are kept because the caller says so are held by the caller's wish, too.
        let frames = deliveredFrameByteCount.multipliedSaturated(by: frameCount)
        if holdsFrames, !options.firstFrameOnly { allowed = allowed.addingSaturated(frames) }
        allowed = allowed.addingSaturated(min(frames, max(0, options.maxFrameCacheByteCount)))
        return allowed.addingSaturated(lateTurn)
    }

    /// Bytes of a frame: RGBA in the format nearest to the file's, even if the first picture is gray.
    private var deliveredFrameByteCount: Int {
        guard options.pixelFormat == nil else { return info.decodedByteCount }
        return max(info.decodedByteCount, Bitmap.byteCount(size: info.decodedSize, format: .rgba) ?? .max)
    }

    /// A PNG may say after its pixels how they have to be turned: then they are turned, and fitted into the box anew.
    private var lateTurn: Int {
        guard info.format == .png || info.format == .apng, info.orientation != .up, options.appliesOrientation else {
            return 0
        }
        return info.decodedByteCount.multipliedSaturated(by: 2)
    }
}
