// Lays transparent pictures over a colour, for files that have no alpha.

import ImageCodecs

extension Bitmap {
    /// The picture over an opaque background, each sample rounded to nearest: `(c*a + b*(m - a) + m/2) / m`
    /// with `m` the largest sample. Straight RGBA of the same depth, alpha at its maximum.
    func flattened(over background: SIMD3<UInt8>) throws(ImageError) -> Bitmap {
        var result = try converted(to: format.depth == .sixteen ? .rgba16 : .rgba)
        let isWide = result.format.depth == .sixteen
        for y in 0..<result.height {
            result.withMutableRow(y) { row in
                if isWide {
                    Self.flatten(&row, background, UInt16.self, maximum: 65_535)
                } else {
                    Self.flatten(&row, background, UInt8.self, maximum: 255)
                }
            }
        }
        return result
    }

    private static func flatten<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ row: inout MutableRawSpan, _ background: SIMD3<UInt8>, _ type: Sample.Type, maximum: UInt64
    ) {
        let sampleByteCount = Sample.bitWidth / 8
        let replication = maximum / 255
        var offset = 0
        while offset < row.byteCount {
            let alpha = UInt64(row.sample(at: offset + 3 * sampleByteCount, as: type))
            for channel in 0..<3 {
                let at = offset + channel * sampleByteCount
                let color = UInt64(row.sample(at: at, as: type)) * alpha
                let under = UInt64(background[channel]) * replication * (maximum - alpha)
                row.storeBytes(of: Sample((color + under + maximum / 2) / maximum), toByteOffset: at, as: type)
            }
            row.storeBytes(of: Sample(maximum), toByteOffset: offset + 3 * sampleByteCount, as: type)
            offset += 4 * sampleByteCount
        }
    }
}

extension MutableRawSpan {
    /// The sample at a byte offset, in the machine's byte order.
    fileprivate func sample<Sample: FixedWidthInteger>(at offset: Int, as type: Sample.Type) -> Sample {
        var value: Sample = 0
        for index in 0..<Sample.bitWidth / 8 {
            value |= Sample(truncatingIfNeeded: bytes.byte(at: offset + index)) << (8 * index)
        }
        return Sample(littleEndian: value)
    }
}
