// The colours of one picture: counted, chosen, looked up.

import ImageCodecsCore
import ImageEncoding
import ImagePalettes

/// Which colours a picture has, and which of its table each pixel gets.
struct StillColors: Sendable {
    /// How pixels find their colours, once the table is chosen.
    private enum Search: Sendable {
        case exact
        case mapped(PaletteMapper)
        case lossy(LossyIndexer)
    }

    /// The table, straight RGBA with red in the lowest byte; a transparent colour is 0. Known once it is chosen.
    private(set) var table: [UInt32] = []
    private var counter: ColorCounter
    private var search = Search.exact
    private let request: EncodingRequest
    private let width: Int
    /// A row without translucent pixels.
    private var row: ScratchBuffer

    /// - Throws: `limitExceeded(.memory)`.
    init(width: Int, _ request: EncodingRequest) throws(ImageError) {
        self.request = request
        self.width = width
        counter = try ColorCounter(
            width: width, limit: request.options.gif.colorCount, effort: request.options.effort, meter: request.meter)
        row = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: request.meter)
    }

    /// Bytes that it holds at most until the table is chosen. Saturates.
    static func choosingByteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        let pixelCount = size.pixelCount ?? .max
        // While the histogram grows there are two; colours are chosen from one.
        let growing = ColorCounter.byteCount(width: size.width, pixelCount: pixelCount, effort: effort)
        let grown = min(growing, size.width.addingSaturated(ColorCounter.grownByteCount(effort)))
        let choosing = grown.addingSaturated(Palette.selectionByteCount(pixelCount: pixelCount, effort: effort))
        return size.width.multipliedSaturated(by: 4).addingSaturated(max(growing, choosing))
    }

    /// Bytes that it and the images take at most after that. Saturates.
    static func indexingByteCount(_ size: PixelSize, _ options: EncodingOptions) -> Int {
        let pixelCount = size.pixelCount ?? .max
        var count = size.width.multipliedSaturated(by: 5).addingSaturated(pixelCount)
            .addingSaturated(PaletteMapper.byteCount(width: size.width))
        if loss(options) != nil {
            // Rows, and an image that loses nothing more beside the one with long strings.
            count = count.addingSaturated(Bitmap.byteCount(size: size, format: .rgba) ?? .max)
                .addingSaturated(LossyIndexer.byteCount(size, effort: options.effort))
        }
        return count
    }

    /// Looks at a row of straight RGBA.
    mutating func look(at pixels: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        if cutOut(pixels) {
            try request.options.gif.checkTranslucencyLoss()
            request.options.losses?.record(.translucency)
        }
        let row = row
        try row.withBytes { (row) throws(ImageError) in try counter.add(row, &work) }
    }

    /// Chooses the table, after the last row was looked at.
    mutating func choose(_ work: inout WorkGuard) throws(ImageError) {
        if let colors = counter.counted.colors {
            table = colors.colors
            if request.options.quality != nil, let loss {
                search = .lossy(try LossyIndexer(Palette(table), loss, request))
            }
            return
        }
        try request.options.gif.checkReduction()
        let palette = try counter.palette(&work)
        table = palette.colors
        counter.forget()
        request.options.losses?.record(.colors)
        if let loss {
            search = .lossy(try LossyIndexer(palette, loss, request))
            return
        }
        search = .mapped(
            try PaletteMapper(palette, request.options.gif.dithering, width: width, meter: request.meter))
    }

    /// How much strings may lose; rows of an interlaced picture do not come in the order in which they are coded.
    private static func loss(_ options: EncodingOptions) -> LZWLoss? {
        options.gif.isInterlaced ? nil : LZWLoss(options)
    }

    private var loss: LZWLoss? { Self.loss(request.options) }

    /// Writes the index of each pixel of a row of straight RGBA.
    mutating func index(
        _ pixels: RawSpan, into indices: inout MutableRawSpan, _ work: inout WorkGuard
    ) throws(ImageError) {
        _ = cutOut(pixels)
        let width = width
        switch search {
        case .exact: row.withBytes { row in counter.counted.colors?.look(up: row, width: width, into: &indices) }
        case .mapped(var mapper):
            try work.spend(8 * width)
            // Taken out for the call, so that nothing is copied.
            search = .exact
            row.withBytes { row in mapper.map(row, into: &indices, width: width) }
            search = .mapped(mapper)
        case .lossy: break
        }
    }

    /// Whether pixels get their indices once all are there, with ``images(of:_:)``.
    var indexesAtOnce: Bool { if case .lossy = search { true } else { false } }

    /// Writes a row of straight RGBA without translucent pixels.
    mutating func copy(_ pixels: RawSpan, into target: inout MutableRawSpan) {
        _ = cutOut(pixels)
        row.withBytes { target.copy($0) }
    }

    /// Images of a picture whose indices are found at once: one with long strings, and an exact one if the table has all colours.
    ///
    /// - Parameter picture: rows that ``copy(_:into:)`` has written.
    mutating func images(of picture: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> [IndexedImage] {
        guard case .lossy(var indexer) = search else { return [] }
        search = .exact
        let whole = SubFrame(PixelRect(picture.size), .replacement, on: picture, wanted: picture)
        let image = try indexer.image(of: whole, over: nil, &work)
        guard let colors = counter.counted.colors else {
            return try mapped(picture, &work).map { [$0, image] } ?? [image]
        }
        var exact = image
        exact.clears = nil
        exact.indices = try ScratchBuffer(byteCount: image.indices.byteCount, meter: request.meter)
        for y in 0..<picture.height {
            try work.spend(width)
            picture.withRowBytes(y) { row in
                exact.indices.withMutableBytes(y * width..<(y + 1) * width) {
                    colors.look(up: row, width: width, into: &$0)
                }
            }
        }
        return [exact, image]
    }

    /// The share of pixels that equal the one to their left from which on a picture may repeat.
    private static let repeatedShare = 0.25

    /// A picture that repeats, each pixel with the colour that is the nearest to it; `nil` if it does not repeat, as strings that lose
    /// something are shorter then.
    private mutating func mapped(_ picture: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage? {
        var repeatedCount = 0
        for y in 0..<picture.height {
            try work.spend(4 * width)
            picture.withRowBytes(y) { row in
                for x in 1..<max(1, width) where row.nativeUInt32(at: 4 * x) == row.nativeUInt32(at: 4 * x - 4) {
                    repeatedCount += 1
                }
            }
        }
        guard Double(repeatedCount) >= Self.repeatedShare * Double(picture.height * width) else { return nil }
        var mapper = try PaletteMapper(
            Palette(table), request.options.gif.dithering, width: width, meter: request.meter)
        var indices = try ScratchBuffer(byteCount: picture.height * width, meter: request.meter)
        for y in 0..<picture.height {
            try work.spend(8 * width)
            picture.withRowBytes(y) { row in
                indices.withMutableBytes(y * width..<(y + 1) * width) { mapper.map(row, into: &$0, width: width) }
            }
        }
        return IndexedImage(
            PixelRect(picture.size), transparentIndex: table.transparentIndex,
            minimumCodeSize: IndexedImage.minimumCodeSize(indexCount: table.count), indices: indices)
    }

    /// Makes a row without translucent pixels; says whether there were any.
    private mutating func cutOut(_ pixels: RawSpan) -> Bool {
        let width = width
        return row.withMutableBytes { ChangeKernels.cutOut(pixels, into: &$0, count: width) }
    }
}
