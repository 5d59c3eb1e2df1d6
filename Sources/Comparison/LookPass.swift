// Two bitmaps to a measurement: rows of any format, laid over a background.

import ImageCodecsCore

/// One look at two pictures, over one background.
struct LookPass: Sendable {
    private let size: PixelSize
    private var measurement: LookMeasurement
    private var first: LookRow
    private var second: LookRow

    init(
        _ original: Bitmap, _ other: Bitmap, over background: UInt8, makesMap: Bool, meter: MemoryMeter?
    ) throws(ImageError) {
        size = original.size
        measurement = try LookMeasurement(LookStretch.size(size), makesMap: makesMap, meter: meter)
        first = try LookRow(original.format, width: size.width, over: background, meter)
        second = try LookRow(other.format, width: size.width, over: background, meter)
    }

    /// Bytes of memory, without a map. Saturates.
    static func byteCount(_ size: PixelSize) -> Int {
        let stretched = LookStretch.size(size)
        return LookMeasurement.byteCount(stretched).addingSaturated(stretched.width.multipliedSaturated(by: 8))
    }

    /// Measures all rows.
    mutating func run(_ original: Bitmap, _ other: Bitmap, work: inout WorkGuard) throws(ImageError) {
        for y in 0..<size.height {
            original.withRowBytes(y) { first.read($0) }
            other.withRowBytes(y) { second.read($0) }
            for _ in 0..<LookStretch.repetition(size.height) {
                try first.withPixels { (one) throws(ImageError) in
                    try second.withPixels { (two) throws(ImageError) in
                        try measurement.write(one, two, work: &work)
                    }
                }
            }
        }
    }

    /// The score, once all rows are measured.
    var score: Double { measurement.score }
    /// The map, if one is made, once all rows are measured.
    var map: LookMap? { measurement.map?.map(of: size) }
    /// Whether the background was seen.
    var isTransparent: Bool { first.isTransparent || second.isTransparent }
}

/// How small pictures are made large enough: each pixel is repeated.
enum LookStretch {
    /// What the metric asks for.
    static let smallestSide = 8

    /// How often each pixel is repeated along a side.
    static func repetition(_ side: Int) -> Int { max(1, (smallestSide + side - 1) / side) }

    static func size(_ size: PixelSize) -> PixelSize {
        PixelSize(width: size.width * repetition(size.width), height: size.height * repetition(size.height))
    }
}

/// A row of one bitmap after the other, as pixels of four bytes over a background.
private struct LookRow: Sendable {
    private let converter: RowConverter
    private let width: Int
    private let repetition: Int
    private let background: Int
    private var pixels: ScratchBuffer
    /// Whether a pixel was not opaque.
    private(set) var isTransparent = false

    init(_ format: PixelFormat, width: Int, over background: UInt8, _ meter: MemoryMeter?) throws(ImageError) {
        converter = RowConverter(from: .pixels(format), to: .rgba)
        self.width = width
        repetition = LookStretch.repetition(width)
        self.background = Int(background)
        pixels = try ScratchBuffer(byteCount: 4 * width * repetition, meter: meter)
    }

    mutating func read(_ row: RawSpan) {
        let (hasAlpha, width, repetition, background) = (converter.layout.hasAlpha, width, repetition, background)
        var isTransparent = false
        pixels.withMutableBytes { pixels in
            converter.convert(row, into: &pixels, width: width)
            if hasAlpha { isTransparent = Self.flatten(&pixels, width, background) }
            if repetition > 1 { Self.repeatPixels(&pixels, width, repetition) }
        }
        if isTransparent { self.isTransparent = true }
    }

    func withPixels(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        try pixels.withBytes { (pixels) throws(ImageError) in try body(pixels) }
    }

    /// Lays pixels over a gray.
    ///
    /// - Returns: whether one of them was not opaque.
    private static func flatten(_ pixels: inout MutableRawSpan, _ width: Int, _ background: Int) -> Bool {
        var isTransparent = false
        for at in stride(from: 0, to: 4 * width, by: 4) {
            let alpha = Int(pixels.byte(at: at + 3))
            guard alpha < 255 else { continue }
            isTransparent = true
            for sample in at..<at + 3 {
                let sum = Int(pixels.byte(at: sample)) * alpha + background * (255 - alpha)
                pixels.setByte(UInt8((sum + 127) / 255), at: sample)
            }
        }
        return isTransparent
    }

    /// From the last to the first, since they move to the right.
    private static func repeatPixels(_ pixels: inout MutableRawSpan, _ width: Int, _ repetition: Int) {
        for x in (0..<width).reversed() {
            let pixel = (0..<4).map { pixels.byte(at: 4 * x + $0) }
            for copy in 0..<repetition {
                for sample in 0..<4 { pixels.setByte(pixel[sample], at: 4 * (x * repetition + copy) + sample) }
            }
        }
    }
}
