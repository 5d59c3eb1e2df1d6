// An interlaced picture that is scaled down: kept as small as its samples are, scaled when all of it is there.
//
//   pass row ──▶ (unpacked or converted) ──▶ CollectedSamples      1 to 4 bytes a pixel, all rows
//   all rows ──▶ RowConverter ──▶ ScalingStage ──▶ Bitmap          one row at a time

/// The samples of a whole picture, and the way from them to a result of another size.
///
/// | samples of the file | kept as | bytes a pixel |
/// |---|---|---|
/// | palette indices or gray, 1 to 8 bits | one byte each | 1 |
/// | gray of 16 bits; gray and alpha of 8 bits | as they are | 2 |
/// | red, green, blue of 8 bits | as they are | 3 |
/// | all others | pixels as they are scaled: premultiplied BGRA, or BGRX | 4 |
///
/// An example: an interlaced GIF of 8000 x 6000 pixels takes 48 MB, and its thumbnail is made from those without a second
/// picture. A value: a copy is a checkpoint.
struct CollectedSamples: Sendable {
    /// Width and height of the picture.
    let size: PixelSize
    private let bytesPerPixel: Int
    /// From rows of the file to kept ones; `nil` if those are the same.
    private let keeper: RowConverter?
    /// From kept rows to those that are scaled.
    private let expander: RowConverter
    private var samples: ScratchBuffer
    /// The kept pixels of a pass for one row, side by side; if they are not the file's.
    private var passRow: ScratchBuffer?

