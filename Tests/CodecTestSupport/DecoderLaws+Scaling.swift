// The law of thumbnails: the same as decoding everything and scaling it, or nearly if the format itself reduces.

package import ImageCodecsCore

extension DecoderLaws {
    /// Decoding into a box or under a byte limit equals decoding the whole and scaling it.
    ///
    /// - Parameter tolerance: the largest difference of a sample.
    package func scalingEqualsScalingTheWhole(_ file: [UInt8], tolerance: Int) -> [String] {
        var violations: [String] = []
        for format in [PixelFormat.bgraPremultiplied, .rgba, .rgb, nil] {
            for var options in Self.scalings {
                options.pixelFormat = format
                do throws(ImageError) {
                    let (scaled, expected) = try scaledBothWays(file, options)
                    let difference = Self.largestDifference(scaled, expected)
                    if difference > tolerance { violations.append("\(Self.name(options)): off by \(difference)") }
                } catch {
                    violations.append("\(Self.name(options)): \(error)")
                }
            }
        }
        return violations
    }

    /// Decoding an opaque picture into a box or under a byte limit is like decoding the whole and scaling it: a peak
    /// signal-to-noise ratio of 44 dB or more.
    package func scalingIsLikeScalingTheWhole(_ file: [UInt8]) -> [String] {
        var violations: [String] = []
        for format in [PixelFormat.rgb, nil] {
            for var options in Self.scalings + Self.milderScalings {
                options.pixelFormat = format
                do throws(ImageError) {
                    let (scaled, expected) = try scaledBothWays(file, options)
                    if !Self.isLike(scaled, expected) { violations.append(Self.name(options)) }
                } catch {
                    violations.append("\(Self.name(options)): \(error)")
                }
            }
        }
        return violations
    }

    private static let scalings: [DecodingOptions] = [
        .thumbnail(width: 16, height: 16), .thumbnail(width: 7, height: 100),
        .thumbnail(width: 9, height: 4, fit: .fill), .thumbnail(width: 5, height: 6, fit: .stretch),
        .atMost(byteCount: 2000), .atMost(byteCount: 1),
    ]

    /// Sizes at which a format may reduce by a half or not at all.
    private static let milderScalings: [DecodingOptions] = [
        .thumbnail(width: 100, height: 99), .thumbnail(width: 70, height: 71), .thumbnail(width: 49, height: 48),
        .thumbnail(width: 35, height: 30), .thumbnail(width: 24, height: 25),
    ]

    /// What decoding with `options` gives, and what scaling the whole picture does.
    private func scaledBothWays(_ file: [UInt8], _ options: DecodingOptions) throws(ImageError) -> (Bitmap, Bitmap) {
        let scaled = try coder.decode(ImageData(file), options: options)
        var full = options
        full.size = .full
        let unscaled = try coder.decode(ImageData(file), options: full)
        if unscaled.size == scaled.size {
            return (try scaled.bitmap.converted(to: .rgba), try unscaled.bitmap.converted(to: .rgba))
        }
        full.appliesOrientation = false
        // Colour is weighted with alpha when scaling, so alpha must still be there. Inks have none, and are not to be had from colours.
        full.pixelFormat = scaled.bitmap.format == .cmyk ? .cmyk : .bgraPremultiplied
        let whole = try coder.decode(ImageData(file), options: full)
        let orientation = whole.metadata.orientation
        let target = orientation.swapsAxes ? scaled.size.transposed : scaled.size
        let expected = try whole.bitmap.scaled(to: target).converted(to: scaled.bitmap.format).oriented(orientation)
        // Of sixteen bits the upper eight are compared.
        if scaled.bitmap.format.depth == .eight { return (scaled.bitmap, expected) }
        return (try scaled.bitmap.converted(to: .rgba), try expected.converted(to: .rgba))
    }

    /// Whether samples of eight bits have a peak signal-to-noise ratio of 44 dB, written as a bound of the mean square.
    private static func isLike(_ left: Bitmap, _ right: Bitmap) -> Bool {
        guard left.size == right.size, left.format == right.format, left.format.depth == .eight else { return false }
        let (a, b) = (left.packedBytes(), right.packedBytes())
        let squares = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        return Double(squares) <= Double(a.count) * 255 * 255 / 25119
    }

    /// The largest difference between samples of two pictures, `Int.max` when they cannot be compared.
    package static func largestDifference(_ left: Bitmap, _ right: Bitmap) -> Int {
        guard left.size == right.size, left.format == right.format else { return .max }
        let isWide = left.format.depth == .sixteen
        let (a, b) = (left.packedBytes(), right.packedBytes())
        var largest = 0
        for index in stride(from: 0, to: a.count, by: isWide ? 2 : 1) {
            let difference =
                isWide
                ? Int(a.span.littleEndianUInt16(at: index)) - Int(b.span.littleEndianUInt16(at: index))
                : Int(a[index]) - Int(b[index])
            largest = max(largest, abs(difference))
        }
        return isWide ? largest / 257 : largest
    }
}
