// Rows of a bitmap to PNG scanlines: the decoder's sample expansion backwards.

package import ImageCodecsCore
import ImagePalettes

/// Packs rows of one bitmap format into scanlines of one encoding.
package struct ScanlinePacker: Sendable {
    /// How a row gets its final form.
    private enum Route: Sendable {
        /// The converter writes scanlines.
        case converted
        /// The converter writes gray samples of eight bits, whose high bits are packed.
        case packedGray
        /// The converter writes RGBA, which is looked up in the palette and packed.
        case packedIndices(DistinctColors)
        /// The converter writes big-endian RGBA of sixteen bits, of which these bytes of a pixel are kept.
        case keptBytes([Int])
    }

    private let width: Int
    private let bitDepth: Int
    private let converter: RowConverter
    private let route: Route
    /// One row between the two steps.
    private var middle: ScratchBuffer
    /// The palette indices of one row, before they are packed.
    private var indices: ScratchBuffer

    /// - Parameters:
    ///   - format: of the rows.
    ///   - encoding: of the scanlines.
    ///   - width: pixels of a row.
    ///   - meter: counts the buffers.
    package init(
        from format: PixelFormat, to encoding: PixelEncoding, width: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        self.width = width
        bitDepth = encoding.bitDepth
        var layout = SampleLayout.pixels(format)
        let target: PixelFormat
        switch (encoding.colorType, encoding.bitDepth) {
        case (_, 16):
            // Reading native samples as big-endian ones exchanges their bytes, which is what is wanted here.
            (layout, target) =
                format != .gray16
                ? (.rgba(bits: 16), .rgba16)
                : (.gray(bits: 16, transparent: nil), encoding.colorType == .gray ? .gray16 : .rgba16)
            route = Self.sixteenBitRoute(from: format, to: encoding.colorType)
        case (.indexed, _):
            target = .rgba
            route = .packedIndices(encoding.palette ?? DistinctColors())
        case (.gray, let depth):
            target = .gray
            route = depth == 8 ? .converted : .packedGray
        case (.grayAlpha, _): (target, route) = (.grayAlpha, .converted)
        case (.rgb, _): (target, route) = (.rgb, .converted)
        case (.rgba, _): (target, route) = (.rgba, .converted)
        }
        converter = RowConverter(from: layout, to: target)
        indices = try ScratchBuffer(byteCount: encoding.colorType == .indexed ? width : 0, meter: meter)
        middle = try ScratchBuffer(byteCount: width * target.bytesPerPixel, meter: meter)
    }

    /// Bytes that packing rows of `format` holds at most. Saturates.
    package static func estimatedByteCount(_ format: PixelFormat, width: Int) -> Int {
        width.multipliedSaturated(by: format.depth == .sixteen ? 9 : 5)
    }

    private static func sixteenBitRoute(from format: PixelFormat, to colorType: ImageHeader.ColorType) -> Route {
        switch colorType {
        case .rgba: .converted
        case .rgb: .keptBytes([0, 1, 2, 3, 4, 5])
        case .grayAlpha: .keptBytes([0, 1, 6, 7])
        case .gray, .indexed: format == .gray16 ? .converted : .keptBytes([0, 1])
        }
    }

    /// Packs one row.
    ///
    /// - Parameters:
    ///   - row: a row of the bitmap.
    ///   - scanline: takes the scanline, without filter type byte.
    package mutating func pack(_ row: RawSpan, into scanline: inout MutableRawSpan) {
        if case .converted = route {
            converter.convert(row, into: &scanline, width: width)
            return
        }
        let (converter, width, bitDepth) = (converter, width, bitDepth)
        middle.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        switch route {
        case .converted: break
        case .packedGray:
            middle.withBytes { samples in
                Self.packBits(width: width, bitDepth: bitDepth, &scanline) { x in
                    samples.byte(at: x) >> UInt8(8 - bitDepth)
                }
            }
        case .packedIndices(let palette) where bitDepth == 8:
            middle.withBytes { palette.look(up: $0, width: width, into: &scanline) }
        case .packedIndices(let palette):
            let middle = middle
            middle.withBytes { pixels in
                indices.withMutableBytes { palette.look(up: pixels, width: width, into: &$0) }
            }
            indices.withBytes { indices in
                Self.packBits(width: width, bitDepth: bitDepth, &scanline) { indices.byte(at: $0) }
            }
        case .keptBytes(let offsets):
            middle.withBytes { Self.keepBytes(offsets, of: $0, width: width, &scanline) }
        }
    }

    /// Packs samples of less than a byte, the leftmost pixel in the most significant bits; unused bits are 0.
    ///
    /// Source: PNG 3rd ed. §7.2 "Scanlines".
    @inline(__always)
    private static func packBits(
        width: Int, bitDepth: Int, _ scanline: inout MutableRawSpan, sample: (_ x: Int) -> UInt8
    ) {
        let samplesPerByte = 8 / bitDepth
        var x = 0
        var offset = 0
        while x < width {
            var packed: UInt8 = 0
            for neighbor in x..<x + samplesPerByte {
                packed = packed << UInt8(bitDepth) | (neighbor < width ? sample(neighbor) : 0)
            }
            scanline.storeBytes(of: packed, toByteOffset: offset, as: UInt8.self)
            x += samplesPerByte
            offset += 1
        }
    }

    /// Keeps some bytes of each eight-byte pixel.
    private static func keepBytes(
        _ offsets: [Int], of pixels: RawSpan, width: Int, _ scanline: inout MutableRawSpan
    ) {
        var target = 0
        for x in 0..<width {
            for offset in offsets {
                scanline.storeBytes(of: pixels.byte(at: 8 * x + offset), toByteOffset: target, as: UInt8.self)
                target += 1
            }
        }
    }
}
