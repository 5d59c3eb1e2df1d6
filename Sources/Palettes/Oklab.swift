// Colours as points whose distances are about the differences that people see.
//
//   sRGB bytes ──▶ linear light ──▶ cone responses ──▶ cube roots ──▶ lightness, green-red, blue-yellow
//
// Only additions, multiplications and divisions of IEEE numbers are used, in a fixed order and never fused, so that all
// processors find the same palette.
//
// Source: Björn Ottosson, "A perceptual color space for image processing" (2020, matrices of 2021-01-25).

import ImageCodecsCore

/// The colour space Oklab, times 255, with alpha as a fourth coordinate.
///
/// The point of a pixel is (L, a, b) times its alpha (0...1), and what alpha is: 0...255 for translucent pixels, far above for
/// opaque ones and far below for transparent ones. So the nearest point to an opaque one is opaque if there is one, and faint
/// colours are near each other. L is in 0...255, a in -60...71, b in -80...51.
package enum Oklab {
    /// The fourth coordinate of opaque pixels; farther from that of translucent ones than any two points otherwise are.
    package static let opaque: Float = 1024
    /// The fourth coordinate of transparent pixels.
    package static let transparent: Float = -1024

    /// The point of a straight RGBA pixel, red in the lowest byte.
    package static func point(_ pixel: UInt32) -> SIMD4<Float> {
        linear.withSpan { point(pixel, $0) }
    }

    /// The points of pixels.
    package static func points(_ pixels: [UInt32]) -> [SIMD4<Float>] {
        linear.withSpan { linear in pixels.map { point($0, linear) } }
    }

    /// The points of a row of straight RGBA, each four numbers of `Float`.
    ///
    /// - Precondition: `row` holds `width` pixels, and there is room for sixteen bytes for each.
    package static func convert(_ row: RawSpan, into points: inout MutableRawSpan, width: Int) {
        OklabKernels.convert(row, into: &points, width: width)
    }

    @inline(__always)
    static func point(_ pixel: UInt32, _ linear: Span<Float>) -> SIMD4<Float> {
        let alpha = pixel >> 24
        guard alpha > 0 else { return SIMD4(0, 0, 0, transparent) }
        let red = linear[Int(pixel & 0xFF)]
        let green = linear[Int(pixel >> 8 & 0xFF)]
        let blue = linear[Int(pixel >> 16 & 0xFF)]
        let roots = cubeRoots(red * coneRed + green * coneGreen + blue * coneBlue)
        let lab = roots.x * labLong + roots.y * labMedium + roots.z * labShort
        guard alpha < 255 else { return lab + SIMD4(0, 0, 0, opaque) }
        return lab * (Float(alpha) / 255) + SIMD4(0, 0, 0, Float(alpha))
    }

    /// The straight RGBA pixel nearest to a point, red in the lowest byte.
    package static func pixel(_ point: SIMD4<Float>) -> UInt32 {
        guard point.w > 0 else { return 0 }
        let isOpaque = point.w > opaque / 2
        let alpha = isOpaque ? 255 : max(1, min(254, point.w.rounded()))
        let lab = point * (1 / alpha)
        let cones = lab.x * SIMD4<Float>(1, 1, 1, 0) + lab.y * coneGreenRed + lab.z * coneBlueYellow
        let light = cones * cones * cones
        let red = byte(4.076_741_7 * light.x - 3.307_711_6 * light.y + 0.230_969_93 * light.z)
        let green = byte(-1.268_438 * light.x + 2.609_757_4 * light.y - 0.341_319_4 * light.z)
        let blue = byte(-0.004_196_086 * light.x - 0.703_418_6 * light.y + 1.707_614_7 * light.z)
        return red | green << 8 | blue << 16 | UInt32(alpha) << 24
    }

    /// The square of the distance of two points.
    @inline(__always)
    package static func squaredDistance(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> Float {
        let difference = first - second
        let squares = difference * difference
        return squares.x + squares.y + squares.z + squares.w
    }

    // Columns of the matrix from linear RGB to cone responses.
    static var coneRed: SIMD4<Float> { SIMD4(0.412_221_47, 0.211_903_5, 0.088_302_46, 0) }
    static var coneGreen: SIMD4<Float> { SIMD4(0.536_332_54, 0.680_699_55, 0.281_718_84, 0) }
    static var coneBlue: SIMD4<Float> { SIMD4(0.051_445_993, 0.107_396_96, 0.629_978_7, 0) }
    // Columns of the matrix from cube roots to Oklab, times 255.
    static var labLong: SIMD4<Float> { SIMD4(0.210_454_26, 1.977_998_5, 0.025_904_037, 0) * 255 }
    static var labMedium: SIMD4<Float> { SIMD4(0.793_617_8, -2.428_592_2, 0.782_771_8, 0) * 255 }
    static var labShort: SIMD4<Float> { SIMD4(-0.004_072_047, 0.450_593_7, -0.808_675_77, 0) * 255 }
    // Columns of its inverse; the first is all ones.
    private static var coneGreenRed: SIMD4<Float> { SIMD4(0.396_337_78, -0.105_561_346, -0.089_484_18, 0) }
    private static var coneBlueYellow: SIMD4<Float> { SIMD4(0.215_803_76, -0.063_854_17, -1.291_485_5, 0) }

    /// Cube roots of numbers in 0...1, to about seven digits; of 0 nearly 0.
    ///
    /// A call of its own: inlined, the compiler mixes the lanes of several vectors, and half of them become single numbers.
    @inline(never)
    static func cubeRoots(_ values: SIMD4<Float>) -> SIMD4<Float> {
        // Keeps subnormal numbers, which are slow, out of the steps below.
        let x = values + SIMD4(repeating: 1e-18)
        // A third of the exponent and of the mantissa is a root within five per cent: 1/3 is about 1/4 (1 + 1/4) (1 + 1/16) (1 + 1/256).
        var bits = SIMD4<UInt32>(x.x.bitPattern, x.y.bitPattern, x.z.bitPattern, x.w.bitPattern) &>> 2
        bits = bits &+ (bits &>> 2)
        bits = bits &+ (bits &>> 4)
        bits = bits &+ (bits &>> 8)
        let guess = bits &+ SIMD4(repeating: 709_921_077)
        var y = SIMD4<Float>(
            Float(bitPattern: guess.x), Float(bitPattern: guess.y), Float(bitPattern: guess.z),
            Float(bitPattern: guess.w))
        // Halley's method: each step has three times as many right digits.
        for _ in 0..<2 {
            let cube = y * y * y
            y = y * (cube + x + x) / (cube + cube + x)
        }
        return y
    }
}

// MARK: - The transfer function of sRGB

extension Oklab {
    /// Linear light of each byte, 0...1.
    ///
    /// - Source: IEC 61966-2-1:1999 §5.2 "Transformation from 8-bit RGB values to CIE 1931 XYZ values".
    static let linear: [Float] = (0..<256).map { Float(light(Double($0) / 255)) }

    /// Linear light half way between each byte and the next.
    private static let limits: [Float] = (0..<255).map { Float(light((Double($0) + 0.5) / 255)) }

    /// The byte of linear light, which may be out of range.
    private static func byte(_ light: Float) -> UInt32 {
        var (low, high) = (0, 255)
        while low < high {
            let middle = (low + high) / 2
            if light > limits[middle] { low = middle + 1 } else { high = middle }
        }
        return UInt32(low)
    }

    private static func light(_ value: Double) -> Double {
        guard value > 0.04045 else { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        // base^2.4 is base^2 times the fifth root of base^2, which Newton's method finds from above.
        let square = base * base
        var root = 1.0
        for _ in 0..<24 {
            let fourth = root * root * root * root
            root -= (root - square / fourth) / 5
        }
        return square * root
    }
}
