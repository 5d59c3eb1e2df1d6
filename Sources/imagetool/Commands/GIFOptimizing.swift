// GIF files coded anew, if what is shown stays the same.

import ImageCodecs

/// What optimize does with GIF files: they are decoded and written as well as it gets, and the new file is used if it shows the same
/// pictures for the same times.
struct GIFOptimizing {
    let options: EncodingOptions
    let limits: DecodingLimits

    /// The file with fewer bytes; itself if there are none, or if nothing else shows the very same.
    ///
    /// - Throws: what decoding and encoding throw.
    func optimized(_ file: ImageData) throws(ImageError) -> ImageData {
        let plain = options.metadata == .all ? file : try stripped(file)
        let animation = try open(file)
        var options = options
        options.quality = 1
        options.gif.mayReduceColors = false
        let losses = LossLog()
        options.losses = losses
        var bytes: [UInt8] = []
        try CoderRegistry.shared.encode(
            animation, to: .gif, options: options, orientation: animation.info.orientation
        ) { bytes.append(contentsOf: $0) }
        let new = ImageData(bytes)
        guard new.count < plain.count, losses.count(of: .colors) == 0, losses.count(of: .translucency) == 0,
            try shows(open(new), whatIsShownBy: animation)
        else { return plain }
        return new
    }

    private func open(_ file: ImageData) throws(ImageError) -> any AnimatedImageProvider {
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.pixelFormat = .rgba
        decoding.appliesOrientation = false
        return try CoderRegistry.shared.makeAnimation(from: file, options: decoding)
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
        var (left, right) = (ShownPictures(one), ShownPictures(other))
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
    private var index = 0
    private var waiting: Bitmap?

    init(_ animation: any AnimatedImageProvider) { self.animation = animation }

    var isAtEnd: Bool { index >= animation.frameCount }

    mutating func next() throws(ImageError) -> (bitmap: Bitmap, time: Duration)? {
        guard index < animation.frameCount else { return nil }
        let bitmap = if let waiting { waiting } else { try animation.frame(at: index).bitmap }
        var time = Duration.zero
        waiting = nil
        repeat {
            time += Self.shown(try animation.duration(at: index))
            index += 1
            guard index < animation.frameCount else { break }
            waiting = try animation.frame(at: index).bitmap
        } while waiting == bitmap
        return (bitmap, time)
    }

    /// Viewers show frames of at most 10 ms for 100 ms.
    private static func shown(_ duration: Duration) -> Duration {
        duration <= .milliseconds(10) ? .milliseconds(100) : duration
    }
}
