// What makes a picture of rows of coefficients, whatever the depth of its samples.

import ImageCodecsCore

/// The output side of a frame: MCU rows of coefficients in, from the top, a bitmap out; see ``PictureRenderer``.
protocol FrameOutput: BlockReceiver, Sendable {
    /// What is delivered.
    var plan: PicturePlan { get }
    /// Whether the result has rows.
    var hasRows: Bool { get }
    /// The samples of each component as they are stored, if they are kept.
    var observer: ComponentPlanes? { get }

    mutating func makeUnique() throws(ImageError)
    mutating func finishMCURow() throws(ImageError)
    mutating func drainChanges() -> PixelRect?
    mutating func finish(work: WorkGuard) throws(ImageError)
    func result(work: WorkGuard) throws(ImageError) -> Bitmap
    func result(shortenedTo plan: PicturePlan, meter: MemoryMeter?, work: WorkGuard) throws(ImageError) -> Bitmap
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap
}

extension PictureRenderer: FrameOutput {}

/// Makes the output of a frame from its plan.
///
/// - Parameters:
///   - steps: The values of a `DequantizationTable` for each component, one after the other.
///   - observer: Sees samples of eight bits.
///   - reusable: A bitmap whose memory is reused when it fits; always taken.
func makeFrameOutput(
    _ plan: PicturePlan, steps: ContiguousArray<Int16>, observer: ComponentPlanes?, reusable: inout Bitmap?,
    meter: MemoryMeter?, work: WorkGuard
) throws(ImageError) -> any FrameOutput {
    guard plan.precision == 8 else {
        return try DeepRenderer(plan, steps: steps, reusable: &reusable, meter: meter, work: work)
    }
    return try PictureRenderer.make(
        plan: plan, steps: steps, hasAllCoefficients: false, observer: observer, reusable: &reusable, meter: meter,
        work: work)
}
