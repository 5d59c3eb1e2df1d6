// What one format's decoder has to be, for `DecodingSession` to drive it.

/// How much of a file is wanted.
package enum DecodingPurpose: Hashable, Sendable {
    /// What the headers say: image data are passed over, and no pixel is allocated.
    case inspection
    /// The whole picture at once; of an animation the first.
    case oneShot
    /// The same, and where each frame of an animation is; those are decoded after the file was read.
    case frames
    /// Where the frames of an animation are: no pixel is decoded.
    case animation
    /// Pictures before the file is complete.
    case incremental

    /// Whether pixels are decoded while the file is read.
    package var decodesPixels: Bool {
        switch self {
        case .inspection, .animation: false
        case .oneShot, .frames, .incremental: true
        }
    }

    /// Whether the file may come in pieces, so that what its headers say is asked for meanwhile.
    var comesInPieces: Bool { self == .inspection || self == .incremental }
}

/// What a decode is asked for, the same for all formats. A reference: whoever takes part in a decode holds it.
package final class DecodingRequest: Sendable {
    package let options: DecodingOptions
    package let purpose: DecodingPurpose
    /// Counts everything the decode holds.
    package let meter: MemoryMeter
    /// Bytes of the whole input if that is known, `Int.max` if it is not.
    package let inputByteCount: Int

    package init(options: DecodingOptions, purpose: DecodingPurpose, inputByteCount: Int = .max) {
        self.options = options
        self.purpose = purpose
        self.inputByteCount = inputByteCount
        meter = options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemoryByteCount)
    }

    /// Whether metadata are kept only up to `MetadataBudget.inspectionByteCount`.
    package var keepsLittleMetadata: Bool { purpose == .inspection && !options.inspectsAllMetadata }

    /// Refuses a picture before memory is touched for which there is not enough.
    ///
    /// - Parameter byteCount: what decoding it takes; one that saturated is always refused.
    package func admit(_ byteCount: Int) throws(ImageError) {
        guard byteCount < .max, byteCount <= options.limits.maxMemoryByteCount else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: options.limits.maxMemoryByteCount)
        }
    }
}

/// The state machine of one format: bytes in, headers and pixels out.
///
/// A value: a copy is a checkpoint. Errors, the clock, the input's left-overs and what tolerant decoding makes of damage
/// are `DecodingSession`'s business.
@usableFromInline
package protocol StreamDecoder: Sendable {
    /// The format, for errors.
    static var format: ImageFormat { get }

    /// What the headers say, once they are complete.
    var info: ImageInfo? { get }

    /// What ``info`` says, but for metadata and frames: behind a reference, because the whole of it is a large value.
    var description: Indirect<ImageInfo>? { get }

    /// Of the damage that was tolerated so far, that which comes first in the file.
    var toleratedDamage: ImageError? { get }

    /// Reads as many whole syntax elements as there are.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes.
    ///   - offset: where they begin in the file.
    ///   - isFinal: whether no more bytes will come.
    ///   - work: asked in every loop whose length the bytes decide.
    /// - Returns: how many bytes are not needed again. The rest comes again, with more after it.
    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int

    /// Whether the file is read as far as it is wanted; nothing is consumed any more.
    var isComplete: Bool { get }

    /// Whether a row of the result was written.
    var hasPicture: Bool { get }

    /// Makes every buffer this value's own, so that decoding on does not copy it.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    mutating func makeUnique() throws(ImageError)

    /// Ends the picture: nothing more is read.
    ///
    /// - Parameter damage: why it ends early; `nil` when it is complete.
    mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError)

    /// The picture after ``end(damage:work:)``.
    func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap

    /// The picture so far; a later write does not change it.
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap

    /// The whole frames so far, if the format has animations; a snapshot, which decoding on does not change.
    mutating func animation(work: WorkGuard) throws(ImageError) -> (any AnimatedImageProvider)?

    /// Whether making a partial picture costs as much as making the whole, however little changed, so that such pictures
    /// are to be made sparingly.
    var hasCostlyPartialPictures: Bool { get }

    /// Which part of the picture is decoded; `nil` when all of it is.
    ///
    /// - Parameter isEnded: whether ``end(damage:work:)`` was called.
    func partialReport(isEnded: Bool) -> PartialReport?

    /// What changed in the picture since the last call, in pixels of the result.
    mutating func drainChanges() -> PixelRect?

    /// What the file says about the picture, as far as it was read.
    var metadata: ImageMetadata { get }

    /// Records how many bytes the file has after the picture.
    mutating func recordTrailing(byteCount: Int)
}

extension StreamDecoder {
    package var description: Indirect<ImageInfo>? { info.map { Indirect($0) } }

    /// Formats that end at damage tolerate none.
    package var toleratedDamage: ImageError? { nil }

    /// Bytes after the picture are of interest for few formats.
    package mutating func recordTrailing(byteCount: Int) {}

    /// Formats without animations need not say so.
    package mutating func animation(work: WorkGuard) throws(ImageError) -> (any AnimatedImageProvider)? { nil }
}
