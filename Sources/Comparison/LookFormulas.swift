// The formulas of SSIMULACRA 2, four columns at a time: what kernels and their twins share.
//
// Source: SSIMULACRA 2, version 2.1 (Jon Sneyers, 2023): colours, differences and weights are that metric's definition.

import ImageCodecsCore

package enum LookFormulas {
    /// Weights of a Gaussian of standard deviation 1.5 from the middle to five columns away; all eleven make one.
    @inline(__always)
    package static var gaussian: (Float, Float, Float, Float, Float, Float) {
        (0.266_011_73, 0.213_005_54, 0.109_360_69, 0.036_000_773, 0.007_598_758, 0.001_028_380_1)
    }

    // MARK: Colours

    /// Linear light of each byte, 0...1.
    ///
    /// - Source: IEC 61966-2-1:1999 §5.2 "Transformation from 8-bit RGB values to CIE 1931 XYZ values".
    package static let light: [Float] = (0..<256).map { byte in
        let value = Double(byte) / 255
        return Float(value <= 0.04045 ? value / 12.92 : ReproduciblePowers.power((value + 0.055) / 1.055, 2.4))
    }

    // What red, green and blue are to each kind of cone.
    @inline(__always) static var long: SIMD3<Float> { SIMD3(0.3, 0.622, 0.078) }
    @inline(__always) static var medium: SIMD3<Float> { SIMD3(0.23, 0.692, 0.078) }
    @inline(__always) static var short: SIMD3<Float> { SIMD3(0.243_422_69, 0.204_767_44, 0.551_809_87) }
    /// Added to each cone's answer, so that cube roots of darkness are not steep.
    @inline(__always) static var bias: Float { 0.003_793_073_3 }
    /// The cube root of ``bias``.
    @inline(__always) private static var biasRoot: Float { 0.155_954_2 }

    /// Red-green, lightness and blue-yellow from the cube roots of cones' answers, each about within 0...1.
    @inline(__always)
    static func opponents(
        _ l: SIMD4<Float>, _ m: SIMD4<Float>, _ s: SIMD4<Float>
    ) -> (x: SIMD4<Float>, y: SIMD4<Float>, b: SIMD4<Float>) {
        let lightness = (l + m) * 0.5 - biasRoot
        return ((l - m) * 7 + 0.42, lightness + 0.01, s - lightness + (0.55 - biasRoot))
    }

    /// A first guess of a number, 0.003...1.1, to the power of minus one third, within four per cent, by its bits.
    ///
    /// The exponent divided by minus three: 1/3 is about 1/4 + 1/16 + 1/64 + 1/256.
    @inline(__always)
    static func inverseRootBits(_ bits: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let quarter = bits &>> 2
        let quarters = quarter &+ (quarter &>> 2)
        return SIMD4(repeating: 0x548D_4000) &- (quarters &+ (quarters &>> 4))
    }

    /// Cube roots of numbers, to six digits and a half.
    ///
    /// - Parameter guess: what ``inverseRootBits(_:)`` says of them.
    @inline(__always)
    static func cubeRoots(of x: SIMD4<Float>, near guess: SIMD4<Float>) -> SIMD4<Float> {
        // If y is the guess and r = 1 - x y³, the root is x y² (1 - r)^(-2/3): a series in r, which is within 0.11 either way,
        // cut off and fitted to this range.
        let root = x * (guess * guess)
        let rest = 1 - root * guess
        var series = rest * 0.458_182_75 + 0.500_184_12
        series = series * rest + 0.555_543_54
        series = series * rest + 0.666_647_67
        return root * (series * rest + 1)
    }

    // MARK: Differences

    /// How much structure is lost: one minus what is left of the similarity of means and variances. Not negative but for rounding.
    ///
    /// - Parameters:
    ///   - one: means of one picture.
    ///   - other: means of the other.
    ///   - squares: means of the sum of both squares.
    ///   - differences: means of the squares of their difference.
    @inline(__always)
    static func structureLoss(
        _ one: SIMD4<Float>, _ other: SIMD4<Float>, _ squares: SIMD4<Float>, _ differences: SIMD4<Float>
    ) -> SIMD4<Float> {
        let means = one - other
        let shift = means * means
        let variances = squares - one * one - other * other + 0.0009
        return shift + (1 - shift) * ((differences - shift) / variances)
    }

    /// How much stronger edges are: positive for those that the original has not, negative for those that are gone.
    ///
    /// - Parameters:
    ///   - one: distances of the original from its means.
    ///   - other: those of the other picture.
    @inline(__always)
    static func edgeChange(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD4<Float> {
        (other - one) / (one + 1)
    }
}

/// Sums of differences, and of their fourth powers: each of structure, edges that came, edges that are gone.
package struct LookSums: Equatable, Sendable {
    package var plain = SIMD3<Double>()
    package var fourth = SIMD3<Double>()

    package init() {}

    package mutating func add(_ other: LookSums) {
        plain += other.plain
        fourth += other.fourth
    }
}

/// The same while they are added up, twice the differences in four lanes each.
struct LookVectorSums {
    private var (structure, came, gone) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    private var (structureFourth, cameFourth, goneFourth) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())

    /// - Parameters:
    ///   - loss: of structure.
    ///   - lossMagnitude: without its sign.
    ///   - edges: how they have changed.
    ///   - edgeMagnitude: without its sign.
    @inline(__always)
    mutating func add(
        _ loss: SIMD4<Float>, _ lossMagnitude: SIMD4<Float>, _ edges: SIMD4<Float>, _ edgeMagnitude: SIMD4<Float>
    ) {
        // Twice what is above zero.
        let (more, came, gone) = (lossMagnitude + loss, edgeMagnitude + edges, edgeMagnitude - edges)
        let (moreSquared, cameSquared, goneSquared) = (more * more, came * came, gone * gone)
        structure += more
        self.came += came
        self.gone += gone
        structureFourth += moreSquared * moreSquared
        cameFourth += cameSquared * cameSquared
        goneFourth += goneSquared * goneSquared
    }

    var total: LookSums {
        var sums = LookSums()
        sums.plain = SIMD3(Self.total(structure), Self.total(came), Self.total(gone)) * 0.5
        sums.fourth = SIMD3(Self.total(structureFourth), Self.total(cameFourth), Self.total(goneFourth)) * (1.0 / 16)
        return sums
    }

    private static func total(_ lanes: SIMD4<Float>) -> Double {
        Double(lanes.x) + Double(lanes.y) + Double(lanes.z) + Double(lanes.w)
    }
}
