// From the coefficients of MCU rows to the bitmap, for samples of twelve bits: what `PictureRenderer` is for eight.

import ImageCodecsCore

/// Builds a picture from MCU rows of coefficients of twelve bits a sample.
struct DeepRenderer: FrameOutput {
    /// The samples of this MCU row and the one before.
    private var planes: SamplePlanes
    private var emitter: SampleRowEmitter
    /// The values of a `DequantizationTable` for each component, one after the other.
    private let steps: ContiguousArray<Int16>
    /// MCU rows that are reconstructed.
    private var mcuRow = 0

    /// MCU rows of samples that are kept: the last row of one is interpolated with the first of the next.
    private static let keptMCURows = 2

    /// - Parameter reusable: A bitmap whose memory is reused when it fits; always taken.
    init(
        _ plan: PicturePlan, steps: ContiguousArray<Int16>, reusable: inout Bitmap?, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        planes = try SamplePlanes(plan.geometry, mcuRows: Self.keptMCURows, meter: meter)
        emitter = try SampleRowEmitter(plan, reusable: &reusable, meter: meter, work: work)
        self.steps = steps
    }

    /// Bytes that it holds at most. Saturates.
    static func peakByteCount(_ plan: PicturePlan) -> Int {
        SampleRowEmitter.peakByteCount(plan)
            .addingSaturated(SamplePlanes.byteCount(plan.geometry, mcuRows: keptMCURows))
    }

    mutating func makeUnique() throws(ImageError) {
        try planes.samples.makeUnique()
        try emitter.makeUnique()
    }

    mutating func reconstruct(
        component: Int, blockRow: Int, coefficients: Span<Int16>, lastIndices: Span<UInt8>
    ) {
        let first = component * DequantizationTable.count
        let allSteps = steps
        let row = (mcuRow * plan.geometry.components[component].verticalSampling + blockRow) * 8
        let (start, width) = (planes.start(component, row: row), planes.planes[component].width)
        planes.samples.withMutableBytes { bytes in
            bytes.withNumbers(of: UInt16.self) { samples in
                DeepInverseDCT.reconstruct(
                    coefficients, lastIndices: lastIndices,
                    steps: allSteps.span.extracting(first..<first + DequantizationTable.count), into: &samples,
                    at: start, stride: width)
            }
        }
    }

    /// Writes the picture rows that the current MCU row finishes, and goes on to the next.
    mutating func finishMCURow() throws(ImageError) {
        mcuRow += 1
        let isInterpolated = mcuRow < plan.geometry.mcuRows && plan.geometry.needsContextRows
        try emit(upTo: mcuRow * plan.geometry.outputRowsPerMCURow - (isInterpolated ? 1 : 0))
    }

    private mutating func emit(upTo row: Int) throws(ImageError) {
        try emitter.emit(planes, upTo: row, mcuRows: mcuRow)
    }

    mutating func finish(work: WorkGuard) throws(ImageError) {
        try emit(upTo: mcuRow * plan.geometry.outputRowsPerMCURow)
        try emitter.finish(work: work)
    }

    var plan: PicturePlan { emitter.plan }
    var hasRows: Bool { emitter.hasRows }
    var observer: ComponentPlanes? { nil }
    mutating func drainChanges() -> PixelRect? { emitter.drainChanges() }
    func result(work: WorkGuard) throws(ImageError) -> Bitmap { try emitter.result(work: work) }
    func result(shortenedTo plan: PicturePlan, meter: MemoryMeter?, work: WorkGuard) throws(ImageError) -> Bitmap {
        try emitter.result(shortenedTo: plan, meter: meter, work: work)
    }
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try emitter.partialPicture(work: work)
    }
}
