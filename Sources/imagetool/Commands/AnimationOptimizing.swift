// Animations coded anew, if what is shown stays the same.

import APNGCodec
import ImageCodecs

/// What optimize does with GIF files and animated PNG files: they are decoded and written as well as it gets, and the new file is used
/// if it shows the same pictures for the same times.
struct AnimationOptimizing {
    /// GIF or APNG.
    let format: ImageFormat
    let options: EncodingOptions
    let limits: DecodingLimits

    /// The file with fewer bytes; itself if there are none, or if nothing else shows the very same.
    ///
    /// - Throws: what decoding and encoding throw.
    func optimized(_ file: ImageData) throws(ImageError) -> ImageData {
        let plain = options.metadata == .all ? file : try stripped(file)
        let animation = try open(file)
        // Frames are written with eight bits a sample.
        guard animation.info.bitDepth <= 8 else { return plain }
        let losses = LossLog()
        var options = options
        options.keepsPixels = true
        options.losses = losses
        options.apng.defaultPicture = try defaultPicture(of: file)
        var bytes: [UInt8] = []
        try CoderRegistry.shared.encode(
            animation, to: format, options: options, orientation: animation.info.orientation
        ) { bytes.append(contentsOf: $0) }
        let new = ImageData(bytes)
        guard new.count < plain.count, losses.count(of: .colors) == 0, losses.count(of: .translucency) == 0,
            try shows(open(new), whatIsShownBy: animation),
            try defaultPicture(of: new) == options.apng.defaultPicture
        else { return plain }
        return new
    }

    /// The picture of an animated PNG file that is no frame.
    private func defaultPicture(of file: ImageData) throws(ImageError) -> Bitmap? {
        guard file.withBytes({ APNGCoder.hasDefaultPicture(in: $0) }) else { return nil }
        return try RasterImage(file, options: decoding).bitmap
    }

    private var decoding: DecodingOptions {
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.pixelFormat = .rgba
        decoding.appliesOrientation = false
        return decoding
    }

    private func open(_ file: ImageData) throws(ImageError) -> any AnimatedImageProvider {
        try CoderRegistry.shared.makeAnimation(from: file, options: decoding)
    }

    /// The file with less metadata, and nothing else changed.
    private func stripped(_ file: ImageData) throws(ImageError) -> ImageData {
        try CoderRegistry.shared.editingMetadata(of: file, limits: limits) { metadata in
            let orientation = metadata.orientation
            metadata = options.metadata == .colors ? metadata.colors : ImageMetadata()
            metadata.orientation = orientation
        }
    }

    /// Whether two animations show the same pictures for the same times, as often. Frames that equal those before them may be one.
    private func shows(
        _ one: any AnimatedImageProvider, whatIsShownBy other: any AnimatedImageProvider
    ) throws(ImageError) -> Bool {
        guard one.info.size == other.info.size else { return false }
        let isAsOften = one.info.animation?.loopCount ?? 1 == other.info.animation?.loopCount ?? 1
        var (left, right) = (ShownPictures(one, format), ShownPictures(other, format))
        var isFirst = true
        while true {
            let (first, second) = (try left.next(), try right.next())
            guard let first, let second else { return first == nil && second == nil }
            guard first.bitmap == second.bitmap else { return false }
            // A picture that no other one follows stays, however long and often it is shown.
            if isFirst, left.isAtEnd, right.isAtEnd { return true }
            guard isAsOften, first.time == second.time else { return false }
            isFirst = false
        }
    }
}

/// The pictures of an animation that differ from those before them, each with the time that it is shown for.
private struct ShownPictures {
    private let animation: any AnimatedImageProvider
    /// What viewers make of the shortest durations.
    private let shown: (Duration) -> Duration
    private var index = 0
    private var waiting: Bitmap?

    init(_ animation: any AnimatedImageProvider, _ format: ImageFormat) {
        self.animation = animation
        // Viewers show frames of a GIF of at most 10 ms for 100 ms.
        shown = { format == .gif && $0 <= .milliseconds(10) ? .milliseconds(100) : $0 }
    }

    var isAtEnd: Bool { index >= animation.frameCount }

    mutating func next() throws(ImageError) -> (bitmap: Bitmap, time: Duration)? {
        guard index < animation.frameCount else { return nil }
        let bitmap = if let waiting { waiting } else { try animation.frame(at: index).bitmap }
        var time = Duration.zero
        waiting = nil
        repeat {
            time += shown(try animation.duration(at: index))
            index += 1
            guard index < animation.frameCount else { break }
            waiting = try animation.frame(at: index).bitmap
        } while waiting == bitmap
        return (bitmap, time)
    }
}
