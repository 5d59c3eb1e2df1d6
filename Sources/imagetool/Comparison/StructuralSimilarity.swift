// Structural similarity of two pictures: how alike they look in small squares.

import ImageCodecs

/// The mean of the similarity in squares of 8 x 8 pixels, four apart, of luma laid over black.
///
/// - Source: Wang, Bovik, Sheikh, Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity" (2004),
///   formula 13, with plain squares in place of a Gaussian window.
enum StructuralSimilarity {
    private static let side = 8
    private static let step = 4
    /// (0.01 * 255)² and (0.03 * 255)².
    private static let (c1, c2) = (6.5025, 58.5225)

    /// - Parameters:
    ///   - first: a picture.
    ///   - second: another of its size.
    static func mean(_ first: Bitmap, _ second: Bitmap) throws(ImageError) -> Double {
        let (first, second) = (try luma(of: first), try luma(of: second))
        let size = first.size
        let (width, height) = (min(side, size.width), min(side, size.height))
        guard width > 0, height > 0 else { return 1 }
        let guarded = WorkGuard.unlimited
        var (sum, count) = (0.0, 0)
        for y in stride(from: 0, through: size.height - height, by: step) {
            try guarded.check()
            // Sums of each column of the rows y ..< y + height.
            var columns = [Sums](repeating: Sums(), count: size.width)
            for row in y..<y + height {
                first.withRow(row) { one in
                    second.withRow(row) { other in
                        for x in 0..<size.width { columns[x].add(Int(one[x]), Int(other[x])) }
                    }
                }
            }
            for x in stride(from: 0, through: size.width - width, by: step) {
                var square = Sums()
                for column in x..<x + width { square.add(columns[column]) }
                sum += square.similarity(width * height, c1, c2)
                count += 1
            }
        }
        return sum / Double(count)
    }

    private static func luma(of bitmap: Bitmap) throws(ImageError) -> Bitmap {
        try bitmap.flattened(onto: SIMD3(0, 0, 0)).converted(to: .gray)
    }

    /// Sums over some pixels of two pictures.
    private struct Sums {
        private var (one, other, oneSquared, otherSquared, product) = (0, 0, 0, 0, 0)

        mutating func add(_ a: Int, _ b: Int) {
            one += a
            other += b
            oneSquared += a * a
            otherSquared += b * b
            product += a * b
        }

        mutating func add(_ sums: Sums) {
            one += sums.one
            other += sums.other
            oneSquared += sums.oneSquared
            otherSquared += sums.otherSquared
            product += sums.product
        }

        func similarity(_ count: Int, _ c1: Double, _ c2: Double) -> Double {
            let n = Double(count)
            let (meanOne, meanOther) = (Double(one) / n, Double(other) / n)
            let varianceOne = Double(oneSquared) / n - meanOne * meanOne
            let varianceOther = Double(otherSquared) / n - meanOther * meanOther
            let covariance = Double(product) / n - meanOne * meanOther
            return (2 * meanOne * meanOther + c1) * (2 * covariance + c2)
                / ((meanOne * meanOne + meanOther * meanOther + c1) * (varianceOne + varianceOther + c2))
        }
    }
}
