// Sub-frames with more colours than a table holds: indices of colours that stand for theirs.
//
//   rows of a sub-frame ──▶ table of the file ──┐
//                       └─▶ table of its own  ──┴─▶ the one that is worth it ──▶ PaletteMapper or LossyIndexer ──▶ IndexedImage
//
// Pixels that do not change in the source are transparent and keep what is shown there: nothing that stands still flickers. So what
// decoders show is not what was wanted, but is the same wherever that is.

import ImageCodecsCore
import ImageEncoding
import ImagePalettes

/// Gives the pixels of sub-frames colours of a palette.
struct FrameReducer: Sendable {
    /// Colours that stand for those of all frames; `nil` if frames have tables of their own.
    private let palette: Palette?
    private let request: EncodingRequest
    private let width: Int
    private var mapper: PaletteMapper?
    private let loss: LZWLoss?
    private var indexer: LossyIndexer?

    /// The sum of squared distances (Oklab times 255) that is worth a byte. A search for strings that gives up 4 of it for each pixel
    /// makes about half a byte of a pixel.
    private static let errorPerByte = 8.0

    /// - Parameters:
    ///   - palette: the table of the file.
    ///   - width: of the canvas.
    ///   - request: says how colours are spread, and counts memory.
    init(_ palette: Palette?, width: Int, _ request: EncodingRequest) {
        (self.palette, self.width, self.request) = (palette, width, request)
        loss = LZWLoss(request.options, isAnimated: true)
    }

    /// Bytes held at most, a palette of a frame's own included. Saturates.
    static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        let pixelCount = size.pixelCount ?? .max
        return ColorCounter.byteCount(width: size.width, pixelCount: pixelCount, effort: effort)
            .addingSaturated(Palette.selectionByteCount(pixelCount: pixelCount, effort: effort))
            .addingSaturated(PaletteMapper.byteCount(width: size.width).multipliedSaturated(by: 2))
            .addingSaturated(NearestColor.byteCount.multipliedSaturated(by: 2))
            .addingSaturated(LossyIndexer.byteCount(size, effort: effort).multipliedSaturated(by: 2))
    }

    /// The image of a frame with the table of the file, for what ways to draw it are compared with; with its own if there is no other.
    mutating func quickImage(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage {
        guard let palette else { return try image(of: frame, over: nil, &work) }
        return try globalImage(of: frame, palette, &work)
    }

    /// The image of a frame with the table of the file, or with its own if colours gain more by it than its bytes are worth.
    ///
    /// - Parameter shown: what decoders show before it, straight RGBA; `nil` if that is nothing.
    mutating func image(
        of frame: SubFrame, over shown: Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        let mayBeLocal = request.options.gif.tables == .automatic && request.options.effort == .best
        if let palette, !mayBeLocal { return try finalGlobalImage(of: frame, over: shown, palette, &work) }
        let own = try ownPalette(of: frame, isAnimated: shown != nil, &work)
        if let palette, !own.isWorthIt { return try finalGlobalImage(of: frame, over: shown, palette, &work) }
        var image: IndexedImage
        if let loss {
            var indexer = try LossyIndexer(own.palette, loss, request)
            image = try indexer.image(of: frame, over: shown, &work)
        } else {
            var mapper = try PaletteMapper(
                own.palette, request.options.gif.dithering, width: frame.rect.width, meter: request.meter)
            image = try map(frame, &mapper, own.palette, &work)
        }
        image.localTable = own.palette.colors
        return image
    }

    /// The image of a frame whose colours the table of the file has, if strings of others may stand for them.
    mutating func lossyImage(
        of frame: SubFrame, over shown: Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage? {
        guard let palette, loss != nil else { return nil }
        // What does not change has to be left out.
        guard !frame.mayBeTransparent || palette.colors.transparentIndex != nil else { return nil }
        return try finalGlobalImage(of: frame, over: shown, palette, &work)
    }

    /// The image of a frame with the table of the file, as it is written.
    private mutating func finalGlobalImage(
        of frame: SubFrame, over shown: Bitmap?, _ palette: Palette, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        guard let loss else { return try globalImage(of: frame, palette, &work) }
        if indexer == nil { indexer = try LossyIndexer(palette, loss, request) }
        // Taken out for the call, so that nothing is copied.
        guard var indexer = indexer.take() else { throw .cancelled }
        let image = try indexer.image(of: frame, over: shown, &work)
        self.indexer = indexer
        return image
    }

    private mutating func globalImage(
        of frame: SubFrame, _ palette: Palette, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        if mapper == nil {
            mapper = try PaletteMapper(palette, request.options.gif.dithering, width: width, meter: request.meter)
        }
        // Taken out for the call, so that nothing is copied.
        guard var mapper = mapper.take() else { throw .cancelled }
        let image = try map(frame, &mapper, palette, &work)
        self.mapper = mapper
        return image
    }

    private func map(
        _ frame: SubFrame, _ mapper: inout PaletteMapper, _ palette: Palette, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        let (width, height) = (frame.rect.width, frame.rect.height)
        let mostRows = PaletteMapper.mostRows
        var rows = try ScratchBuffer(byteCount: 4 * width * mostRows, meter: request.meter)
        var indices = try ScratchBuffer(byteCount: width * height, meter: request.meter)
        mapper.begin(x: frame.rect.x, y: frame.rect.y)
        for start in stride(from: 0, to: height, by: mostRows) {
            let count = min(mostRows, height - start)
            try work.spend(8 * width * count)
            for row in 0..<count {
                rows.withMutableBytes(4 * width * row..<4 * width * (row + 1)) { frame.copyRow(start + row, into: &$0) }
            }
            rows.withBytes { rows in
                indices.withMutableBytes(start * width..<(start + count) * width) {
                    mapper.map(rows, into: &$0, width: width, count: count)
                }
            }
        }
        let colors = palette.colors
        return IndexedImage(
            frame.rect, transparentIndex: colors.transparentIndex,
            minimumCodeSize: IndexedImage.minimumCodeSize(indexCount: colors.count), indices: indices)
    }

    /// A palette for one frame, and whether it is worth its bytes.
    private func ownPalette(
        of frame: SubFrame, isAnimated: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> (palette: Palette, isWorthIt: Bool) {
        let width = frame.rect.width
        var counter = try ColorCounter(
            width: width, limit: request.options.gif.colorCount, effort: request.options.effort, meter: request.meter)
        var row = try ScratchBuffer(byteCount: 4 * width, meter: request.meter)
        for y in 0..<frame.rect.height {
            row.withMutableBytes { frame.copyRow(y, into: &$0) }
            try row.withBytes { (row) throws(ImageError) in try counter.add(row, &work) }
        }
        // Pixels may be left as they are shown.
        if loss != nil, isAnimated { try counter.addTransparency(&work) }
        let own = try counter.palette(&work)
        guard let palette else { return (own, true) }
        var nearest = try NearestColor(palette, meter: request.meter)
        var nearestOwn = try NearestColor(own, meter: request.meter)
        var gain = 0.0
        counter.forEach { color, weight in
            let point = Oklab.point(color)
            let saved = nearest.nearest(to: point).squaredDistance - nearestOwn.nearest(to: point).squaredDistance
            gain += Double(saved) * Double(weight)
        }
        return (own, gain > Self.errorPerByte * Double(ColorTable.byteCount(own.count)))
    }
}
