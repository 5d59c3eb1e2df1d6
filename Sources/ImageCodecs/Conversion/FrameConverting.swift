// All frames of an animation into another file.

import APNGCodec
import ImageCodecsCore
import ImageEncoding

extension ImageConversion {
    /// Makes all frames of a file into another, one in memory at a time.
    ///
    /// - Parameter options: how the file is decoded, in place of ``decoding``.
    /// - Throws: `unsupported` for frames of more than eight bits a sample if no pixel may change: frames are decoded with eight.
    func convertFrames(
        _ input: Input, to format: ImageFormat, _ options: DecodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        let file = try input.whole(options.limits)
        var animation = try CoderRegistry.shared.makeAnimation(from: file, options: options)
        if encoding.keepsPixels, animation.info.bitDepth > 8 {
            throw .unsupported(format, feature: "frames of 16 bits a sample without loss")
        }
        let orientation = options.appliesOrientation ? .up : animation.info.orientation
        if let change { animation = try ChangedFrames(animation, orientation, change) }
        let (size, partial) = try CoderRegistry.shared.encodeReporting(
            animation, to: format, options: encoding, orientation: orientation, sink)
        var result = Result(size: size, frameCount: animation.frameCount, partial: partial)
        if animation.info.format == .apng, file.withBytes({ APNGCoder.hasDefaultPicture(in: $0) }) {
            let words = "the default image, which is no frame, is left out"
            result.remarks.append(ConversionRemark(.defaultPicture, words))
        }
        return result
    }

    /// Bytes of a frame at a time, and of writing them. Writing may be refused: the estimate is not.
    func estimatedByteCount(ofFrames info: ImageInfo, to format: ImageFormat) -> Int {
        var options = encoding
        options.losses = nil
        options.maxFileByteCount = nil
        options.limits = .unlimited
        let session = try? CoderRegistry.shared.makeAnimationEncodingSession(
            to: format, size: info.decodedSize, pixelFormat: .rgba,
            frameCount: max(1, info.animation?.frameCount ?? 1), options: options)
        // A file that has to be short is held, with half as much room again.
        let file = encoding.maxFileByteCount ?? 0
        return info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount)
            .addingSaturated(session?.estimatedPeakByteCount ?? 0)
            .addingSaturated(file).addingSaturated(file / 2)
    }
}

/// The frames of an animation, each changed in the same way.
private struct ChangedFrames: AnimatedImageProvider {
    let info: ImageInfo
    private let animation: any AnimatedImageProvider
    private let orientation: Orientation
    private let change: @Sendable (inout RasterImage) throws(ImageError) -> Void

    /// - Parameter orientation: how frames still have to be turned.
    init(
        _ animation: any AnimatedImageProvider, _ orientation: Orientation,
        _ change: @escaping @Sendable (inout RasterImage) throws(ImageError) -> Void
    ) throws(ImageError) {
        self.animation = animation
        self.orientation = orientation
        self.change = change
        var info = animation.info
        // Sizes follow from the first frame, those of the others are checked when they are written.
        let first = try Self.changed(animation.frame(at: 0), orientation, change)
        info.decodedSize = first.bitmap.size
        info.decodedFormat = first.bitmap.format
        self.info = info
    }

    var partial: PartialReport? { animation.partial }
    var frameCount: Int { animation.frameCount }

    func duration(at index: Int) throws(ImageError) -> Duration { try animation.duration(at: index) }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try Self.changed(animation.frame(at: index), orientation, change)
    }

    private static func changed(
        _ frame: ImageFrame, _ orientation: Orientation,
        _ change: @Sendable (inout RasterImage) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageFrame {
        var image = RasterImage(bitmap: frame.bitmap, orientation: orientation, partial: frame.partial)
        try change(&image)
        return ImageFrame(bitmap: image.bitmap, duration: frame.duration, partial: frame.partial)
    }
}
