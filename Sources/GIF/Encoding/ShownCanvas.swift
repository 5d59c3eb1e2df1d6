// What decoders show, where that is not what was wanted: kept while frames are written.

import ImageCodecsCore
import ImagePalettes

/// The canvas that the next frame is drawn on, as every decoder has it.
struct ShownCanvas: Sendable {
    /// Straight RGBA; transparent pixels are zero.
    private(set) var canvas: Bitmap

    /// An empty canvas.
    init(_ size: PixelSize, meter: MemoryMeter?, _ work: WorkGuard) throws(ImageError) {
        canvas = try Bitmap(cleared: size, format: .rgba, meter: meter, work: work)
    }

    /// Bytes held. Saturates.
    static func byteCount(_ size: PixelSize) -> Int { Bitmap.byteCount(size: size, format: .rgba) ?? .max }

    /// Draws an image, and does with it what is to become of it.
    mutating func draw(
        _ image: IndexedImage, _ table: [UInt32], then disposal: FrameInfo.Disposal, _ work: inout WorkGuard
    ) throws(ImageError) {
        let rect = image.rect
        guard disposal != .restore else { return }
        for y in 0..<rect.height {
            try work.spend(rect.width)
            guard disposal == .keep else {
                canvas.clearPixels(rect.x..<rect.x + rect.width, ofRow: rect.y + y)
                continue
            }
            image.indices.withBytes(y * rect.width..<(y + 1) * rect.width) { indices in
                canvas.withMutableRowBytes(rect.y + y) { row in
                    for x in 0..<rect.width {
                        let index = indices.byte(at: x)
                        guard index != image.transparentIndex, Int(index) < table.count else { continue }
                        row.storeBytes(of: table[Int(index)], toByteOffset: 4 * (rect.x + x), as: UInt32.self)
                    }
                }
            }
        }
    }

    /// Gives transparent pixels of an image the index of the colour that is shown there, in runs that are shorter than `length`.
    ///
    /// Nothing looks different then, but codes may get fewer: a picture with small holes in it repeats less than the picture. Pixels
    /// whose colour the table does not have stay transparent.
    func fill(
        _ image: inout IndexedImage, _ colors: DistinctColors, runsShorterThan length: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let transparent = image.transparentIndex else { return }
        let rect = image.rect
        for y in 0..<rect.height {
            try work.spend(2 * rect.width)
            canvas.withRowBytes(rect.y + y) { shown in
                image.indices.withMutablePixels(y * rect.width..<(y + 1) * rect.width) { indices in
                    var start = 0
                    for x in 0...rect.width {
                        if x < rect.width, indices[x] == transparent { continue }
                        for place in start..<x where x - start < length {
                            let color = shown.nativeUInt32(at: 4 * (rect.x + place))
                            if color != 0, let number = colors.number(of: color) { indices[place] = number }
                        }
                        start = x + 1
                    }
                }
            }
        }
    }
}
