// Which scans a progressive file has, and in which order.

import JPEGBaselineCodec

/// How the AC coefficients of one component are divided among scans.
///
/// More bands cost tables and runs of their own, and make each table fit its band better: they pay for many
/// coefficients, so at high qualities. Leaving bits for refinement scans pays at the highest.
package struct BandDivision: Hashable, Sendable {
    /// Bands in ascending order, together 1...63.
    package let bands: [ClosedRange<Int>]
    /// Bits left out of the first scans; each comes in a refinement scan of all bands.
    package let low: Int

    private init(_ bands: [ClosedRange<Int>], low: Int = 0) {
        self.bands = bands
        self.low = low
    }

    /// One scan.
    package static let whole = BandDivision([1...63])
    /// The lowest frequencies apart.
    package static let two = BandDivision([1...2, 3...63])
    /// The lowest frequencies apart, and the highest.
    package static let three = BandDivision([1...2, 3...9, 10...63])
    /// Two bands, then one bit of both.
    package static let twoRefined = BandDivision([1...2, 3...63], low: 1)
    /// Three bands, then one bit of all.
    package static let threeRefined = BandDivision([1...2, 3...9, 10...63], low: 1)
    /// Two bands, then two bits of both, one after the other.
    package static let twoTwiceRefined = BandDivision([1...2, 3...63], low: 2)

    /// What the smallest file is looked for among.
    package static let all: [BandDivision] = [.whole, .two, .three, .twoRefined, .threeRefined, .twoTwiceRefined]

    /// What files are searched for that were coded before, at any quality: bands from few to many, bits left out from none to three.
    static let grid: [BandDivision] = (0...3).flatMap { low in
        [[1...63], [1...2, 3...63], [1...5, 6...63], [1...8, 9...63], [1...2, 3...9, 10...63]].map {
            BandDivision($0, low: low)
        }
    }

    /// The scans of a component's AC coefficients.
    package func scans(ofComponent component: Int) -> [ScanSpecification] {
        bands.map { .acFirst(component, $0, low: low) }
            + (0..<low).reversed().map { .acRefinement(component, 1...63, low: $0) }
    }
}

/// The scans of a progressive file.
///
///     DC of luma; DC of both chroma components
///     AC of luma, in the bands of its division
///     AC of Cb; AC of Cr
///
/// DC coefficients come whole: with a bit left for later, files are up to 6 % larger.
///
/// - Source: ITU-T T.81 (1992) §G.1.1.1.1 "Spectral selection control", §G.1.1.1.2 "Successive approximation control" for
///   what is allowed; the order and the bands by measurement.
package struct ProgressiveScript: Hashable, Sendable {
    package let scans: [ScanSpecification]

    /// - Parameter divisions: one for each component.
    package init(_ picture: CoefficientPicture, divisions: [BandDivision]) {
        precondition(divisions.count == picture.geometry.components.count)
        scans =
            Self.dcScans(picture)
            + divisions.enumerated().flatMap { component, division in division.scans(ofComponent: component) }
    }

    /// The divisions for few coefficients: two bands of luma, all of chroma at once.
    package static func coarse(_ picture: CoefficientPicture) -> [BandDivision] {
        picture.lumaLike.map { $0 ? .two : .whole }
    }

    /// The divisions for many coefficients: three bands of luma, two of chroma.
    package static func fine(_ picture: CoefficientPicture) -> [BandDivision] {
        picture.lumaLike.map { $0 ? .three : .two }
    }

    /// Components that share a table have one scan, if an MCU of theirs is not too large.
    private static func dcScans(_ picture: CoefficientPicture) -> [ScanSpecification] {
        [0, 1].flatMap { table in
            let components = picture.geometry.components.indices.filter {
                picture.huffmanTable(ofComponent: $0) == table
            }
            return picture.interleavable(components).map { ScanSpecification.dcFirst($0) }
        }
    }
}

extension CoefficientPicture {
    /// Of each component, whether it has the table of the first.
    fileprivate var lumaLike: [Bool] {
        geometry.components.indices.map { huffmanTable(ofComponent: $0) == huffmanTable(ofComponent: 0) }
    }

    /// Components of one scan; one scan for each if an MCU of all had too many blocks. None for none.
    func interleavable(_ components: [Int]) -> [[Int]] {
        guard components.count > 1 else { return components.isEmpty ? [] : [components] }
        let blocks = ScanGeometry(components: components, in: geometry).blocksPerMCU
        return blocks <= ScanGeometry.maximumBlocksPerMCU ? [components] : components.map { [$0] }
    }
}

/// How a progressive file's script is found.
package enum ProgressiveScriptChoice: Hashable, Sendable {
    /// ``ProgressiveScript/coarse(_:)``.
    case coarse
    /// ``ProgressiveScript/fine(_:)``.
    case fine
    /// The same division of every component.
    case uniform(BandDivision)
    /// The smaller of the first two for each component, by counting symbols; of large pictures, those of some rows.
    case smallerOfTwo
    /// The smallest of ``BandDivision/all`` for each component, by counting symbols; of large pictures, those of some rows.
    case smallest
    /// The smallest of ``BandDivision/grid`` for each component, by counting the symbols of about this many of its blocks, in rows all over
    /// the picture.
    case sampled(blockCount: Int)

    /// The better of the first two by the quality number: the coefficients are too few for finer bands below 0.55.
    ///
    /// - Parameter quality: 0...1.
    package static func usual(quality: Double) -> ProgressiveScriptChoice { quality < 0.55 ? .coarse : .fine }
}
