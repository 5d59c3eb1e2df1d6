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
    private let ways: [ChromaUpsampling]
    /// A row of every component at the picture's width, two bytes a sample.
    private var rows: ScratchBuffer
    /// The next row to be emitted.
    private var nextRow = 0

    /// - Parameter reusable: A bitmap whose memory is reused when it fits; always taken.
    package init(
        _ plan: PicturePlan, reusable: inout Bitmap?, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        self.plan = plan
        depth = SampleDepth(precision: plan.precision)
        ways = plan.geometry.components.map { ChromaUpsampling($0, in: plan.geometry) }
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

    /// Bytes that an emitter holds at most, the result included. Saturates.
    package static func peakByteCount(_ plan: PicturePlan) -> Int {
        plan.output.peakByteCount()
            .addingSaturated(rowByteCount(plan))
            .addingSaturated(layout(plan).bytesPerRow(width: plan.geometry.size.width) + 64)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    package mutating func makeUnique() throws(ImageError) {
        try rows.makeUnique()
        try sink.makeUnique()
    }

    /// Writes picture rows.
    ///
    /// - Parameters:
    ///   - planes: Have the samples of those rows, and those that they are interpolated with.
    ///   - end: The row after the last one; those below the picture are left out.
    ///   - pointTransforms: By how many bits the samples of each component were shifted down.
    ///   - mcuRows: From the top, have samples; chroma that is interpolated downwards looks at the one after the next.
    package mutating func emit(
        _ planes: SamplePlanes, upTo end: Int, pointTransforms: SIMD4<UInt8> = SIMD4(), mcuRows: Int = .max
    ) throws(ImageError) {
        let end = min(end, plan.geometry.size.height)
        for y in nextRow..<max(nextRow, end) {
            expand(y, planes, pointTransforms, mcuRows: mcuRows)
            if isTwelveBitYCbCr {
                try writeTwelveBitColors(y)
            } else {
                convertColors()
                try write(y)
            }
        }
        nextRow = max(nextRow, end)
    }

    /// Brings row `y` of every component to the picture's width and precision.
    private mutating func expand(
        _ y: Int, _ planes: SamplePlanes, _ pointTransforms: SIMD4<UInt8>, mcuRows: Int
    ) {
        let (width, mask) = (plan.geometry.size.width, depth.mask)
        for (index, component) in plan.geometry.components.enumerated() {
            let (way, shift) = (ways[index], UInt16(pointTransforms[index]))
            let row = y / component.verticalExpansion
            let near = planes.start(index, row: row)
            var far = near
            if way == .fancyH1V2 || way == .fancyH2V2 {
                let last = min(component.heightInSamples, mcuRows.multipliedSaturated(by: component.rowsPerMCURow)) - 1
                far = planes.start(index, row: min(max(y % 2 == 0 ? row - 1 : row + 1, 0), last))
            }
            let count = component.widthInSamples
            planes.samples.withBytes { bytes in
                let near = bytes.extracting(2 * near..<2 * (near + count))
                let far = bytes.extracting(2 * far..<2 * (far + count))
                rows.withMutableBytes(2 * index * width..<2 * (index + 1) * width) { row in
                    switch way {
                    case .none, .replicated, .fancyH1V2:
                        row.withNumbers(of: UInt16.self) { row in
                            let (near, far) = (Span<UInt16>(_bytes: near), Span<UInt16>(_bytes: far))
                            switch way {
                            case .replicated(let across, _):
                                for x in 0..<width { row[x] = near[x / across] &<< shift & mask }
                            case .fancyH1V2:
                                let bias = y % 2 == 0 ? 1 : 2
                                for x in 0..<width { row[x] = UInt16((3 * Int(near[x]) + Int(far[x]) + bias) >> 2) }
                            default:
                                for x in 0..<width { row[x] = near[x] &<< shift & mask }
                            }
                        }
                    case .fancyH2V1, .fancyH2V2:
                        TwelveBitKernels.interpolateAcross(
                            near: near, far: far, isBothWays: way == .fancyH2V2, into: &row)
                    }
                }
            }
        }
    }

    /// Whether colours are converted on their way to the sink: the usual case of twelve bits.
    private var isTwelveBitYCbCr: Bool { plan.precision == 12 && plan.colorModel == .yCbCr }

    private mutating func writeTwelveBitColors(_ y: Int) throws(ImageError) {
        let (byteCount, rows) = (2 * plan.geometry.size.width, self.rows)
        try sink.withDirectRows(y..<y + 1) { (_, bytes, _) throws(ImageError) in
            rows.withBytes { source in
                TwelveBitKernels.writeColors(
                    luma: source.extracting(0..<byteCount), cb: source.extracting(byteCount..<2 * byteCount),
                    cr: source.extracting(2 * byteCount..<3 * byteCount), width: byteCount / 2, into: &bytes)
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
                        Self.interleave(samples, width, count, into: &pixels) { depth.deep($0).bigEndian }
                    }
                } else {
                    bytes.withNumbers(of: UInt8.self) { pixels in
                        if depth.isBytes {
                            Self.interleave(samples, width, count, into: &pixels) { UInt8(truncatingIfNeeded: $0) }
                        } else {
                            Self.interleave(samples, width, count, into: &pixels) { depth.byte($0) }
                        }
                    }
                }
            }
        }
    }

    /// Puts the samples of all components side by side.
    @inline(__always)
    private static func interleave<Sample>(
        _ samples: Span<UInt16>, _ width: Int, _ count: Int, into pixels: inout MutableSpan<Sample>,
        _ converted: (UInt16) -> Sample
    ) {
        if count == 1 {
            let row = samples.extracting(0..<width)
            for x in 0..<width { pixels[x] = converted(row[x]) }
        } else if count == 3 {
            let (first, second) = (samples.extracting(0..<width), samples.extracting(width..<2 * width))
            let third = samples.extracting(2 * width..<3 * width)
            for x in 0..<width {
                pixels[3 &* x] = converted(first[x])
                pixels[3 &* x &+ 1] = converted(second[x])
                pixels[3 &* x &+ 2] = converted(third[x])
            }
        } else {
            for index in 0..<count {
                for x in 0..<width { pixels[x &* count &+ index] = converted(samples[index &* width &+ x]) }
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
