// Frames with loss, each drawn on what decoders show of those before it, where that is not near enough to what is wanted.
//
//   what is shown ──▶ errors of its macroblocks ──▶ those that have to change, the rectangle around them
//      ──▶ coded with loss, what may stay left out ──▶ decoded ──┐
//      ──▶ coded without loss                                    ├─▶ the cheaper one by error and bytes: what is shown next

import ImageCodecsCore
import ImageEncoding
import WebPLosslessCodec
import WebPLossyCodec

/// A frame, and what is shown when it is drawn.
struct LossyDrawing: Sendable {
    let rect: PixelRect
    let blending: FrameInfo.Blending
    fileprivate(set) var coded: WrittenFrame
    /// The canvas, as all decoders compose it.
    let shown: Bitmap
    /// The squared error that is left, and what its bytes are worth in squared errors.
    let price: Int
    /// The squared error that coding left in each macroblock of the canvas, when it was drawn last.
    fileprivate let settled: [UInt32]
    /// What it draws if nothing is lost; coded for comparison alone then.
    fileprivate let lossless: SubFrame?

    /// Codes what was coded for comparison with the time that there is.
    mutating func finish(
        _ effort: EncodingOptions.Effort, meter: MemoryMeter, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let lossless, effort != .fast else { return }
        coded = try WrittenFrame(lossless: lossless, effort, meter: meter, &work)
    }
}

/// Makes frames of canvases.
struct LossyFrameDrawer: Sendable {
    private let size: PixelSize
    private let settings: VP8Encoder.Settings
    private let meter: MemoryMeter
    /// How many of the next frames are not tried without loss, as one before them cost twice as much so.
    private var restingCount = 0
    /// ``LossyDrawing/settled`` of the frame before; empty if there is none.
    private var settled: [UInt32] = []

    private static let restLength = 7

    init(_ size: PixelSize, _ settings: VP8Encoder.Settings, meter: MemoryMeter) {
        self.size = size
        self.settings = settings
        self.meter = meter
    }

    /// Bytes that it holds at most, what it returns included. Saturates.
    static func byteCount(_ size: PixelSize, _ settings: VP8Encoder.Settings) -> Int {
        let canvas = Bitmap.byteCount(size: size, format: .rgba) ?? .max
        let pixelCount = size.pixelCount ?? .max
        // What is shown by each way, a plane of alpha, and the bytes of both.
        let bytes = pixelCount.multipliedSaturated(by: 5).addingSaturated(1 << 13).multipliedSaturated(by: 2)
        let coding = max(
            LossyPictureEncoder.byteCount(size, settings, hasAlpha: true), VP8LEncoder.byteCount(size, settings.effort),
            VP8Stream.byteCount(size, firstPartitionByteCount: 0))
        return canvas.multipliedSaturated(by: 2).addingSaturated(pixelCount).addingSaturated(bytes)
            .addingSaturated(coding).addingSaturated(MacroblockErrors.byteCount(size).multipliedSaturated(by: 2))
    }

