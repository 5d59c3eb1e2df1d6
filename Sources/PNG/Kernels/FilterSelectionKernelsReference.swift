// The encoder's filters as the standard writes them: one byte after another, bounds-checked. Tests compare the
// fast kernels with these.

/// Filters one scanline.
///
/// - Parameters:
///   - row: the scanline, without its filter type byte.
///   - above: the scanline above, as long as `row`; all zero for the first one.
///   - distance: bytes of a pixel, at least 1.
/// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
package func applyFilterReference(
    _ filter: ScanlineFilter, _ row: [UInt8], above: [UInt8], distance: Int
) -> [UInt8] {
    row.indices.map { index in
        let a = index >= distance ? row[index - distance] : 0
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
        return row[index] &- prediction
    }
}

/// The sum of the absolute values of bytes taken as signed.
///
/// - Source: PNG 3rd ed. §12.7 "Filter selection".
package func absoluteSumReference(_ bytes: [UInt8]) -> Int {
    bytes.reduce(0) { $0 + abs(Int(Int8(bitPattern: $1))) }
}
