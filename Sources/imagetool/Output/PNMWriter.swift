// Bitmaps as portable anymaps, the simplest files that other programs read.

import ImageCodecs

/// The kinds of portable anymap that are written, all binary.
///
/// Source: Netpbm's format pages pgm(5), ppm(5) and pam(5).
enum PNMWriter: String, CaseIterable, Sendable {
    /// Gray, without alpha.
    case pgm
    /// Red, green, blue, without alpha.
    case ppm
    /// Any channels, alpha included.
    case pam

    /// The file's bytes: samples of sixteen bits if the bitmap has them, high byte first.
    ///
    /// If the file has no alpha, transparent pixels are laid over white.
    ///
    /// - Parameter bitmap: any format.
    /// - Throws: `invalidArgument` for an empty picture; `limitExceeded(.memory)`.
    func encode(_ bitmap: Bitmap) throws(ImageError) -> [UInt8] {
        guard !bitmap.size.isEmpty else { throw .invalidArgument("cannot write a picture of \(bitmap.size) pixels") }
        let pixels = try convert(bitmap)
        let isWide = pixels.format.depth == .sixteen
        // Opaque sixteen-bit colour only exists with alpha; its fourth sample is left out.
        let stored = pixels.format.samplesPerPixel
        let kept = keepsAlpha(of: bitmap) ? stored : min(stored, 3)
        var bytes = Array(header(of: pixels.size, samples: kept, maximum: isWide ? 65_535 : 255).utf8)
        let sampleCount = pixels.width * stored
        bytes.reserveCapacity(bytes.count + pixels.height * sampleCount * (isWide ? 2 : 1))
        for y in 0..<pixels.height {
            pixels.withRowBytes(y) { row in
                if isWide {
                    for index in 0..<sampleCount where index % stored < kept {
                        let sample = row.nativeUInt16(at: 2 * index)
                        bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
                        bytes.append(UInt8(truncatingIfNeeded: sample))
                    }
                } else {
                    bytes.append(row)
                }
            }
        }
        return bytes
    }

    private func keepsAlpha(of bitmap: Bitmap) -> Bool { self == .pam && bitmap.format.hasAlpha }

    /// The bitmap in a format whose samples are those of the file, high bits aside.
    private func convert(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        let isGray = bitmap.format.layout == .gray || bitmap.format.layout == .grayAlpha
        let isWide = bitmap.format.depth == .sixteen
        if keepsAlpha(of: bitmap) {
            return try bitmap.converted(to: isWide ? .rgba16 : isGray ? .grayAlpha : .rgba)
        }
        let opaque = try bitmap.flattened(onto: SIMD3(255, 255, 255))
        switch self {
        case .pgm: return try opaque.converted(to: isWide ? .gray16 : .gray)
        case .ppm: return try opaque.converted(to: isWide ? .rgba16 : .rgb)
        case .pam where isGray && !bitmap.format.hasAlpha: return try opaque.converted(to: isWide ? .gray16 : .gray)
        case .pam: return try opaque.converted(to: isWide ? .rgba16 : .rgb)
        }
    }

    private func header(of size: PixelSize, samples: Int, maximum: Int) -> String {
        switch self {
        case .pgm: return "P5\n\(size.width) \(size.height)\n\(maximum)\n"
        case .ppm: return "P6\n\(size.width) \(size.height)\n\(maximum)\n"
        case .pam:
            let kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][samples - 1]
            return "P7\nWIDTH \(size.width)\nHEIGHT \(size.height)\nDEPTH \(samples)\nMAXVAL \(maximum)\n"
                + "TUPLTYPE \(kind)\nENDHDR\n"
        }
    }
}
