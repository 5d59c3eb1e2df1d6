// Pixels of sixteen bits: curves from tables, the matrix and the last curve in floating point.

import ImageCodecsCore

/// Converts pixels of sixteen bits; those of profiles with tables by the mapping itself.
struct WideColors {
    private let mapping: ColorMapping
    /// Light of each number of red, green and blue; empty for profiles with tables.
    private let light: [[Float]]
    private let linear: (matrix: Matrix3, offset: SIMD4<Double>)

    /// Bytes of the tables at most.
    static let byteCount = 3 * 65536 * 4

    init(_ mapping: ColorMapping) {
        self.mapping = mapping
        linear = mapping.linearLight
        guard case .matrix(let curves, _) = mapping.source.model else {
            light = []
            return
        }
        func table(_ curve: ToneCurve) -> [Float] { (0..<65536).map { Float(curve(Double($0) / 65535)) } }
        let red = table(curves[0])
        light = [red] + curves[1...].map { $0 == curves[0] ? red : table($0) }
    }

    /// Converts red, green, blue and alpha in place.
    func convert(_ row: inout MutableSpan<UInt16>) {
        for at in stride(from: 0, to: row.count - 3, by: 4) {
            let (red, green, blue) = (row[at], row[at + 1], row[at + 2])
            let result: SIMD4<Double>
            if light.isEmpty {
                result = mapping(SIMD4(Double(red), Double(green), Double(blue), 0) / 65535) * 65535
            } else {
                let sum = SIMD4(
                    Double(light[0][Int(red)]), Double(light[1][Int(green)]), Double(light[2][Int(blue)]), 0)
                result = mapping.numbers(linear.matrix * sum + linear.offset) * 65535
            }
            row[at] = UInt16(result.x.rounded())
            row[at + 1] = UInt16(result.y.rounded())
            row[at + 2] = UInt16(result.z.rounded())
        }
    }
}
