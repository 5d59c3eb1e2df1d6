// From the pixels of a sub-frame to indices whose strings are long: strip by strip, what `StringSearch` looks at.
//
//   rows ──▶ points, nearest colours ──┐
//        ──▶ how busy it is around  ───┼─▶ LossyPixels ──▶ StringSearch ──▶ indices, and where the table is cleared
//   canvas shown ──▶ points ───────────┘
//
// Strings do not go on from strip to strip; what pixels lack does.

import ImageCodecsCore
import ImageEncoding
import ImagePalettes

/// Gives the pixels of sub-frames colours of a palette that are near enough, and make few codes.
struct LossyIndexer: Sendable {
    private let colors: [UInt32]
    private var search: StringSearch
    private var nearest: NearestColor
    private var clearSearch: ClearSearch
    private let loss: LZWLoss
    /// The share of what a pixel lacks that is handed on.
    private let strength: Float
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?

    /// Pixels of a strip, about.
    private static let stripPixelCount = 1 << 15
    /// Pixels between two looks at the clock, and what one counts as: strings are compared for each.
    private static let stepCount = 32, pixelWork = 64

    /// - Parameters:
    ///   - palette: the colours, the transparent one 0 if there is one.
    ///   - loss: how much is lost.
    ///   - request: effort and dithering, and what counts memory.
    init(_ palette: Palette, _ loss: LZWLoss, _ request: EncodingRequest) throws(ImageError) {
        colors = palette.colors
        self.loss = loss
        meter = request.meter
        var points = Oklab.points(colors)
        for number in points.indices { points[number].w = 0 }
        search = StringSearch(
            points, transparent: colors.transparentIndex.map { Int($0) } ?? -1,
            minimumCodeSize: IndexedImage.minimumCodeSize(indexCount: colors.count),
            mostNodes: loss.mostNodes)
        strength = request.options.gif.dithering.strength
        nearest = try NearestColor(palette, meter: request.meter)
        clearSearch = try ClearSearch(meter: request.meter)
        effort = request.options.effort
    }

    /// Drawings are quick to search, and gain more by a plan.
    private static func thoroughness(
        _ effort: EncodingOptions.Effort, isDrawing: Bool
    ) -> ClearSearch.Thoroughness {
        switch effort {
        case .fast: .fine
        case .default: isDrawing ? .planned : .fine
        case .best: .planned
        }
    }

