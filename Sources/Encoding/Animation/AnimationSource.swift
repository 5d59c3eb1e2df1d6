// Where the frames of an animation come from that is written: a provider, or frames that are held.

import ImageCodecsCore
import ImagePhotoMetadata

/// Frames in any order, and what is to be written about them.
struct AnimationSource {
    /// What every frame holds, and how the frames have to be turned for viewing.
    let picture: EncodedPicture
    let frameCount: Int
    /// Total number of plays, 0 for ever.
    let loopCount: Int
    /// Bytes of a frame that is converted into the format of ``picture``; 0 if all have it.
    let convertedByteCount: Int
    private let durations: (Int) throws(ImageError) -> Duration
    /// Composes a frame; what is wrong with its data.
    private let bitmaps: (Int, inout Bitmap, inout WorkGuard) throws(ImageError) -> ImageError?
    /// What is known to be missing before frames are asked for.
    private let missing: PartialReport?
    /// The clock of a pass over all frames, and how it begins.
    private var work: WorkGuard
    private let fullWork: WorkGuard
    private var damagedCount = 0
    private var damage: ImageError?

    /// - Parameters:
    ///   - animation: composes the frames, each once in a pass.
    ///   - orientation: how they still have to be turned.
    init(_ animation: any AnimatedImageProvider, orientation: Orientation) {
        let info = animation.info
        var metadata = info.metadata
        // A preview shows the frames as they are stored.
        if info.decodedSize != info.size || info.orientation != orientation { metadata.follow(.geometry) }
        var picture = EncodedPicture(
            size: info.decodedSize, format: info.decodedFormat, orientation: orientation, metadata: metadata)
        picture.isLossy = info.isLossy
        self.picture = picture
        frameCount = animation.frameCount
        loopCount = animation.loopCount
        convertedByteCount = 0
        missing = animation.partial
        durations = { (index) throws(ImageError) in try animation.duration(at: index) }
        if let composer = ((animation as? any FrameForwarder)?.provider ?? animation) as? any FrameComposer {
            fullWork = composer.work
            bitmaps = { (index, bitmap, work) throws(ImageError) in
                try composer.check(frameAt: index)
                return try composer.compose(index, into: &bitmap, work: &work).damage
            }
        } else {
            fullWork = .unlimited
            bitmaps = { (index, bitmap, _) throws(ImageError) in
                try animation.frame(at: index, into: &bitmap).map { $0.cause ?? .truncated(info.format, offset: 0) }
            }
        }
        work = fullWork
    }

    /// The frames of an image that is held: in their own format if all have the same.
    init(_ image: RasterImage, _ animation: RasterImage.Animation) {
        let first = animation.frames.first?.bitmap ?? image.bitmap
        let isUniform = animation.frames.allSatisfy { $0.bitmap.format == first.format }
        var picture = EncodedPicture(
            size: first.size, format: isUniform ? first.format : .rgba, orientation: image.orientation,
            metadata: image.metadata)
        picture.isLossy = image.isLossy
        self.picture = picture
        frameCount = animation.frames.count
        loopCount = animation.loopCount
        convertedByteCount = isUniform ? 0 : Bitmap.byteCount(size: first.size, format: .rgba) ?? .max
        missing = nil
        durations = { (index) throws(ImageError) in animation.frames[index].duration }
        bitmaps = { (index, bitmap, _) throws(ImageError) in
            bitmap = animation.frames[index].bitmap
            return nil
        }
        fullWork = .unlimited
        work = fullWork
    }

    /// How long frame `index` is shown.
    func duration(at index: Int) throws(ImageError) -> Duration { try durations(index) }

    /// Begins to ask for every frame once: they have a clock together.
    mutating func beginPass() { (work, damagedCount, damage) = (fullWork, 0, nil) }

    /// Frame `index`, in the size of ``picture``.
    ///
    /// - Parameter bitmap: the frame before, whose memory is reused if that can be.
    mutating func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) {
        work.begin()
        let damage = try bitmaps(index, &bitmap, &work)
        work.end()
        if let damage {
            damagedCount += 1
            self.damage = ImageError.earlier(self.damage, damage)
        }
        guard bitmap.size == picture.size else {
            throw .invalidArgument("frame \(index) has \(bitmap.size) pixels, the animation \(picture.size)")
        }
    }

    /// What is missing, once every frame was asked for in a pass; `nil` if every frame is whole.
    var partial: PartialReport? {
        guard missing != nil || damagedCount > 0 else { return nil }
        var report = missing ?? PartialReport(rows: [0..<picture.size.height])
        report.frames = PartialReport.Progress(
            done: frameCount - damagedCount, total: report.frames?.total ?? frameCount)
        report.cause = ImageError.earlier(report.cause, damage)
        return report
    }

    /// The first frame as a still image.
    mutating func firstFrame() throws(ImageError) -> RasterImage {
        var bitmap = Bitmap.empty
        beginPass()
        try frame(at: 0, into: &bitmap)
        return RasterImage(bitmap: bitmap, orientation: picture.orientation, metadata: picture.metadata)
    }
}
