// What an unfinished decode hands out of its animation: the whole frames so far, as a provider that does not change.

/// The snapshots of one animation while its file is read.
///
/// All share what was composed and cached; the last is handed out again while nothing came.
package struct AnimationSnapshots: Sendable {
    private var last: (any AnimatedImageProvider)?
    private var state: AnimationState?

    package init() {}

    /// The whole frames so far.
    ///
    /// - Parameters:
    ///   - source: the frames, with the bytes that they are decoded from.
    ///   - info: what the headers say, with the memory that playing takes.
    ///   - orientation: how the frames are to be turned where that is wanted.
    package mutating func next(
        _ source: some SubFrameSource, info: ImageInfo, orientation: Orientation, _ request: DecodingRequest,
        work: WorkGuard
    ) throws(ImageError) -> any AnimatedImageProvider {
        if let last, last.frameCount == source.plan.count, last.info == info { return last }
        let output = try AnimationOutput(
            size: source.plan.canvasSize, orientation: orientation,
            options: request.options.dividing(among: source.plan.count), meter: request.meter, work: work)
        // Frames that are kept have the size that they were delivered in.
        let kept = state?.plan == output.plan ? state : nil
        let shared = kept ?? AnimationState(request.options, output.plan)
        let animation = CompositedAnimation(
            source, info: info, output: output, options: request.options, meter: request.meter, state: shared)
        state = shared
        last = animation
        return animation
    }
}
