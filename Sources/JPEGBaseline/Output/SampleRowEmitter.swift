// From planes of samples of any precision to finished picture rows: upsampling, colour, depth.
//
// In: `SamplePlanes` with MCU row after MCU row from the top. Out: rows of eight or of sixteen bits a sample, in a `RowSink`.

package import ImageCodecsCore

/// Turns samples of 2 to 16 bits into picture rows.
///
/// A row of each component is brought to the picture's width and precision, converted to R'G'B' if it is Y'CbCr, and then to eight
/// bits a sample, or to sixteen if the precision is above eight (`SampleDepth`).
package struct SampleRowEmitter: Sendable {
    package let plan: PicturePlan
    private var sink: RowSink
    private let depth: SampleDepth
    /// A row of every component at the picture's width, two bytes a sample.
    private var rows: ScratchBuffer
    /// The next MCU row to be emitted.
    private var mcuRow = 0

    /// - Parameter reusable: A bitmap whose memory is reused when it fits; always taken.
    package init(
        _ plan: PicturePlan, reusable: inout Bitmap?, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        self.plan = plan
        depth = SampleDepth(precision: plan.precision)
        rows = try ScratchBuffer(byteCount: Self.rowByteCount(plan), meter: meter)
        sink = try RowSink(plan: plan.output, layout: Self.layout(plan), reusable: &reusable, meter: meter, work: work)
    }

    private static func layout(_ plan: PicturePlan) -> SampleLayout {
        guard plan.precision > 8, plan.colorModel.nativeFormat != .cmyk else {
            return .pixels(plan.colorModel.nativeFormat)
        }
        return plan.colorModel == .grayscale
            ? .gray(bits: 16, transparent: nil) : .rgb(bits: 16, transparent: nil)
    }

    private static func rowByteCount(_ plan: PicturePlan) -> Int {
        2 * plan.geometry.size.width * plan.geometry.components.count
    }

    /// Bytes that a frame takes at most whose samples are kept in planes and emitted here. Saturates.
    package static func peakByteCount(_ plan: PicturePlan, keepsAll: Bool) -> Int {
        plan.output.peakByteCount()
            .addingSaturated(SamplePlanes.byteCount(plan.geometry, keepsAll: keepsAll))
            // What a scan decodes at a time.
            .addingSaturated(SamplePlanes.byteCount(plan.geometry, keepsAll: false))
            .addingSaturated(rowByteCount(plan))
            .addingSaturated(layout(plan).bytesPerRow(width: plan.geometry.size.width) + 64)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    package mutating func makeUnique() throws(ImageError) {
        try rows.makeUnique()
        try sink.makeUnique()
    }

    /// Writes the picture rows of the next MCU row.
    ///
    /// - Parameters:
    ///   - planes: Have the samples of that MCU row.
    ///   - pointTransforms: By how many bits the samples of each component were shifted down.
    package mutating func emit(_ planes: SamplePlanes, pointTransforms: SIMD4<UInt8>) throws(ImageError) {
        let height = plan.geometry.outputRowsPerMCURow
        for y in mcuRow * height..<min((mcuRow + 1) * height, plan.geometry.size.height) {
            expand(y, planes, pointTransforms)
            convertColors()
            try write(y)
        }
        mcuRow += 1
    }

    /// Brings row `y` of every component to the picture's width and precision.
    private mutating func expand(_ y: Int, _ planes: SamplePlanes, _ pointTransforms: SIMD4<UInt8>) {
        let (width, mask) = (plan.geometry.size.width, depth.mask)
        for (index, component) in plan.geometry.components.enumerated() {
            let start = planes.start(index, row: y / component.verticalExpansion)
            let shift = UInt16(pointTransforms[index])
            let expansion = component.horizontalExpansion
            planes.samples.withBytes(2 * start..<2 * (start + component.widthInSamples)) { bytes in
                let source = Span<UInt16>(_bytes: bytes)
                rows.withMutableBytes(2 * index * width..<2 * (index + 1) * width) { bytes in
                    bytes.withNumbers(of: UInt16.self) { row in
                        if expansion == 1 {
                            for x in 0..<width { row[x] = source[x] &<< shift & mask }
                        } else {
                            for x in 0..<width { row[x] = source[x / expansion] &<< shift & mask }
                        }
                    }
                }
            }
        }
    }

    /// Makes Y'CbCr to R'G'B', or to CMY if there are four components.
    private mutating func convertColors() {
        let isInk = plan.colorModel == .ycck
        guard isInk || plan.colorModel == .yCbCr else { return }
        let (width, largest, center) = (plan.geometry.size.width, Int(depth.mask), 1 << (plan.precision - 1))
        rows.withMutableBytes { bytes in
            bytes.withNumbers(of: UInt16.self) { samples in
                for x in 0..<width {
                    let color = YCbCrConversion.rgb(
                        y: Int(samples[x]), cb: Int(samples[width + x]) - center,
                        cr: Int(samples[2 * width + x]) - center,
                        largest: largest)
                    samples[x] = UInt16(isInk ? largest - color.red : color.red)
                    samples[width + x] = UInt16(isInk ? largest - color.green : color.green)
                    samples[2 * width + x] = UInt16(isInk ? largest - color.blue : color.blue)
                }
            }
        }
    }

    /// Writes the row in the layout of the sink.
    private mutating func write(_ y: Int) throws(ImageError) {
        let (width, count, depth) = (plan.geometry.size.width, plan.geometry.components.count, depth)
        let isDeep = plan.precision > 8 && count < 4
        let rows = self.rows
        try sink.withDirectRows(y..<y + 1) { (_, bytes, _) throws(ImageError) in
            rows.withBytes { source in
                let samples = Span<UInt16>(_bytes: source)
                if isDeep {
                    bytes.withNumbers(of: UInt16.self) { pixels in
                        for index in 0..<count {
                            for x in 0..<width {
                                pixels[x &* count &+ index] = depth.deep(samples[index &* width &+ x]).bigEndian
                            }
                        }
                    }
                } else {
                    bytes.withNumbers(of: UInt8.self) { pixels in
                        for index in 0..<count {
                            for x in 0..<width {
                                pixels[x &* count &+ index] = depth.byte(samples[index &* width &+ x])
                            }
                        }
                    }
                }
            }
        }
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
