// An animation whose frames are converted to other colours when they are asked for.

/// Frames of another animation in other colours.
struct ConvertedAnimation: AnimatedImageProvider {
    private let animation: any AnimatedImageProvider
    private let colors: ColorTreatment
    private let meter: MemoryMeter
    /// The clock of a frame.
    private let work: WorkGuard
    let info: ImageInfo

    init(_ animation: any AnimatedImageProvider, _ colors: ColorTreatment, _ request: DecodingRequest) {
        self.animation = animation
        self.colors = colors
        meter = request.meter
        var options = request.options
        options.spentTime = .zero
        work = WorkGuard(options)
        var info = request.options.describingColors(animation.info) ?? animation.info
        colors.describe(&info.metadata)
        self.info = info
    }

    var partial: PartialReport? { animation.partial }
    var frameCount: Int { animation.frameCount }

    func duration(at index: Int) throws(ImageError) -> Duration { try animation.duration(at: index) }

    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo { try animation.frameInfo(at: index) }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        var frame = try animation.frame(at: index)
        try convert(&frame.bitmap)
        return frame
    }

    func subFrame(at index: Int) throws(ImageError) -> ImageFrame {
        var frame = try animation.subFrame(at: index)
        try convert(&frame.bitmap)
        return frame
    }

    @discardableResult
    func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        let partial = try animation.frame(at: index, into: &bitmap)
        try convert(&bitmap)
        return partial
    }

    private func convert(_ bitmap: inout Bitmap) throws(ImageError) {
        var work = work
        work.begin()
        try colors.convert(&bitmap, meter: meter, work: work)
    }
}
