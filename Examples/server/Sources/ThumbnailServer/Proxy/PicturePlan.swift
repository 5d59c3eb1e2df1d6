// Sizes: how large a picture is decoded, which part of it is kept, on which canvas it is put. Numbers alone, no pixels.
//
//   file ──▶ scaled ──▶ part (crop) ──▶ result (cut to the box) ──▶ canvas (extend, padding)

import ImageCodecs
import ImageProxyURL

/// The sizes of a picture on its way, in pixels, turned as the result is.
package struct PicturePlan: Hashable, Sendable {
    /// The whole picture after scaling.
    package private(set) var scaled = PixelSize(width: 0, height: 0)
    /// The part that the option `crop` keeps of it.
    package private(set) var part = PixelSize(width: 0, height: 0)
    /// What is kept of that part.
    package private(set) var result = PixelSize(width: 0, height: 0)
    /// What the result is put on, without padding; as large as ``result`` if it is put on nothing.
    package private(set) var canvas = PixelSize(width: 0, height: 0)
    /// Pixels after scaling for a pixel of the file.
    package private(set) var factorX = 1.0
    package private(set) var factorY = 1.0

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - size: width and height of the whole picture, upright if it is to be, and turned.
    ///   - options: what is asked for.
    package init(_ size: PixelSize, _ options: ProcessingOptions) {
        let width = Self.cropped(size.width, options.cropWidth)
        let height = Self.cropped(size.height, options.cropHeight)
        let box = (
            width: Double(options.width) * options.dpr * options.zoomX,
            height: Double(options.height) * options.dpr * options.zoomY
        )
        (factorX, factorY) = Self.factors(width, height, box, options)
        scaled = PixelSize(width: Self.side(size.width, factorX), height: Self.side(size.height, factorY))
        part = PixelSize(
            width: min(scaled.width, Self.side(width, factorX)), height: min(scaled.height, Self.side(height, factorY)))
        let target = PixelSize(
            width: Int((Double(options.width) * options.dpr).rounded()),
            height: Int((Double(options.height) * options.dpr).rounded()))
        result = Self.cut(part, target, options.resizing)
        canvas = Self.extended(result, target, options)
    }

    /// A side that the option `crop` leaves: pixels, or a part of the side; all for 0.
    private static func cropped(_ side: Int, _ crop: Double) -> Int {
        if crop == 0 { return side }
        return min(side, max(1, Int((crop < 1 ? crop * Double(side) : crop).rounded())))
    }

    private static func side(_ side: Int, _ factor: Double) -> Int {
        max(1, Int(min((Double(side) * factor).rounded(), Double(Int32.max))))
    }

    private static func factors(
        _ width: Int, _ height: Int, _ box: (width: Double, height: Double), _ options: ProcessingOptions
    ) -> (Double, Double) {
        var x = box.width > 0 ? box.width / Double(width) : 0
        var y = box.height > 0 ? box.height / Double(height) : 0
        switch (x > 0, y > 0) {
        case (false, false): (x, y) = (options.dpr * options.zoomX, options.dpr * options.zoomY)
        case (false, true): x = y
        case (true, false): y = x
        case (true, true):
            switch options.resizing {
            case .force: break
            case .fit: (x, y) = (min(x, y), min(x, y))
            case .fill, .fillDown: (x, y) = (max(x, y), max(x, y))
            case .auto:
                let isAlike = (width >= height) == (box.width >= box.height)
                let factor = isAlike ? max(x, y) : min(x, y)
                (x, y) = (factor, factor)
            }
        }
        if !options.enlarges {
            let most = max(x, y)
            if most > 1 { (x, y) = (x / most, y / most) }
        }
        if options.minWidth > 0 { (x, y) = raised(x, y, to: Double(options.minWidth) * options.dpr / Double(width)) }
        if options.minHeight > 0 { (y, x) = raised(y, x, to: Double(options.minHeight) * options.dpr / Double(height)) }
        return (x, y)
    }

    /// Both factors, larger by as much as the first has to be.
    private static func raised(_ factor: Double, _ other: Double, to least: Double) -> (Double, Double) {
        factor < least ? (least, other * least / factor) : (factor, other)
    }

    /// What is left when a picture is cut to a box.
    private static func cut(_ part: PixelSize, _ target: PixelSize, _ resizing: ResizingType) -> PixelSize {
        let width = target.width > 0 ? min(part.width, target.width) : part.width
        let height = target.height > 0 ? min(part.height, target.height) : part.height
        guard resizing == .fillDown, target.width > 0, target.height > 0 else {
            return PixelSize(width: width, height: height)
        }
        // The largest part in the proportions of the box.
        let factor = min(1, min(Double(width) / Double(target.width), Double(height) / Double(target.height)))
        return PixelSize(
            width: min(part.width, side(target.width, factor)), height: min(part.height, side(target.height, factor)))
    }

    private static func extended(_ result: PixelSize, _ target: PixelSize, _ options: ProcessingOptions) -> PixelSize {
        var canvas = result
        if options.extend != nil {
            canvas = PixelSize(width: max(canvas.width, target.width), height: max(canvas.height, target.height))
        }
        if options.extendAspectRatio != nil, target.width > 0, target.height > 0 {
            let ratio = Double(target.width) / Double(target.height)
            canvas.width = max(canvas.width, Int(min((Double(canvas.height) * ratio).rounded(), Double(Int32.max))))
            canvas.height = max(canvas.height, Int(min((Double(canvas.width) / ratio).rounded(), Double(Int32.max))))
        }
        return canvas
    }
}

extension Gravity {
    /// Where a part of a picture begins.
    ///
    /// - Parameters:
    ///   - part: as large as what is kept, at most as large as `whole`.
    ///   - whole: the picture.
    ///   - scale: pixels for one of the numbers that are pixels.
    func origin(of part: PixelSize, in whole: PixelSize, scale: (x: Double, y: Double)) -> (x: Int, y: Int) {
        let free = (x: Double(whole.width - part.width), y: Double(whole.height - part.height))
        let start: (x: Double, y: Double)
        switch kind {
        case .place(let x, let y):
            let moved = (x: Self.pixels(self.x, whole.width, scale.x), y: Self.pixels(self.y, whole.height, scale.y))
            start = (free.x * x + (x == 1 ? -moved.x : moved.x), free.y * y + (y == 1 ? -moved.y : moved.y))
        case .focus(let x, let y):
            start = (
                x * Double(whole.width) - Double(part.width) / 2, y * Double(whole.height) - Double(part.height) / 2
            )
        case .smart: start = (free.x / 2, free.y / 2)
        }
        return (Int(min(max(start.x.rounded(.down), 0), free.x)), Int(min(max(start.y.rounded(.down), 0), free.y)))
    }

    private static func pixels(_ number: Double, _ side: Int, _ scale: Double) -> Double {
        abs(number) < 1 ? number * Double(side) : number * scale
    }
}
