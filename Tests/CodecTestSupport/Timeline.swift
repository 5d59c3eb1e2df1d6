// An animation as people see it: pictures that differ from each other, and how long each is shown.

import ImageCodecsCore

/// Frames of which equal neighbours are one.
struct Timeline {
    struct Frame {
        /// Straight RGBA, transparent pixels zero.
        var pixels: Bitmap
        var duration: Duration
        /// Frames that it was made of.
        var count: Int
    }

    private(set) var frames: [Frame] = []
    /// The most colours of a frame.
    private(set) var largestColorCount = 0
    /// The colours of all frames.
    private(set) var colorCount = 0

    /// The frames of a movie as a format can show them.
    init(_ movie: RandomMovie, _ traits: AnimationEncoderLaws.Traits) throws(ImageError) {
        var all: Set<[UInt8]> = []
        for index in 0..<movie.frameCount {
            var pixels = try movie.expectedPixels(at: index)
            if !traits.keepsTranslucency { pixels = try Self.cutOut(pixels) }
            let colors = Self.colors(pixels)
            largestColorCount = max(largestColorCount, colors.count)
            all.formUnion(colors)
            try add(pixels, movie.duration(at: index))
        }
        colorCount = all.count
    }

    /// The frames of a file.
    init(_ animation: any AnimatedImageProvider) throws(ImageError) {
        for index in 0..<animation.frameCount {
            let frame = try animation.frame(at: index)
            add(try frame.bitmap.converted(to: .rgba), frame.duration)
        }
    }

    private mutating func add(_ pixels: Bitmap, _ duration: Duration) {
        if let last = frames.last, last.pixels == pixels {
            frames[frames.count - 1].duration += duration
            frames[frames.count - 1].count += 1
        } else {
            frames.append(Frame(pixels: pixels, duration: duration, count: 1))
        }
    }

    private static func cutOut(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        for y in 0..<bitmap.height {
            try bitmap.withMutableRow(y) { row in
                for x in 0..<row.count / 4 {
                    let isOpaque = row[4 * x + 3] >= 128
                    for channel in 0..<3 where !isOpaque { row[4 * x + channel] = 0 }
                    row[4 * x + 3] = isOpaque ? 255 : 0
                }
            }
        }
        return bitmap
    }

    private static func colors(_ bitmap: Bitmap) -> Set<[UInt8]> {
        var colors: Set<[UInt8]> = []
        for y in 0..<bitmap.height {
            bitmap.withRow(y) { row in
                for x in 0..<row.count / 4 { colors.insert((0..<4).map { row[4 * x + $0] }) }
            }
        }
        return colors
    }
}
