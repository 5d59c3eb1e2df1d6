// Animations for encoders: frames that differ from each other in the ways that real ones do, in every pixel format.

package import ImageCodecsCore

/// Frames that are held, as a provider.
package struct RandomMovie: AnimatedImageProvider, CustomStringConvertible {
    package let info: ImageInfo
    package let frames: [ImageFrame]
    package var frameCount: Int { frames.count }

    package var description: String {
        "\(frames.count) frames of \(info.size) \(info.decodedFormat), \(loopCount) plays"
    }

    /// - Parameters:
    ///   - frames: at least one, all of one size and format.
    ///   - loopCount: total number of plays, 0 for ever.
    ///   - metadata: what stands beside them.
    package init(_ frames: [ImageFrame], loopCount: Int = 0, metadata: ImageMetadata = ImageMetadata()) {
        let bitmap = frames[0].bitmap
        self.frames = frames
        info = ImageInfo(
            format: ImageFormat(rawValue: "test.movie"), size: bitmap.size,
            animation: ImageInfo.Animation(frameCount: frames.count, loopCount: loopCount),
            hasAlpha: bitmap.format.hasAlpha, bitDepth: 8, colorDescription: "", decodedSize: bitmap.size,
            decodedFormat: bitmap.format, estimatedPeakByteCount: bitmap.byteCount, metadata: metadata)
    }

    package func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return frames[index].duration
    }

    package func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        return frames[index]
    }

    /// The same frames as an image that is held.
    package var image: RasterImage {
        RasterImage(
            bitmap: frames[0].bitmap, metadata: info.metadata,
            animation: RasterImage.Animation(frames: frames, loopCount: loopCount))
    }

    /// Straight RGBA of frame `index` as decoders compose it: transparent pixels are zero.
    package func expectedPixels(at index: Int) throws(ImageError) -> Bitmap {
        var bitmap = try frames[index].bitmap.converted(to: .rgba)
        for y in 0..<bitmap.height {
            try bitmap.withMutableRow(y) { row in
                for x in 0..<row.count / 4 where row[4 * x + 3] == 0 {
                    for channel in 0..<3 { row[4 * x + channel] = 0 }
                }
            }
        }
        return bitmap
    }
}

extension RandomMovie {
    /// What becomes of the picture from frame to frame.
    private enum Step: CaseIterable {
        case same, noise, paint, clear, back, shift, speckle, fill
    }

    /// The animation that decisions lead to: few colours or many, opaque, cut out or translucent.
    ///
    /// - Parameter format: of the frames; `nil` lets the decisions choose.
    package init(_ source: inout DecisionSource, format: PixelFormat? = nil) throws(ImageError) {
        let size = PixelSize(width: 1 + source.below(36), height: 1 + source.below(24))
        let format = format ?? source.pick(PixelFormat.all)
        var colors = Self.palette(&source)
        var pictures: [[[UInt8]]] = []
        var picture = [[UInt8]](repeating: source.pick(colors), count: size.width * size.height)
        var frames: [ImageFrame] = []
        for _ in 0..<1 + source.below(7) {
            for _ in 0...source.below(3) {
                if source.oneIn(12) { colors = Self.palette(&source) }
                Self.change(&picture, size, colors, pictures, &source)
            }
            pictures.append(picture)
            let bitmap = try Bitmap(packed: Array(picture.joined()), size: size, format: .rgba)
            let duration = Duration.milliseconds(source.pick([0, 10, 80, 100, source.below(65536)]))
            frames.append(ImageFrame(bitmap: try bitmap.converted(to: format), duration: duration))
        }
        self.init(frames, loopCount: source.pick([0, 1, 2, source.below(1 << 16)]))
    }

    private static func palette(_ source: inout DecisionSource) -> [[UInt8]] {
        let isGray = source.oneIn(5)
        let alphas: [UInt8] = source.pick([[255], [255, 0], [255, 255, 128, 0], [0]])
        let count = source.pick([1, 2, 3, 4, 5, 15, 16, 17, 100, 255, 256, 300, 700])
        return (0..<count).map { _ in
            let alpha = source.pick(alphas)
            let gray = source.byte()
            return (isGray ? [gray, gray, gray] : source.bytes(3)) + [alpha]
        }
    }

    private static func change(
        _ picture: inout [[UInt8]], _ size: PixelSize, _ colors: [[UInt8]], _ earlier: [[[UInt8]]],
        _ source: inout DecisionSource
    ) {
        let columns = range(size.width, &source)
        let rows = range(size.height, &source)
        let color = source.pick(colors)
        func forEachPixel(_ body: (inout [UInt8], inout DecisionSource) -> Void) {
            for y in rows { for x in columns { body(&picture[y * size.width + x], &source) } }
        }
        switch source.pick(Step.allCases) {
        case .same: break
        case .noise: forEachPixel { $0 = $1.pick(colors) }
        case .paint: forEachPixel { pixel, _ in pixel = color }
        case .clear: forEachPixel { pixel, _ in pixel = [0, 0, 0, 0] }
        case .back: if !earlier.isEmpty { picture = source.pick(earlier) }
        case .shift: picture = Array(picture.dropFirst() + [color])
        case .speckle: forEachPixel { if $1.oneIn(6) { $0 = $1.pick(colors) } }
        case .fill: picture = [[UInt8]](repeating: color, count: picture.count)
        }
    }

    private static func range(_ count: Int, _ source: inout DecisionSource) -> Range<Int> {
        let (first, second) = (source.below(count), source.below(count))
        return min(first, second)..<max(first, second) + 1
    }
}
