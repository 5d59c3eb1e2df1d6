// What one format's encoder of animations has to be, for `AnimationEncodingSession` to drive it.
//
//   frames ──▶ RowPreparation ──▶ canvas ──▶ SubFramePlanner ──SubFrame──▶ AnimationEncoder ──▶ bytes

package import ImageCodecsCore

/// An animation that is going to be encoded: prepared, so in the size in which it is written.
package struct EncodedAnimation: Sendable {
    /// Size, orientation and metadata; rows hold straight RGBA.
    package var picture: EncodedPicture
    /// What the frames that come in hold, before they are prepared: whether they may be transparent.
    package var sourceFormat: PixelFormat
    /// How many frames there will be, at least 1.
    package var frameCount: Int
    /// Total number of plays, 0 for ever.
    package var loopCount: Int

    /// The plays that a file says: those that are asked for, or as many as the format can say.
    package func plays(most: Int, _ request: EncodingRequest) -> Int {
        if loopCount > most { request.options.losses?.record(.plays) }
        return min(loopCount, most)
    }
}

/// The state machine of one animated format: sub-frames in, the bytes of a file out.
///
/// Calls come in this order: ``survey(_:rows:work:)`` for every frame, or not at all; ``begin(to:work:)``; then for each frame
/// ``show(_:for:to:work:)``, and if that does not take it ``cost(of:work:)`` for none or more ways to write it, and
/// ``write(_:to:work:)`` for one; ``finish(to:work:)``. What comes out does not depend on how the sink takes it. No memory is
/// allocated before the first call.
package protocol AnimationEncoder: Sendable {
    /// What frames can do; asked after ``begin(to:work:)``.
    var abilities: FrameAbilities { get }

    /// Bytes that the encoder holds at most, the file's bytes that wait for the sink included. Saturates.
    var estimatedByteCount: Int { get }

    /// Bytes of the file that no smaller canvas saves, as far as is known; never more than there will be.
    var fixedByteCount: Int { get }

    /// Looks at a frame before any is written.
    ///
    /// - Parameters:
    ///   - canvas: the frame, straight RGBA; transparent pixels are zero.
    ///   - rows: the rows in which it differs from the frame before.
    mutating func survey(_ canvas: Bitmap, rows: Range<Int>, work: inout WorkGuard) throws(ImageError)

    /// Writes what stands before the frames.
    mutating func begin(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError)

    /// Takes a canvas, if what frames show is only near to what is wanted: where the next differs from that, the encoder alone
    /// knows.
    ///
    /// - Parameter canvas: straight RGBA; transparent pixels are zero.
    /// - Returns: whether it was taken.
    mutating func show(
        _ canvas: Bitmap, for duration: Duration, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) -> Bool

    /// About how many bytes a frame would take, for comparison with others.
    mutating func cost(of frame: SubFrame, work: inout WorkGuard) throws(ImageError) -> SubFrameCost

    /// Writes a frame.
    mutating func write(_ frame: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError)

    /// Ends the file, after the last frame.
    mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError)
}

extension AnimationEncoder {
    /// Nothing is known.
    package var fixedByteCount: Int { 0 }

    /// Frames show exactly what is wanted.
    package mutating func show(
        _ canvas: Bitmap, for duration: Duration, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) -> Bool { false }
}

/// What a way to write a frame costs, by trial or by estimate.
package struct SubFrameCost: Hashable, Sendable {
    /// About how many bytes.
    package var byteCount: Int
    /// What the encoder has found out and needs when it writes this frame, in numbers of its own.
    package var method: Int

    /// A cost.
    package init(byteCount: Int, method: Int = 0) {
        self.byteCount = byteCount
        self.method = method
    }
}

/// A frame as it is written.
package struct PlannedFrame: Sendable {
    /// Its pixels and their place.
    package var frame: SubFrame
    /// How long it is shown.
    package var duration: Duration
    /// What becomes of it afterwards.
    package var disposal: FrameInfo.Disposal
    /// ``SubFrameCost/method`` of the cost that decided for it; `nil` if nothing was compared.
    package var method: Int?
}

/// A coder that encodes animations.
package protocol AnimationEncodingCoder: RowEncodingCoder {
    /// Whether animations can be written as `format`.
    func canEncodeAnimation(to format: ImageFormat) -> Bool

    /// Whether translucent pixels may become opaque or transparent, if the format does not hold them.
    ///
    /// - Throws: `unsupported` if nothing may be lost.
    func checkTranslucencyLoss(_ options: EncodingOptions) throws(ImageError)

    /// Makes the encoder of one animation.
    ///
    /// - Throws: `invalidArgument` for options that make no sense, `limitExceeded(.dimension)` if the format cannot hold the
    ///   canvas.
    func makeAnimationEncoder(
        _ animation: EncodedAnimation, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any AnimationEncoder
}

extension AnimationEncodingCoder {
    /// Most formats hold them.
    package func checkTranslucencyLoss(_ options: EncodingOptions) throws(ImageError) {}
}
