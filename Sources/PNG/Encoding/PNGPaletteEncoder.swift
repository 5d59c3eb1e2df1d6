// A picture that loses colours until a palette holds them all; then it is written like any other picture.
//
//   1. count       how often does each colour occur?                ColorHistogram
//   2. choose      the palette                                      Palette
//   3. map         row -> indices, which are held                   PaletteMapper
//   4. write       indices -> rows of RGBA, without further loss    PNGEncoder

package import ImageCodecsCore
package import ImageEncoding
import ImagePalettes

/// Writes one picture as a PNG file of at most ``PNGEncodingOptions/colorCount`` colours.
///
/// Sixteen bits become eight. A picture that has no more colours keeps them, and is written as it would be without the option.
package struct PNGPaletteEncoder: RowEncoder {
    private enum State: Sendable {
        case ready
        case counting(ColorHistogram)
        case mapping(PaletteRows)
        case ended
    }

    private let size: PixelSize
    private let colorCount: Int
    private let request: EncodingRequest
    /// Writes the rows that the palette leaves.
    private var encoder: PNGEncoder
    private var state = State.ready
    private var surveyedRowCount = 0

    /// - Parameters:
    ///   - picture: its size, and what is written about it.
    ///   - colorCount: colours at most.
    ///   - request: what else is asked for.
    /// - Throws: `invalidArgument` for a number of colours outside of 2...256; what ``PNGEncoder/init(_:_:)`` throws.
    package init(_ picture: EncodedPicture, colorCount: Int, _ request: EncodingRequest) throws(ImageError) {
        guard (2...DistinctColors.limit).contains(colorCount) else {
            throw .invalidArgument("a palette cannot have \(colorCount) colours; 2 to 256 are possible")
        }
        size = picture.size
        self.colorCount = colorCount
        self.request = request
        var options = request.options
        options.memoryMeter = request.meter
        options.png.colorCount = nil
        // Mapped pictures are held, so that they can be looked at whatever the effort is.
        options.png.surveyedByteCount = .max
        var mapped = picture
        mapped.format = .rgba
        encoder = try PNGEncoder(mapped, EncodingRequest(options: options))
    }

    package var rowFormat: PixelFormat { .rgba }
    package var surveysRows: Bool { true }
    package var fixedByteCount: Int { encoder.fixedByteCount }

    package var estimatedByteCount: Int {
        let (pixelCount, effort) = (size.pixelCount ?? .max, request.options.effort)
        let choosing = ColorHistogram.byteCount(pixelCount: pixelCount, effort: effort)
            .addingSaturated(Palette.selectionByteCount(pixelCount: pixelCount, effort: effort))
        return max(choosing, encoder.estimatedByteCount.addingSaturated(PaletteRows.byteCount(size)))
    }

    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool {
        if case .ready = state {
            state = .counting(try ColorHistogram(effort: request.options.effort, meter: request.meter))
        }
        guard case .counting(var histogram) = state else { return false }
        surveyedRowCount += 1
        // Once it is clear that colours are lost, some rows are enough if time is short, but for those with transparency.
        if request.options.effort == .fast, !isCounted(row: surveyedRowCount), histogram.distinctColors == nil,
            PixelSurveyKernels.traits(rgba: row, width: size.width).isOpaque
        {
            return true
        }
        // Taken out of the state for the call, so that nothing is copied.
        state = .ready
        try histogram.add(row, width: size.width, weight: 1, work: &work)
        state = .counting(histogram)
        return true
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        if let palette = try choosePalette(&work) {
            state = .mapping(try PaletteRows(palette, dithering, size: size, meter: request.meter))
        }
        guard case .mapping(var rows) = state else { return }
        state = .ready
        try work.spend(8 * size.width)
        rows.add(row)
        state = .mapping(rows)
    }

    /// The palette, once all rows were counted, whose histogram is given back; `nil` after that.
    private mutating func choosePalette(_ work: inout WorkGuard) throws(ImageError) -> Palette? {
        guard case .counting(let histogram) = state else { return nil }
        state = .ready
        return try Palette(
            histogram, colorCount: colorCount, effort: request.options.effort, meter: request.meter, work: &work)
    }

    /// Pixels of pictures all of whose rows are counted.
    private static let countedPixelCount = 1 << 16

    /// Whether a row is counted when one of four is enough: without a pattern, as pictures may have patterns too.
    private func isCounted(row: Int) -> Bool {
        if let count = size.pixelCount, count <= Self.countedPixelCount { return true }
        // Two products by odd numbers, with the high bits mixed into the low ones between them.
        let product = UInt32(truncatingIfNeeded: row) &* 0x9E37_79B1
        return ((product ^ product >> 15) &* 0x85EB_CA77) >> 30 == 0
    }

    private var dithering: Dithering {
        let dithering = request.options.png.dithering
        return dithering == .automatic && request.options.effort == .fast ? .none : dithering
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        guard case .mapping(var rows) = state else { return }
        state = .ended
        try encoder.give(colors: rows.usedColors)
        var wantsMore = encoder.surveysRows
        for y in 0..<size.height where wantsMore {
            try work.spend(size.width)
            try rows.withRow(y) { (row) throws(ImageError) in wantsMore = try encoder.survey(row, work: &work) }
        }
        for y in 0..<size.height {
            try work.spend(size.width)
            try rows.withRow(y) { (row) throws(ImageError) in try encoder.write(row, to: sink, work: &work) }
        }
        try encoder.finish(to: sink, work: &work)
    }
}

