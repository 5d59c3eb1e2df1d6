// Random animations for the compositor, and what plain composition makes of them.

package import ImageCore

/// Frames at random places with random pixels, as a source for the compositor, and composed plainly.
package struct RandomFrames: SubFrameSource {
    package private(set) var plan: CompositionPlan
    /// Straight RGBA of each frame.
    package private(set) var pixels: [[UInt8]] = []
    /// The frames whose rows end early: how many there are.
    package private(set) var rowCounts: [Int: Int] = [:]
    /// Frames that were decoded.
    package let decoded = SharedCounter()

    private static let format = ImageFormat(rawValue: "test.frames")
    /// What is wrong with frames that end early.
    package static let damage = ImageError.corrupt(
        format, DamageCode(rawValue: "test.damage"), offset: 0, reason: "damage")

    package init(_ canvasSize: PixelSize) { plan = CompositionPlan(canvasSize: canvasSize) }

    /// A random animation; some frames cover the canvas, some lie partly or wholly outside of it.
    package init(seed: UInt64, count: Int, damageRate: Int? = nil) throws {
        var source = DecisionSource(seed: seed)
        try self.init(&source, count: count, damageRate: damageRate)
    }

    /// The animation that decisions lead to.
    package init(_ source: inout DecisionSource, count: Int, damageRate: Int? = nil) throws {
        let size = PixelSize(width: 1 + source.below(12), height: 1 + source.below(9))
        self.init(size)
        for _ in 0..<count { try append(Self.info(&source, size), &source, damageRate: damageRate) }
    }

    /// A random description; whether frames are taken back or cleared comes in chains.
    package static func info(_ source: inout DecisionSource, _ canvas: PixelSize) -> FrameInfo {
        var rect = PixelRect(canvas)
        switch source.below(4) {
        case 0: break
        case 1:
            rect = PixelRect(
                x: source.below(canvas.width), y: source.below(canvas.height), width: 1 + source.below(canvas.width),
                height: 1 + source.below(canvas.height))
        default:
            rect = PixelRect(
                x: source.number(in: -3...canvas.width + 2), y: source.number(in: -3...canvas.height + 2),
                width: 1 + source.below(canvas.width + 4), height: 1 + source.below(canvas.height + 4))
        }
        return FrameInfo(
            rect: rect, duration: .milliseconds(source.below(200)), disposal: source.pick(FrameInfo.Disposal.allCases),
            blending: source.oneIn(3) ? .replace : .over, isOpaque: source.oneIn(4))
    }

    package mutating func append(_ info: FrameInfo, _ source: inout DecisionSource, damageRate: Int? = nil) throws {
        var bytes: [UInt8] = []
        for _ in 0..<info.rect.width * info.rect.height {
            let alpha = info.isOpaque ? 255 : source.pick([0, 0, 255, 255, source.byte()])
            bytes += alpha == 0 ? [0, 0, 0, 0] : source.bytes(3) + [alpha]
        }
        if let damageRate, source.oneIn(damageRate) { rowCounts[pixels.count] = source.below(info.rect.height) }
        try append(info, bytes)
    }

    /// Appends a frame of these pixels.
    package mutating func append(_ info: FrameInfo, _ bytes: [UInt8]) throws {
        pixels.append(bytes)
        try plan.append(plan.planned(info), meter: nil)
    }

    package func rows(of index: Int) -> SubFrameRows { SubFrameRows(layout: .rgba(bits: 8), order: .topToBottom) }

    package func decode(
        _ index: Int, into painter: inout FramePainter, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        decoded.increment()
        let rect = plan[index].info.rect
        for y in 0..<rowCounts[index, default: rect.height] {
            let row = Array(pixels[index][4 * y * rect.width..<4 * (y + 1) * rect.width])
            row.withRawSpan { painter.write($0, y: y) }
        }
        if rowCounts[index] != nil { throw Self.damage }
    }

    /// Lets every frame be whole.
    package mutating func mend() { rowCounts = [:] }

    /// The pixels of frame `index` in the format of a canvas.
    package func canvasPixels(_ index: Int, isStraight: Bool) throws -> [UInt8] {
        let rect = plan[index].info.rect
        let straight = try Bitmap(packed: pixels[index], size: rect.size, format: .rgba)
        return isStraight ? pixels[index] : try straight.converted(to: .bgraPremultiplied).packedBytes()
    }

    /// Every frame, composed from the first on.
    package func plainFrames(isStraight: Bool) throws -> [[UInt8]] {
        var canvas = PlainCanvas(size: plan.canvasSize, isStraight: isStraight)
        return try pixels.indices.map { index in
            canvas.show(
                plan[index].info, try canvasPixels(index, isStraight: isStraight),
                rowCount: rowCounts[index] ?? .max)
            return canvas.pixels
        }
    }

    /// What plays it.
    package func animation(
        _ options: DecodingOptions = .default, meter: MemoryMeter = MemoryMeter()
    ) throws -> CompositedAnimation<RandomFrames> {
        let output = try AnimationOutput(
            size: plan.canvasSize, orientation: .up, options: options, meter: meter, work: .unlimited)
        let info = ImageInfo(
            format: Self.format, size: plan.canvasSize,
            animation: ImageInfo.Animation(frameCount: plan.count, loopCount: 0), hasAlpha: true, bitDepth: 8,
            colorDescription: "RGBA", decodedSize: output.plan.resultSize, decodedFormat: output.plan.format,
            peakByteCount: AnimationCanvas.byteCount(plan.canvasSize, savesPixels: plan.needsSavedPixels))
        return CompositedAnimation(
            self, info: info, output: output, options: options, meter: meter,
            state: AnimationState(options, output.plan))
    }
}
