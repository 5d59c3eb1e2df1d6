// The filters as the standard writes them: one byte after another, bounds-checked. Tests compare the fast
// kernels with these.

/// Undoes a filter on one scanline.
///
/// - Parameters:
///   - row: the filtered bytes, without the filter type byte.
///   - above: the reconstructed scanline above, as long as `row`.
///   - distance: bytes of a pixel, at least 1.
/// - Returns: the reconstructed bytes.
/// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
package func undoFilterReference(_ filter: ScanlineFilter, _ row: [UInt8], above: [UInt8], distance: Int) -> [UInt8] {
    var result = row
    for index in row.indices {
        let a = index >= distance ? result[index - distance] : 0
        let b = above[index]
        let c = index >= distance ? above[index - distance] : 0
        let prediction: UInt8 =
            switch filter {
            case .none: 0
            case .sub: a
            case .up: b
            case .average: UInt8((Int(a) + Int(b)) / 2)
            case .paeth: paethReference(a, b, c)
            }
        result[index] = row[index] &+ prediction
    }
    return result
}

/// The Paeth predictor: of `a` (left), `b` (above) and `c` (above left) the one nearest to `a + b - c`.
///
/// - Source: PNG 3rd ed. §9.4 "Filter type 4: Paeth".
package func paethReference(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> UInt8 {
    let p = Int(a) + Int(b) - Int(c)
    let pa = abs(p - Int(a))
    let pb = abs(p - Int(b))
    let pc = abs(p - Int(c))
    if pa <= pb && pa <= pc { return a }
    return pb <= pc ? b : c
}
