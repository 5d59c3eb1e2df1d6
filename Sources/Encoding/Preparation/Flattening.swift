// Lays transparent pictures over a colour, for files that have no alpha.

package import ImageCodecsCore

/// Lays rows with alpha over an opaque colour.
///
/// A sample is round((c*a + b*(m-a)) / m), m being the largest sample.
package struct RowFlattener: Sendable {
    /// What the rows that come out hold: `PixelFormat.gray` if rows are gray and the colour is too, opaque
    /// `PixelFormat.rgba16` if samples have sixteen bits, else `PixelFormat.rgb`.
    package let format: PixelFormat
    private let background: SIMD3<UInt8>
    private let converter: RowConverter
    private let width: Int
    /// A row of straight samples.
    private var straight: ScratchBuffer

    /// - Parameters:
    ///   - format: of the rows that come in; has alpha.
    ///   - background: straight red, green, blue.
    ///   - meter: counts a row.
    package init(
        from format: PixelFormat, onto background: SIMD3<UInt8>, width: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        self.background = background
        self.width = width
        self.format = Self.format(flattening: format, onto: background)
        converter = RowConverter(from: .pixels(format), to: Self.straightFormat(of: format))
        straight = try ScratchBuffer(byteCount: Self.byteCount(format, width: width), meter: meter)
    }

    /// What rows of `format` become.
    package static func format(flattening format: PixelFormat, onto background: SIMD3<UInt8>) -> PixelFormat {
        if format.depth == .sixteen { return .rgba16 }
        let isGray = background.x == background.y && background.y == background.z
        return format.layout == .grayAlpha && isGray ? .gray : .rgb
    }

    /// Bytes that flattening rows holds. Saturates.
    package static func byteCount(_ format: PixelFormat, width: Int) -> Int {
        width.multipliedSaturated(by: straightFormat(of: format).bytesPerPixel)
    }

    private static func straightFormat(of format: PixelFormat) -> PixelFormat {
        format.depth == .sixteen ? .rgba16 : .rgba
    }

    /// Whether no pixel of the row that was laid over the colour last shows it.
    var isLastRowOpaque: Bool {
        straight.withBytes { pixels in
            let isDeep = format == .rgba16
            var common: UInt32 = .max
            for x in 0..<width {
                common &=
                    isDeep
                    ? UInt32(pixels.nativeUInt16(at: 8 * x + 6)) << 16 | 0xFFFF
                    : UInt32(littleEndian: pixels.nativeUInt32(at: 4 * x))
            }
            return isDeep ? common == .max : common >> 24 == 255
        }
    }

    /// Lays a row over the colour.
    package mutating func flatten(_ row: RawSpan, into result: inout MutableRawSpan) {
        let (converter, width) = (converter, width)
        straight.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        straight.withBytes { pixels in
            switch format {
            case .rgba16: FlatteningRows.flattenDeep(pixels, onto: background, into: &result, width: width)
            case .gray: FlatteningRows.flattenGray(pixels, onto: background.x, into: &result, width: width)
            default: FlatteningRows.flatten(pixels, onto: background, into: &result, width: width)
            }
        }
    }
}

extension Bitmap {
    /// The pixels laid over an opaque colour; itself if the format has no alpha. See ``RowFlattener``.
    ///
    /// - Parameters:
    ///   - background: straight red, green, blue.
    ///   - meter: counts the result, and what making it takes.
    ///   - work: asked for each row.
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had, and what `work` throws.
    package func flattened(
        onto background: SIMD3<UInt8>, meter: MemoryMeter? = nil, work: WorkGuard = .unlimited
    ) throws(ImageError) -> Bitmap {
        guard format.hasAlpha else { return self }
        var flattener = try RowFlattener(from: format, onto: background, width: width, meter: meter)
        var result = try Bitmap(uninitialized: size, format: flattener.format, meter: meter)
        for y in 0..<height {
            try work.check()
            withRowBytes(y) { row in result.withMutableRowBytes(y) { flattener.flatten(row, into: &$0) } }
        }
        return result
    }
}