    /// The cheapest way to get from a canvas to another.
    ///
    /// - Parameters:
    ///   - wanted: straight RGBA, transparent pixels zero.
    ///   - shown: what is there; `nil` if nothing is, so that the frame covers the canvas.
    /// - Returns: `nil` if nothing has to change.
    mutating func drawing(
        of wanted: Bitmap, on shown: Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> LossyDrawing? {
        let (base, scope): (Bitmap, FrameScope)
        if let shown {
            guard let changed = try FrameScope(from: shown, to: wanted, settled: settled, settings, meter: meter, &work)
            else {
                return nil
            }
            (base, scope) = (shown, changed)
        } else {
            base = try Bitmap(cleared: size, format: .rgba, meter: meter, work: work)
            scope = FrameScope(covering: size)
        }
        // What nobody takes time for mostly shows photographs.
        guard settings.effort != .fast else { return try lossyDrawing(of: wanted, on: base, scope, &work) }
        guard let lossy = try lossyDrawing(of: wanted, on: base, scope, &work) else { return nil }
        guard restingCount == 0 else {
            restingCount -= 1
            return lossy
        }
        guard let lossless = try losslessDrawing(of: wanted, on: base, scope, isFirst: shown == nil, &work) else {
            return lossy
        }
        if lossless.price / 2 >= lossy.price { restingCount = Self.restLength }
        return lossless.price < lossy.price && isAffordable(lossless, insteadOf: lossy) ? lossless : lossy
    }

    /// Whether a frame without loss takes not many more bytes than one at the quality that was asked for.
    ///
    /// Squared errors alone prefer it too often: much of what coding changes in text is not seen.
    private func isAffordable(_ lossless: LossyDrawing, insteadOf lossy: LossyDrawing) -> Bool {
        lossless.coded.byteCount <= lossy.coded.byteCount + lossy.coded.byteCount / 4
    }

    /// Goes on from a drawing, which is written.
    mutating func accept(_ drawing: LossyDrawing) { settled = drawing.settled }

    /// A drawing and its price.
    private func drawing(
        _ coded: WrittenFrame, _ rect: PixelRect, _ blending: FrameInfo.Blending, shown: Bitmap, of wanted: Bitmap,
        _ isDrawn: (_ column: Int, _ row: Int) -> Bool, lossless: SubFrame? = nil, _ work: inout WorkGuard
    ) throws(ImageError) -> LossyDrawing {
        let errors = try MacroblockErrors.errors(of: shown, from: wanted, meter: meter, work: &work)
        let price = errors.reduce(MacroblockErrors.worth(ofBytes: coded.byteCount, settings)) {
            $0.addingSaturated(Int($1))
        }
        let columnCount = (size.width + 15) / 16
        var settled = errors
        for index in settled.indices where !self.settled.isEmpty && !isDrawn(index % columnCount, index / columnCount) {
            settled[index] = min(errors[index], self.settled[index])
        }
        return LossyDrawing(
            rect: rect, blending: blending, coded: coded, shown: shown, price: price, settled: settled,
            lossless: lossless)
    }

    // MARK: With loss

    private func lossyDrawing(
        of wanted: Bitmap, on base: Bitmap, _ scope: FrameScope, _ work: inout WorkGuard
    ) throws(ImageError) -> LossyDrawing? {
        let rect = scope.rect
        // Planes of alpha are small, and many are coded for comparison.
        let alphaEffort = settings.effort == .best ? settings.effort : .fast
        var encoder = try LossyPictureEncoder(rect.size, settings, alphaEffort: alphaEffort, meter: meter)
        for y in rect.rows {
            try wanted.withRowBytes(y) { (row) throws(ImageError) in
                try encoder.add(row.extracting(4 * rect.x..<4 * (rect.x + rect.width)), &work)
            }
        }
        let picture = try encoder.finish(shownErrors: scope.mayLayOver ? scope.errors : [], &work)
        if picture.isLeftOut { return nil }
        var chunks = RIFFWriter()
        chunks.append(picture)
        let coded = try WrittenFrame(chunks, hasAlpha: picture.alpha != nil, meter: meter)
        let blending: FrameInfo.Blending = scope.mayLayOver && picture.alpha != nil ? .over : .replace
        let shown = try canvas(base, with: picture, rect, blending, &work)
        return try drawing(
            coded, rect, blending, shown: shown, of: wanted, { scope.contains($0, $1, picture.leftOut) }, &work)
    }

    /// A canvas after a picture was drawn on it.
    private func canvas(
        _ base: Bitmap, with picture: LossyPictureEncoder.Picture, _ rect: PixelRect, _ blending: FrameInfo.Blending,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        var canvas = try copy(of: base, &work)
        let plane = picture.plane
        var stream = VP8Stream(meter: meter)
        try picture.colors.withSpan { (bytes) throws(ImageError) in
            var used = 0
            while !stream.isComplete {
                let step = try stream.consume(
                    bytes.extracting(droppingFirst: used), offset: used, isFinal: true, byteCount: bytes.count,
                    work: &work
                ) { row, y in
                    canvas.withMutableRowBytes(rect.y + y) { target in
                        guard let plane else {
                            return Self.draw(row, nil, blending, rect.width, into: &target, at: 4 * rect.x)
                        }
                        plane.withBytes(y * rect.width..<(y + 1) * rect.width) { alpha in
                            Self.draw(row, alpha, blending, rect.width, into: &target, at: 4 * rect.x)
                        }
                    }
                }
                used += step
                if step == 0 { break }
            }
        }
        return canvas
    }

    /// Draws a row of blue, green, red and a fourth byte, which its alpha takes the place of.
    private static func draw(
        _ row: RawSpan, _ alpha: RawSpan?, _ blending: FrameInfo.Blending, _ width: Int,
        into target: inout MutableRawSpan, at offset: Int
    ) {
        for x in 0..<width {
            let alpha = alpha?.byte(at: x) ?? 255
            if alpha == 0, blending == .over { continue }
            for channel in 0..<3 {
                target.setByte(alpha == 0 ? 0 : row.byte(at: 4 * x + 2 - channel), at: offset + 4 * x + channel)
            }
            target.setByte(alpha, at: offset + 4 * x + 3)
        }
    }

    // MARK: Without loss

    /// - Returns: `nil` if it would draw nothing.
    private func losslessDrawing(
        of wanted: Bitmap, on base: Bitmap, _ scope: FrameScope, isFirst: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> LossyDrawing? {
        let shown = try canvas(base, with: wanted, scope, &work)
        var best: (frame: SubFrame, coded: WrittenFrame)?
        for frame in try Self.frames(to: shown, on: base, isFirst, &work) {
            let coded = try WrittenFrame(lossless: frame, .fast, meter: meter, &work)
            if coded.byteCount < best?.coded.byteCount ?? .max { best = (frame, coded) }
        }
        guard let (frame, coded) = best else { return nil }
        let stays = scope.mayLayOver ? scope.errors.map { $0 == 0 } : []
        return try drawing(
            coded, frame.rect, frame.blending, shown: shown, of: wanted, { scope.contains($0, $1, stays) },
            lossless: frame, &work)
    }

    /// A canvas in which macroblocks that have to change are what is wanted.
    private func canvas(
        _ base: Bitmap, with wanted: Bitmap, _ scope: FrameScope, _ work: inout WorkGuard
    ) throws(ImageError) -> Bitmap {
        var canvas = try copy(of: base, &work)
        let rect = scope.rect
        let columnCount = (rect.width + 15) / 16
        for y in 0..<rect.height {
            try work.spend(rect.width)
            wanted.withRowBytes(rect.y + y) { row in
                canvas.withMutableRowBytes(rect.y + y) { target in
                    for column in 0..<columnCount
                    where !scope.mayLayOver || scope.errors[y / 16 * columnCount + column] > 0 {
                        let first = 4 * (rect.x + 16 * column)
                        target.copy(row.extracting(first..<min(first + 64, 4 * (rect.x + rect.width))), at: first)
                    }
                }
            }
        }
        return canvas
    }

    /// The ways to get to a canvas exactly.
    private static func frames(
        to wanted: Bitmap, on base: Bitmap, _ isFirst: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> [SubFrame] {
        let whole = PixelRect(wanted.size)
        if isFirst { return [SubFrame(whole, .replacement, on: base, wanted: wanted)] }
        let change = try CanvasChange(from: base, to: wanted, work: &work)
        guard !change.rect.isEmpty else { return [] }
        let rect = change.rect.aligned(to: 2)
        let contents: [SubFrame.Content] =
            change.changesAreOpaque && change.changedCount < rect.width * rect.height
            ? [.replacement, .changes(shortestRun: SubFrame.Content.usualRun)] : [.replacement]
        return contents.map { SubFrame(rect, $0, on: base, wanted: wanted) }
    }

    // MARK: Canvases

    private func copy(of canvas: Bitmap, _ work: inout WorkGuard) throws(ImageError) -> Bitmap {
        var copy = try Bitmap(uninitialized: size, format: .rgba, meter: meter)
        for y in 0..<size.height {
            try work.spend(size.width / 16 + 1)
            canvas.withRowBytes(y) { row in copy.withMutableRowBytes(y) { $0.copy(row) } }
        }
        return copy
    }

    /// A canvas with a hole.
    func canvas(_ canvas: Bitmap, without rect: PixelRect, _ work: inout WorkGuard) throws(ImageError) -> Bitmap {
        var hole = try copy(of: canvas, &work)
        for y in rect.rows { hole.clearPixels(rect.x..<rect.x + rect.width, ofRow: y) }
        return hole
    }
}
