// First pass over the frames: which colours they have, and which they have not.

import ImageCodecsCore
import ImagePalettes
import PNGCodec

/// What the pixels of all frames make use of.
struct FrameColorSurvey: Sendable {
    /// Whether any pixel is transparent or coloured.
    private(set) var traits = PixelTraits()
    /// Every colour, as long as there are at most 256, and how many pixels have it.
    private(set) var counted: CountedColors
    /// Pixels looked at: those of rows that changed from frame to frame.
    private(set) var pixelCount = 0
    /// Whether a pixel is neither opaque nor transparent; known if there are too many colours for a palette.
    private var hasTranslucency = false
    /// A bit for each colour of three bytes that an opaque pixel has; made when there are too many for a palette.
    private var used: ScratchBuffer?
    private let meter: MemoryMeter?

    private static let setByteCount = 1 << 21

    /// - Parameters:
    ///   - width: pixels of a row.
    ///   - meter: counts the set of colours.
    init(width: Int, meter: MemoryMeter?) throws(ImageError) {
        self.meter = meter
        counted = try CountedColors(width: width, meter: meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(width: Int) -> Int {
        CountedColors.byteCount(width: width).addingSaturated(setByteCount)
    }

    /// Looks at a row of straight RGBA.
    mutating func look(at row: RawSpan, width: Int) throws(ImageError) {
        pixelCount = pixelCount.addingSaturated(width)
        traits.formIntersection(PixelSurveyKernels.traits(rgba: row, width: width))
        guard !counted.add(row, width: width) else { return }
        if used == nil {
            used = try ScratchBuffer(byteCount: Self.setByteCount, filledWith: 0, meter: meter)
            for color in counted.distinct.colors { mark(color) }
        }
        // A file of translucent pixels has alpha samples; nothing else matters then.
        guard !hasTranslucency else { return }
        var last: UInt32?
        for x in 0..<width {
            let pixel = row.nativeUInt32(at: 4 * x)
            guard pixel != last else { continue }
            last = pixel
            mark(pixel)
        }
    }

    private mutating func mark(_ pixel: UInt32) {
        switch pixel >> 24 {
        case 0: break
        case 255:
            let color = Int(pixel & 0xFF_FFFF)
            used?.withMutableBytes { $0.setByte($0.byte(at: color >> 3) | 1 << UInt8(color & 7), at: color >> 3) }
        default: hasTranslucency = true
        }
    }

    /// Whether a pixel is neither opaque nor transparent.
    var isTranslucent: Bool {
        hasTranslucency || counted.colors?.colors.contains { (1...254).contains($0 >> 24) } ?? false
    }

    /// The smallest colour of three bytes that no pixel has, red in the lowest.
    var unusedColor: UInt32? {
        if let colors = counted.colors {
            let known = Set(colors.colors.filter { $0 >> 24 == 255 }.map { $0 & 0xFF_FFFF })
            return (0...256).first { !known.contains($0) }
        }
        return used?.withBytes { set in
            (0..<Self.setByteCount).first { set.byte(at: $0) != 255 }.map { byte in
                UInt32(8 * byte + (~set.byte(at: byte)).trailingZeroBitCount)
            }
        }
    }
}