/// All pixels of a picture as indices into a palette.
private struct PaletteRows: Sendable {
    private let width: Int
    private let palette: Palette
    private var mapper: PaletteMapper
    private let height: Int
    private var indices: ScratchBuffer
    /// A row of colours.
    private var row: ScratchBuffer
    /// Rows that are mapped when there are as many as are mapped at once.
    private var waiting: ScratchBuffer
    private var waitingCount = 0
    private var mappedCount = 0
    /// By their numbers, whether pixels have the palette's colours.
    private var isUsed = [Bool](repeating: false, count: DistinctColors.limit)

    init(
        _ palette: Palette, _ dithering: Dithering, size: PixelSize, meter: MemoryMeter?
    ) throws(ImageError) {
        (width, height) = (size.width, size.height)
        self.palette = palette
        mapper = try PaletteMapper(palette, dithering, width: width, meter: meter)
        indices = try ScratchBuffer(byteCount: width.multipliedSaturated(by: size.height), meter: meter)
        row = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: meter)
        waiting = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4 * PaletteMapper.mostRows), meter: meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(_ size: PixelSize) -> Int {
        size.width.multipliedSaturated(by: size.height.addingSaturated(4 + 4 * PaletteMapper.mostRows))
            .addingSaturated(PaletteMapper.byteCount(width: size.width))
    }

    /// Takes a row of straight RGBA.
    mutating func add(_ row: RawSpan) {
        let byteCount = 4 * width
        waiting.withMutableBytes(waitingCount * byteCount..<(waitingCount + 1) * byteCount) { $0.copy(row) }
        waitingCount += 1
        if waitingCount == PaletteMapper.mostRows || mappedCount + waitingCount == height { mapWaiting() }
    }

    private mutating func mapWaiting() {
        let (width, count, start) = (width, waitingCount, mappedCount)
        waiting.withBytes { rows in
            indices.withMutableBytes(start * width..<(start + count) * width) {
                mapper.map(rows, into: &$0, width: width, count: count)
                for pixel in 0..<count * width { isUsed[Int($0.bytes.byte(at: pixel))] = true }
            }
        }
        (mappedCount, waitingCount) = (start + count, 0)
    }

    /// The colours that pixels have.
    var usedColors: [UInt32] {
        palette.colors.indices.filter { isUsed[$0] }.map { palette.colors[$0] }
    }

    /// A row as straight RGBA.
    mutating func withRow(_ y: Int, _ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        let (palette, width) = (palette, width)
        indices.withBytes(y * width..<(y + 1) * width) { indices in
            row.withMutableBytes { row in
                for x in 0..<width {
                    row.storeBytes(of: palette.rgba[Int(indices.byte(at: x))], toByteOffset: 4 * x, as: UInt32.self)
                }
            }
        }
        try row.withBytes(body)
    }
}
