// Neighbouring frames that look the same become one.

public import ImageCodecsCore

extension [ImageFrame] {
    /// The same animation without frames that look like the one before: of neighbours whose bitmaps are equal, one is left
    /// and shown as long as all of them.
    ///
    /// The times of merged frames are added as they are shown (`ImageFrame.effectiveDuration`), so playing takes as long
    /// as before; frames that stay alone are not changed. Partial frames are equal when the same part of them is decoded. The last
    /// frame and the first are no neighbours.
    public func mergingEqualFrames() -> [ImageFrame] {
        var merged: [ImageFrame] = []
        for frame in self {
            if let last = merged.last, last.partial == frame.partial, last.bitmap == frame.bitmap {
                merged[merged.count - 1].duration = last.effectiveDuration + frame.effectiveDuration
            } else {
                merged.append(frame)
            }
        }
        return merged
    }
}

extension RasterImage.Animation {
    /// The same animation without frames that look like the one before: of neighbours whose bitmaps are equal, one is left
    /// and shown as long as all of them. It is played as often.
    public func mergingEqualFrames() -> Self { Self(frames: frames.mergingEqualFrames(), loopCount: loopCount) }
}
