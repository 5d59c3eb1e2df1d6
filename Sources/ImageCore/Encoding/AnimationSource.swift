// Where the frames of an animation come from that is written: a provider, or frames that are held.

/// Frames in any order, and what is to be written about them.
struct AnimationSource {
    /// What every frame holds, and how the frames have to be turned for viewing.
    let picture: EncodedPicture
    let frameCount: Int
    /// Total number of plays, 0 for ever.
    let loopCount: Int
    private let durations: (Int) throws(ImageError) -> Duration
    private let bitmaps: (Int, inout Bitmap) throws(ImageError) -> Void

    /// - Parameters:
    ///   - animation: composes the frames, each once in a pass.
    ///   - orientation: how they still have to be turned.
    init(_ animation: any AnimatedImageProvider, orientation: Orientation) {
        let info = animation.info
        picture = EncodedPicture(
            size: info.decodedSize, format: info.decodedFormat, orientation: orientation, metadata: info.metadata)
        frameCount = animation.frameCount
        loopCount = animation.loopCount
        durations = { (index) throws(ImageError) in try animation.duration(at: index) }
        bitmaps = { (index, bitmap) throws(ImageError) in _ = try animation.frame(at: index, into: &bitmap) }
    }

    /// The frames of an image that is held.
    init(_ image: RasterImage, _ animation: RasterImage.Animation) {
        picture = EncodedPicture(image)
        frameCount = animation.frames.count
        loopCount = animation.loopCount
        durations = { (index) throws(ImageError) in animation.frames[index].duration }
        bitmaps = { (index, bitmap) throws(ImageError) in bitmap = animation.frames[index].bitmap }
    }

    /// How long frame `index` is shown.
    func duration(at index: Int) throws(ImageError) -> Duration { try durations(index) }

    /// Frame `index`, in the format of ``picture``.
    ///
    /// - Parameter bitmap: the frame before, whose memory is reused if that can be.
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) {
        try bitmaps(index, &bitmap)
        guard bitmap.size == picture.size else {
            throw .invalidArgument("frame \(index) has \(bitmap.size) pixels, the animation \(picture.size)")
        }
        if bitmap.format != picture.format { bitmap = try bitmap.converted(to: picture.format) }
    }

    /// The first frame as a still image.
    func firstFrame() throws(ImageError) -> RasterImage {
        var bitmap = Bitmap.empty
        try frame(at: 0, into: &bitmap)
        return RasterImage(bitmap: bitmap, orientation: picture.orientation, metadata: picture.metadata)
    }
}