    /// - Parameters:
    ///   - layout: what rows of the file hold.
    ///   - working: the format that rows are scaled in, of four bytes a pixel.
    init(
        size: PixelSize, layout: SampleLayout, working: PixelFormat, meter: MemoryMeter?
    ) throws(ImageError) {
        self.size = size
        let form = KeptForm(layout)
        bytesPerPixel = form.bytesPerPixel
        let bits = layout.bitsPerPixel
        switch form {
        case .same:
            keeper = nil
            expander = RowConverter(from: layout, to: working)
        case .unpacked(let palette):
            keeper = RowConverter(from: .indexed(bits: bits, palette: .counting), to: .gray)
            expander = RowConverter(from: .indexed(bits: 8, palette: palette), to: working)
        case .converted:
            keeper = layout == .pixels(working) ? nil : RowConverter(from: layout, to: working)
            expander = RowConverter(from: .pixels(working), to: working)
        }
        samples = try ScratchBuffer(byteCount: Self.samplesByteCount(size, form), meter: meter)
        if keeper != nil {
            passRow = try ScratchBuffer(byteCount: Self.passRowByteCount(size, form), meter: meter)
        }
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    mutating func makeUnique() throws(ImageError) {
        try samples.makeUnique()
        try passRow?.makeUnique()
    }

    /// The most memory that keeping a picture takes. Saturates.
    static func byteCount(size: PixelSize, layout: SampleLayout) -> Int {
        let form = KeptForm(layout)
        return samplesByteCount(size, form).addingSaturated(passRowByteCount(size, form))
    }

    private static func samplesByteCount(_ size: PixelSize, _ form: KeptForm) -> Int {
        passRowByteCount(size, form).multipliedSaturated(by: size.height)
    }

    private static func passRowByteCount(_ size: PixelSize, _ form: KeptForm) -> Int {
        size.width.multipliedSaturated(by: form.bytesPerPixel)
    }

    /// Keeps the pixels that a pass brings for one row.
    ///
    /// - Parameter pixels: side by side, laid out as in the file.
    /// - Precondition: they lie in the picture.
    mutating func write(_ pixels: RawSpan, at place: PassRow) {
        guard let keeper else { return scatter(pixels, at: place) }
        // Out of `self` for the call, so that the buffer is not shared.
        guard var buffer = passRow.take() else { return }
        buffer.withMutableBytes { keeper.convert(pixels, into: &$0, width: place.width) }
        buffer.withBytes { scatter($0, at: place) }
        passRow = buffer
    }

    private mutating func scatter(_ pixels: RawSpan, at place: PassRow) {
        let bytesPerPixel = bytesPerPixel
        samples.withMutableBytes(byteRange(ofRow: place.y)) { row in
            if place.columnStep == 1, place.x == 0 {
                row.copy(pixels.extracting(first: place.width * bytesPerPixel))
            } else {
                ScatterKernels.scatter(
                    pixels, into: &row, start: place.x, step: place.columnStep, count: place.width,
                    bytesPerPixel: bytesPerPixel)
            }
        }
    }

    private func byteRange(ofRow y: Int) -> Range<Int> {
        precondition(y >= 0 && y < size.height, "row outside the picture")
        let bytesPerRow = size.width * bytesPerPixel
        return y * bytesPerRow..<(y + 1) * bytesPerRow
    }

    /// The picture in the size and the format of `plan`, not turned.
    ///
    /// - Parameters:
    ///   - gaps: what shows where pixels are missing; `nil` when none is.
    ///   - work: asked every some rows.
    func picture(
        _ plan: OutputPlan, filling gaps: (any GapFilling)?, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        var work = work
        let working = expander.format
        var picture = try Bitmap(uninitialized: plan.targetSize, format: plan.format, meter: meter)
        var row = try ScratchBuffer(byteCount: size.width.multipliedSaturated(by: 4), meter: meter)
        var stage: ScalingStage?
        if size != plan.targetSize {
            stage = try ScalingStage(
                sourceSize: size, reduction: 1, targetSize: plan.targetSize, working: working, output: plan.format,
                scaling: plan.scaling, meter: meter, work: work)
        }
        let finish = RowConverter(from: .pixels(working), to: plan.format)
        let width = plan.targetSize.width
        var shown: ShownRow?
        for y in 0..<size.height {
            try work.spend(size.width)
            let next = gaps?.rowShown(at: y) ?? .pixels(ofRow: y, columnStep: 1)
            if next != shown {
                expand(next, into: &row)
                shown = next
            }
            row.withBytes { pixels in
                guard stage != nil else {
                    return picture.withMutableRowBytes(y) { finish.convert(pixels, into: &$0, width: width) }
                }
                stage?.push(pixels) { y, pixels, finish in
                    picture.withMutableRowBytes(y) { finish.convert(pixels, into: &$0, width: width) }
                }
            }
        }
        return picture
    }

    /// Writes what shows in a row in the format that rows are scaled in.
    private func expand(_ shown: ShownRow, into row: inout ScratchBuffer) {
        let width = size.width
        switch shown {
        case .blank:
            row.fill(0..<width * 4, with: 0)
            guard expander.format == .bgrx else { return }
            row.withMutableBytes { for x in 0..<width { $0.setByte(255, at: 4 * x + 3) } }
        case .pixels(let y, let columnStep):
            samples.withBytes(byteRange(ofRow: y)) { kept in
                row.withMutableBytes { expander.convert(kept, into: &$0, width: width) }
            }
            guard columnStep > 1 else { return }
            // Columns that no pass brought were converted too, whatever they hold; here they are overwritten.
            row.withMutableBytes {
                InterlaceKernels.replicate(&$0, width: width, step: columnStep, bytesPerPixel: 4)
            }
        }
    }
}

/// What is kept of samples: whatever takes the fewest whole bytes a pixel, and no more than four.
private enum KeptForm {
    /// The file's own samples, of this many bytes a pixel: 1, 2 or 3.
    case same(bytesPerPixel: Int)
    /// Samples of less than a byte, each in one; they are looked up in a palette.
    case unpacked(Palette)
    /// Pixels of four bytes, in the format in which they are scaled.
    case converted

    init(_ layout: SampleLayout) {
        switch layout {
        case .indexed(1..<8, let palette): self = .unpacked(palette)
        case .gray(let bits, let key) where bits < 8:
            self = .unpacked(Palette(ConversionRoute.grayLevels(bits: bits, key: key)))
        case _ where layout.bitsPerPixel <= 24: self = .same(bytesPerPixel: layout.bitsPerPixel / 8)
        default: self = .converted
        }
    }

    var bytesPerPixel: Int {
        switch self {
        case .same(let bytesPerPixel): bytesPerPixel
        case .unpacked: 1
        case .converted: 4
        }
    }
}

extension Palette {
    /// Gray of the index itself: what indices are unpacked with.
    fileprivate static let counting = Palette((0..<256).map { $0 * 0x01_0101 | 0xFF00_0000 })
}