    /// Bytes held at most for frames of this width. Saturates.
    static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        let strip = rowCount(width: size.width).multipliedSaturated(by: size.width)
        return StringSearch.byteCount.addingSaturated(NearestColor.byteCount)
            .addingSaturated(ClearSearch.byteCount(size, thoroughness(effort, isDrawing: true)))
            .addingSaturated(size.pixelCount ?? .max)
            .addingSaturated(strip.addingSaturated(size.width).multipliedSaturated(by: pixelByteCount))
            .addingSaturated(size.width.multipliedSaturated(by: rowByteCount))
    }

    /// Bytes for each pixel of a strip: three points, a weight, two indices.
    private static let pixelByteCount = 3 * 16 + 4 + 2
    /// Bytes for each pixel of a row: two rows of colours, two rows of points, and those of ``PictureActivity``.
    private static let rowByteCount = 2 * 4 + 2 * 16 + PictureActivity.pixelByteCount

    private static func rowCount(width: Int) -> Int { max(1, stripPixelCount / max(1, width)) }

    /// The image of a frame.
    ///
    /// - Parameter shown: what decoders show below it, straight RGBA; `nil` if pixels cannot be left out.
    mutating func image(
        of frame: SubFrame, over shown: Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        let (width, height) = (frame.rect.width, frame.rect.height)
        let stripRowCount = min(height, Self.rowCount(width: width))
        let stripCount = stripRowCount * width
        let held = try MemoryReservation(
            byteCount: (stripCount + width) * Self.pixelByteCount + width * Self.rowByteCount + StringSearch.byteCount,
            meter: meter)
        defer { withExtendedLifetime(held) {} }
        var indices = try ScratchBuffer(byteCount: width * height, meter: meter)
        let shown = colors.transparentIndex == nil ? nil : shown
        var strip = try LossyStrip(
            frame, shown: shown, leavesOut: colors.transparentIndex != nil, rowCount: stripRowCount)
        for y in 0..<height {
            try work.spend(16 * width)
            indices.withMutableBytes(y * width..<(y + 1) * width) {
                strip.findNearest(y, &nearest, into: &$0)
            }
        }
        let isDrawing = isDrawing(indices)
        let thoroughness = Self.thoroughness(effort, isDrawing: isDrawing)
        let planned = try clears(indices, thoroughness, &work)
        var errors = [SIMD4<Float>](repeating: .zero, count: stripCount + width)
        var found = [UInt8](repeating: 0, count: stripCount)
        var places = planned.places[...]
        try work.spend(indices.byteCount / 4)
        search.begin(
            lambda: isDrawing ? loss.lambdaOfDrawings : loss.lambda,
            strength: isDrawing ? min(1, strength * loss.strengthOfDrawings) : strength)
        for first in stride(from: 0, to: height, by: stripRowCount) {
            let rows = first..<min(height, first + stripRowCount)
            let pixels = first * width..<rows.upperBound * width
            try indices.withBytes(pixels) { (indices) throws(ImageError) in try strip.fill(rows, indices, &work) }
            var position = 0
            while position < pixels.count {
                try work.spend(Self.stepCount * Self.pixelWork)
                if let place = places.first, place <= first * width + position {
                    search.clear()
                    places.removeFirst()
                }
                let stop = min(pixels.count, position + Self.stepCount, (places.first ?? .max) - first * width)
                search.search(
                    strip.pixels, errors: &errors, from: &position, to: stop, indices: &found)
            }
            indices.withMutableBytes(pixels) { indices in
                for place in 0..<pixels.count { indices.setByte(found[place], at: place) }
            }
            // What the next strip gets.
            for column in 0..<width { errors[column] = errors[pixels.count + column] }
            for place in width..<errors.count { errors[place] = .zero }
        }
        var image = IndexedImage(
            frame.rect, transparentIndex: colors.transparentIndex, minimumCodeSize: minimumCodeSize, indices: indices)
        image.clears = try better(planned.places, indices, thoroughness, &work)
        return image
    }

    /// The share of pixels with the colour of the one before from which on a picture is a drawing. Of photographs it is half at most.
    private static let drawingShare = 0.8

    private func isDrawing(_ indices: ScratchBuffer) -> Bool {
        let count = indices.byteCount
        let repeatedCount = indices.withBytes { indices in
            (1..<max(1, count)).count { indices.byte(at: $0) == indices.byte(at: $0 - 1) }
        }
        return Double(repeatedCount) >= Self.drawingShare * Double(count)
    }

    private var minimumCodeSize: Int { IndexedImage.minimumCodeSize(indexCount: colors.count) }

    /// Where the table is cleared, by the nearest colours: what is found later is about as busy in the same places.
    private mutating func clears(
        _ indices: ScratchBuffer, _ thoroughness: ClearSearch.Thoroughness, _ work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        let size = minimumCodeSize
        return try indices.withBytes { (indices) throws(ImageError) in
            try clearSearch.clears(indices, minimumCodeSize: size, thoroughness, work: &work)
        }
    }

    /// The places that were planned, or others if codes get shorter by them.
    private mutating func better(
        _ places: [Int], _ indices: ScratchBuffer, _ thoroughness: ClearSearch.Thoroughness, _ work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        let found = try clears(indices, thoroughness, &work)
        let size = minimumCodeSize
        let planned = try indices.withBytes { (indices) throws(ImageError) in
            try clearSearch.clears(indices, minimumCodeSize: size, at: places, work: &work)
        }
        return planned.bitCount <= found.bitCount ? planned : found
    }
}

/// How much the search for strings may lose.
struct LZWLoss: Hashable, Sendable {
    /// The squared difference (Oklab times 255, in smooth areas a quarter of it) that a pixel less to code is worth.
    var lambda: Float
    /// The same in drawings and screenshots, whose large plain areas show every difference.
    var lambdaOfDrawings: Float
    /// How many times as much of what a pixel lacks is handed on in drawings.
    var strengthOfDrawings: Float
    /// Strings that are compared for one pixel at most.
    var mostNodes: Int

    /// What options ask for; `nil` if nothing may be lost but colours.
    ///
    /// 64 (1 - quality)^2: 4 at a quality of 0.75, and 16 at 0.5.
    ///
    /// - Parameters:
    ///   - options: without a quality, usual values are taken.
    ///   - isAnimated: films show less of what strings lose, and steps in the gradients of drawings that move are seen more than grain.
    init?(_ options: EncodingOptions, isAnimated: Bool = false) {
        guard options.quality != nil || options.effort != .fast, options.gif.mayReduceColors else { return nil }
        (lambda, lambdaOfDrawings, strengthOfDrawings) = isAnimated ? (8, 0.75, 1.5) : (4, 0.5, 1)
        if let quality = options.quality {
            let loss = 1 - Float(min(1, max(0, quality)))
            guard loss > 0 else { return nil }
            lambda = 64 * loss * loss
            (lambdaOfDrawings, strengthOfDrawings) = (lambda, 1)
        }
        mostNodes =
            switch options.effort {
            case .fast: 32
            case .default: 200
            case .best: 2000
            }
    }
}

