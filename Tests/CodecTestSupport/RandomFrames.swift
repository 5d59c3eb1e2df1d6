// Random animations for the compositor, and what plain composition makes of them.

package import ImageCodecsCore

/// A frame whose pixels are at hand, or as many rows of them as it has.
package struct RandomFrame: CodedFrame {
    let size: PixelSize
    /// Straight RGBA.
    let pixels: [UInt8]
    /// Rows that come; `nil` for all.
    let rowCount: Int?
    let decoded: SharedCounter

    package var rows: SubFrameRows { SubFrameRows(layout: .rgba(bits: 8)) }
    package var heldByteCount: Int { 0 }

    package func decode(
        _ bytes: Span<UInt8>, offset: Int, areKept: Bool, into rows: inout FramePainter, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        decoded.increment()
        for y in 0..<(rowCount ?? size.height) {
            let row = Array(pixels[4 * y * size.width..<4 * (y + 1) * size.width])
            row.withRawSpan { rows.write($0, index: y) }
        }
        if rowCount != nil { throw RandomFrames.damage }
        return nil
    }
}

/// Frames at random places with random pixels, as a source for the compositor, and composed plainly.
package struct RandomFrames: Sendable {
    /// The frames, as far as they were appended.
    package private(set) var list: FrameList
    package var plan: CompositionPlan { list.plan }
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

    package init(_ canvasSize: PixelSize) {
        list = FrameList(canvasSize: canvasSize, meter: MemoryMeter())
    }

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
        let frame = RandomFrame(
            size: info.rect.size, pixels: bytes, rowCount: rowCounts[pixels.count], decoded: decoded)
        pixels.append(bytes)
        _ = try list.append(plan.planned(info), frame, bytes: .file(Int.max - 1..<Int.max))
    }

    package func rows(of index: Int) -> SubFrameRows { list.rows(of: index) }

    /// Lets every frame be whole.
    package mutating func mend() throws {
        let (old, bytes) = (plan, pixels)
        (rowCounts, pixels) = ([:], [])
        list = FrameList(canvasSize: old.canvasSize, meter: MemoryMeter())
        for index in bytes.indices { try append(old[index].info, bytes[index]) }
    }

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
    ) throws -> CompositedAnimation {
        let output = try AnimationOutput(
            size: plan.canvasSize, orientation: .up, options: options, meter: meter, work: .unlimited)
        let info = ImageInfo(
            format: Self.format, size: plan.canvasSize,
            animation: ImageInfo.Animation(frameCount: plan.count, loopCount: 0), hasAlpha: true, bitDepth: 8,
            colorDescription: "RGBA", decodedSize: output.plan.resultSize, decodedFormat: output.plan.format,
            estimatedPeakByteCount: AnimationCanvas.byteCount(
                plan.canvasSize, savesPixels: plan.needsSavedPixels))
        return CompositedAnimation(
            list, info: info, partial: nil, output: output, options: options, meter: meter, state: nil)
    }
}
