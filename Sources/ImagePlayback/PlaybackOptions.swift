// How an animation is to be played: in which order, how fast, how often, and what of it is decoded ahead.

import ImageCodecsCore

/// The order in which the frames of an animation are shown.
public enum PlaybackMode: String, Hashable, Sendable, CaseIterable {
    /// From the first frame to the last.
    case normal
    /// From the last frame to the first.
    case reverse
    /// To the last frame and back to the first: 0 1 2 3 2 1 0 is one play, and 0 1 2 3 2 1 0 1 2 3 2 1 0 are two. If
    /// it turns, a frame is shown once.
    case bounce
    /// To the first frame and back to the last: 3 2 1 0 1 2 3.
    case reversedBounce
}

/// What becomes of frames that come too late, because decoding them took too long or nobody asked for them.
public enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
    /// They are shown late, and everything after them moves: every frame is shown, and the animation takes longer.
    ///
    /// A frame that is late by no more than a quarter of its time makes up for it itself, by being shown that much
    /// shorter, so that the small delays of timers do not add up.
    case shown
    /// Those whose time is over when a frame is asked for are passed over, and the animation takes as long as it should.
    /// The last frame of all is never passed over.
    case skipped
}

/// How an ``AnimationPlayer`` plays.
public struct PlaybackOptions: Hashable, Sendable {
    /// The order of the frames.
    public var mode: PlaybackMode
    /// How fast, in ``rates``: 2 is twice as fast as the file says.
    public var rate: Double
    /// How often it is played, 0 for ever; `nil`: as often as the file says (`AnimatedImageProvider.loopCount`).
    public var playCount: Int?
    /// What becomes of frames that come too late.
    public var lateFrames: LateFramePolicy
    /// How many frames are decoded before they are asked for, at most. With 0 decoding begins when a frame is asked for.
    public var lookAhead: Int
    /// Bytes that the frames decoded ahead may take (`Bitmap.byteCount`). The frame that is asked for is decoded, and
    /// kept until it is due, even if it alone takes more.
    public var maxLookAheadByteCount: Int
    /// The frame shown first; `nil`: the one with which the mode begins.
    public var startIndex: Int?

    /// The rates there are: a thousandth to a thousand times the file's own.
    public static let rates: ClosedRange<Double> = 0.001...1000

    /// Creates options.
    ///
    /// - Parameters:
    ///   - mode: The order of the frames.
    ///   - rate: How fast, in ``rates``.
    ///   - playCount: How often, 0 for ever; `nil`: as often as the file says.
    ///   - lateFrames: What becomes of frames that come too late.
    ///   - lookAhead: Frames decoded before they are asked for, at most.
    ///   - maxLookAheadByteCount: Bytes that these may take.
    ///   - startIndex: The frame shown first; `nil`: the one with which the mode begins.
    public init(
        mode: PlaybackMode = .normal, rate: Double = 1, playCount: Int? = nil, lateFrames: LateFramePolicy = .shown,
        lookAhead: Int = 2, maxLookAheadByteCount: Int = 64 << 20, startIndex: Int? = nil
    ) {
        self.mode = mode
        self.rate = rate
        self.playCount = playCount
        self.lateFrames = lateFrames
        self.lookAhead = lookAhead
        self.maxLookAheadByteCount = maxLookAheadByteCount
        self.startIndex = startIndex
    }
}

extension PlaybackOptions {
    /// Refuses what makes no sense for an animation of `frameCount` frames.
    func check(frameCount: Int) throws(ImageError) {
        try Self.check(rate: rate)
        if let startIndex { try Self.check(index: startIndex, frameCount: frameCount) }
        guard playCount ?? 0 >= 0 else { throw .invalidArgument("an animation cannot be played less than 0 times") }
        guard lookAhead >= 0, maxLookAheadByteCount >= 0 else {
            throw .invalidArgument("an animation cannot be decoded ahead by less than nothing")
        }
    }

    /// Refuses a rate that is not one of ``rates``.
    static func check(rate: Double) throws(ImageError) {
        guard rates.contains(rate) else {
            throw .invalidArgument("a rate of \(rate), which has to be in \(rates.lowerBound)...\(rates.upperBound)")
        }
    }

    /// Refuses a frame that is not there.
    static func check(index: Int, frameCount: Int) throws(ImageError) {
        guard index >= 0, index < frameCount else {
            throw .invalidArgument("frame \(index) of an animation of \(frameCount)")
        }
    }
}