/// Rows of a sub-frame as the search looks at them.
private struct LossyStrip: Sendable {
    private(set) var pixels: LossyPixels
    private let frame: SubFrame
    private let shown: Bitmap?
    private let leavesOut: Bool
    private var activity: PictureActivity
    private var row: ScratchBuffer
    /// The points of a row.
    private var points: ScratchBuffer

    /// - Parameter leavesOut: whether the palette has a transparent colour; if not, transparent pixels are taken for black ones.
    init(_ frame: SubFrame, shown: Bitmap?, leavesOut: Bool, rowCount: Int) throws(ImageError) {
        (self.frame, self.shown, self.leavesOut) = (frame, shown, leavesOut)
        let width = frame.rect.width
        activity = PictureActivity(width: width, height: frame.rect.height)
        row = try ScratchBuffer(byteCount: 4 * width, meter: nil)
        points = try ScratchBuffer(byteCount: 16 * width, meter: nil)
        let count = width * rowCount
        pixels = LossyPixels(
            points: [SIMD4<Float>](repeating: .zero, count: count), nearest: [UInt8](repeating: 0, count: count),
            weights: [Float](repeating: 0, count: count),
            shown: [SIMD4<Float>](repeating: .zero, count: shown == nil ? 0 : count), count: count, width: width)
    }

    /// The colours of the palette nearest to the pixels of a row.
    mutating func findNearest(
        _ y: Int, _ search: inout NearestColor, into indices: inout MutableRawSpan
    ) {
        read(y)
        convertRow()
        // A transparent pixel is nearest to the transparent colour, or else to black.
        row.withBytes { row in
            points.withBytes { points in
                var (last, nearest): (UInt32?, UInt8) = (nil, 0)
                for x in 0..<pixels.width {
                    let pixel = row.nativeUInt32(at: 4 * x)
                    if pixel != last { (last, nearest) = (pixel, search.nearest(to: points.point(at: 16 * x)).index) }
                    indices.setByte(nearest, at: x)
                }
            }
        }
    }

    /// Fills it with rows of the frame.
    ///
    /// - Parameter nearest: the index of the nearest colour for each of their pixels.
    mutating func fill(_ rows: Range<Int>, _ nearest: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        let width = pixels.width
        pixels.count = rows.count * width
        for place in 0..<pixels.count { pixels.nearest[place] = nearest.byte(at: place) }
        for y in rows {
            try work.spend(16 * width)
            while let next = activity.missingRow(for: y) {
                read(next)
                row.withBytes { activity.add($0) }
            }
            read(y)
            convertRow()
            let start = (y - rows.lowerBound) * width
            row.withBytes { row in
                points.withBytes { points in
                    for x in 0..<width {
                        guard row.nativeUInt32(at: 4 * x) != 0 || !leavesOut else {
                            pixels.weights[start + x] = 0
                            continue
                        }
                        var point = points.point(at: 16 * x)
                        point.w = 0
                        pixels.points[start + x] = point
                        pixels.weights[start + x] = Self.visibility / (1 + activity.mean(x, y) / Self.busyness)
                    }
                }
            }
            if let shown { readShown(shown, frame.rect.y + y, start) }
        }
    }

    /// How visible differences are in smooth areas, and the activity that halves that.
    private static let visibility: Float = 4, busyness: Float = 6
    private static let nowhere: Float = 1e9

    private mutating func read(_ y: Int) {
        let frame = frame
        row.withMutableBytes { frame.copyRow(y, into: &$0) }
    }

    private mutating func convertRow() {
        let width = pixels.width
        row.withBytes { row in points.withMutableBytes { Oklab.convert(row, into: &$0, width: width) } }
    }

    private mutating func readShown(_ canvas: Bitmap, _ y: Int, _ start: Int) {
        let (left, width) = (frame.rect.x, pixels.width)
        canvas.withRowBytes(y) { shown in
            row.withMutableBytes { $0.copy(shown.extracting(4 * left..<4 * (left + width))) }
        }
        convertRow()
        points.withBytes { points in
            for x in 0..<width {
                var point = points.point(at: 16 * x)
                // A place that is far from all colours.
                if point.w < 0 { point = SIMD4(Self.nowhere, 0, 0, 0) }
                point.w = 0
                pixels.shown[start + x] = point
            }
        }
    }
}
