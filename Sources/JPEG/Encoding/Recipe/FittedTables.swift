// The quantisation tables of the default effort: one formula, fitted so that files of equal score are smallest.
//
// In: the scale that a quality number stands for. Out: two tables of 64 divisors, 1...255.

import ImageCodecsCore
package import JPEGBaselineCodec

/// A family of quantisation tables, fitted to the score of SSIMULACRA 2.
///
/// With the frequency `f = sqrt(u² + v²) / 7` and the scale `z`
///
///     q(u,v) = base (1 + a f^p) (1 + x min(u,v) / 7) z (z / 0.5)^(g f)
///     q(0,0) = base dc z
///
/// and no step of chroma is above ``mostOfChroma(scale:)``.
///
/// In words: half the first AC coefficient's step for DC, then steps that grow nearly linearly with the frequency. Chroma
/// gets coarser faster than luma as quality falls, except its high frequencies, which hardly change.
package struct FittedTables: Hashable, Sendable {
    /// The numbers of the formula.
    package struct Shape: Hashable, Sendable {
        package var base: Double
        package var a: Double
        package var p: Double
        package var dc: Double
        package var x: Double
        package var g: Double

        package init(base: Double, a: Double, p: Double, dc: Double, x: Double, g: Double) {
            (self.base, self.a, self.p, self.dc, self.x, self.g) = (base, a, p, dc, x, g)
        }

        /// Steps in natural order at a scale, none of them above `most`.
        package func table(_ z: Double, most: Double = 255) -> QuantizationTable {
            var values = [UInt16](repeating: Self.step(base * dc * z), count: 64)
            for row in 1..<8 {
                for column in 0...row {
                    let (u, v) = (Double(column), Double(row))
                    let f = (u * u + v * v).squareRoot() / 7
                    let slope = ReproduciblePowers.power(z / 0.5, g * f)
                    let shape = (1 + a * ReproduciblePowers.power(f, p)) * (1 + x * u / 7)
                    let step = Self.step(min(base * shape * z * slope, most))
                    // The formula does not tell rows from columns.
                    (values[8 * row + column], values[8 * column + row]) = (step, step)
                }
            }
            return QuantizationTable(values: values)
        }

        private static func step(_ value: Double) -> UInt16 { UInt16(min(max(value.rounded(), 1), 255)) }
    }

    /// Which numbers for colour: those of `effort: .default`, or those that go with a trellis, under which finer DC coefficients of
    /// luma and coarser chroma pay.
    package enum Fit: Hashable, Sendable { case deadZone, trellis }

    package static let lumaShape = Shape(base: 10, a: 5, p: 0.84, dc: 1.06, x: 0.57, g: 0.23)
    /// Luma of pictures without chroma: fitted to gray pictures alone.
    package static let grayShape = Shape(base: 10, a: 7.3, p: 0.94, dc: 1.16, x: 0.57, g: 0.35)
    package static let chromaShape = Shape(base: 9.4, a: 8.8, p: 1.18, dc: 0.5, x: 0, g: -0.68)
    /// With a trellis: fitted to MS-SSIM and butteraugli as well, which want luma to be finer and chroma to be coarser.
    package static let trellisLumaShape = Shape(base: 10.8, a: 4.2, p: 0.92, dc: 0.95, x: 0.57, g: 0.23)
    package static let trellisChromaShape = Shape(base: 10.6, a: 8.8, p: 1.18, dc: 0.8, x: 0, g: -0.68)

    /// The largest step of chroma. The formula hardly lowers the highest frequencies as quality rises; this does: it follows the
    /// largest step of the standard's table at the same quality, within a tenth for 75...95, and ends with steps of 1 at 100.
    package static func mostOfChroma(scale: Double) -> Double { 200 * ReproduciblePowers.power(scale, 1.34) }

    /// How many samples of chroma a picture has.
    package enum Chroma: Sendable { case none, full, subsampled }

    package let luma: QuantizationTable
    package let chroma: QuantizationTable

    package init(luma: QuantizationTable, chroma: QuantizationTable) { (self.luma, self.chroma) = (luma, chroma) }

    /// - Parameters:
    ///   - scale: 0.01...10; half as much halves the steps of luma.
    ///   - chroma: If chroma has as many samples as luma, its steps are twice as large.
    package init(scale: Double, chroma use: Chroma, fit: Fit = .deadZone) {
        let (lumaShape, chromaShape) =
            switch fit {
            case .deadZone: (Self.lumaShape, Self.chromaShape)
            case .trellis: (Self.trellisLumaShape, Self.trellisChromaShape)
            }
        luma = (use == .none ? Self.grayShape : lumaShape).table(scale)
        let z = scale * ReproduciblePowers.power(scale / 0.5, 0.56)
        chroma = chromaShape.table(use == .full ? 2 * z : z, most: Self.mostOfChroma(scale: scale))
    }
}
