// What a provider of frames can do besides: compose within a call that has a clock, or pass on the frames of another.

/// A provider whose frames can be composed within one call that has a clock of its own.
package protocol FrameComposer: AnimatedImageProvider {
    /// The clock of one call, which has not begun.
    var work: WorkGuard { get }

    /// Composes a frame; the caller's clock counts the time.
    ///
    /// - Returns: which part of the picture is decoded, `nil` for a whole one; and the damage of the frame's own data, not of
    ///   those of frames that it is laid over.
    func compose(
        _ index: Int, into bitmap: inout Bitmap, work: inout WorkGuard
    ) throws(ImageError) -> (partial: PartialReport?, damage: ImageError?)
}

/// A provider that passes on the frames of another.
package protocol FrameForwarder: AnimatedImageProvider {
    /// The other.
    var provider: any AnimatedImageProvider { get }
}
