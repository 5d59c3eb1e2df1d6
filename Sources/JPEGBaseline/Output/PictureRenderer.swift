// From the coefficients of MCU rows to the bitmap: inverse DCT, upsampling, colour, scaling.
//
// In: quantised coefficients, MCU row after MCU row from the top. Out: the rows of the result. The parts are
// `InverseDCT`, `RowEmitter` and ImageCore's `RowSink`; this file joins them.

package import ImageCodecsCore

/// Builds a picture from MCU rows of coefficients.
package struct PictureRenderer: Sendable {
    package let plan: PicturePlan
    private var emitter: RowEmitter
    fileprivate(set) var sink: RowSink
    /// The quantisation steps of the components: the values of a `DequantizationTable` for each, one after the other.
    private let steps: ContiguousArray<Int16>
    private let edges: PictureEdges
    /// Sees the samples of each component as they are stored.
    package private(set) var observer: ComponentPlanes?
}

extension PictureRenderer {
    /// Not an initialiser: those copy large values when they hand them over, reference by reference.
    ///
    /// - Parameters:
    ///   - steps: The values of a `DequantizationTable` for each component, one after the other.
    ///   - hasAllCoefficients: Whether blocks come with their AC coefficients even if they become one sample.
    ///   - reusable: A bitmap whose memory is reused when it fits; always taken.
    ///   - work: Asked while it is prepared.
    package static func make(
        plan: PicturePlan, steps: ContiguousArray<Int16>, hasAllCoefficients: Bool, observer: ComponentPlanes? = nil,
        reusable: inout Bitmap?, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> PictureRenderer {
        let sink = try RowSink(
            plan: plan.output, reduction: plan.geometry.scale.reduction, layout: .pixels(plan.rowFormat),
            reusable: &reusable,
            meter: meter, work: work)
        let emitter = try RowEmitter(
            geometry: plan.geometry, colorModel: plan.colorModel, format: plan.rowFormat, meter: meter)
        var observer = observer
        try observer?.allocate(plan.geometry, meter: meter, work: work)
        return PictureRenderer(
            plan: plan, emitter: emitter, sink: sink, steps: steps,
            edges: PictureEdges(plan.geometry, hasAllCoefficients: hasAllCoefficients), observer: observer)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        try emitter.makeUnique()
        try sink.makeUnique()
        try observer?.makeUnique()
    }

    /// The next MCU row to be emitted.
    package var mcuRow: Int { emitter.mcuRow }

    /// Reconstructs a row of blocks of the current MCU row.
    ///
    /// - Parameters:
    ///   - blockRow: Row of blocks within the MCU row.
    ///   - coefficients: 64 per block, `paddedWidthInBlocks` blocks.
    ///   - lastIndices: One per block, as ``SequentialScan`` gives them.
    package mutating func reconstruct(
        component: Int, blockRow: Int, coefficients: Span<Int16>, lastIndices: Span<UInt8>
    ) {
        let first = component * DequantizationTable.count
        // A copy of the reference: a span of `self` could not be read while the planes are written to.
        let allSteps = steps
        let steps = allSteps.span.extracting(first..<first + DequantizationTable.count)
        InverseDCT.reconstruct(
            coefficients, lastIndices: lastIndices, steps: steps, into: &emitter.planes, component: component,
            blockRow: blockRow)
        guard plan.geometry.scale != .full else { return }
        edges.mend(
            component: component,
            row: emitter.mcuRow * plan.geometry.components[component].verticalSampling + blockRow, blockRow: blockRow,
            coefficients: coefficients, lastIndices: lastIndices, steps: steps, in: &emitter.planes)
    }

    /// Writes the picture rows that the current MCU row finishes, and goes on to the next.
    package mutating func finishMCURow() throws(ImageError) {
        observer?.observe(emitter)
        try emitter.deliverRows(to: &sink)
    }

    /// Whether the result has rows.
    package var hasRows: Bool { sink.filledRowCount > 0 }

    /// What changed since the last call, in pixels of the result.
    package mutating func drainChanges() -> PixelRect? { sink.drainChanges() }

    /// Ends the picture: rows that were not emitted are black.
    package mutating func finish(work: WorkGuard) throws(ImageError) {
        sink.endPartialPictures()
        try sink.clearUnfilledRows(work: work)
    }

    /// The finished picture, turned as the plan says.
    package func result(work: WorkGuard) throws(ImageError) -> Bitmap { try sink.result(work: work) }

    /// The top of the finished picture, which has fewer lines than were planned; turned as the plan says.
    ///
    /// What was scaled already is cut where the picture ends and scaled the rest of the way, which is not quite what scaling all
    /// lines gives.
    package func result(
        shortenedTo plan: PicturePlan, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        try sink.result(shortenedTo: plan, of: self.plan.geometry.size.height, meter: meter, work: work)
    }

    /// The picture so far, turned as the plan says; see `PartialPictures`.
    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink.partialPicture(work: work)
    }
}

extension RowSink {
    /// The top of a finished picture of `height` lines, of which it has only those of `plan`; turned as the plan says.
    package func result(
        shortenedTo plan: PicturePlan, of height: Int, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        let planned = bitmap
        let rows = max(1, (planned.height * plan.geometry.size.height + height / 2) / height)
        var top = try Bitmap(
            uninitialized: PixelSize(width: planned.width, height: rows), format: planned.format, meter: meter)
        for y in 0..<rows {
            planned.withRowBytes(y) { row in top.withMutableRowBytes(y) { $0.copy(row) } }
        }
        if top.size != plan.output.targetSize {
            top = try top.scaled(
                to: plan.output.targetSize, scaling: plan.output.scaling, meter: meter, work: work)
        }
        return try top.oriented(plan.output.orientation, meter: meter, work: work)
    }
}
