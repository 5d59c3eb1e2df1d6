// Numbers of light, from a table: what powers would take a hundred times as long for.

/// The numbers of one space for light from 0 to 1.
///
/// Between two entries numbers lie on a straight line, less than 2^-19 beside the curve; below 1/64, where the curve may be steep, it is
/// asked itself.
struct LightTable: Sendable {
    /// What light 1 is in the table.
    private static let one = 1 << 12
    private let curve: ParametricCurve
    /// Numbers at 0, 1 / `one` and so on to 1, and one more.
    private let numbers: [Float]
    /// Numbers of light from 0 to 2^14, as bytes.
    let bytes: [UInt8]
    /// The same from -4 to 4, without 4.
    let wideBytes: [UInt8]

    init(_ curve: ParametricCurve) {
        self.curve = curve
        let numbers = (0..<Self.one + 2).map { Float(Self.number(Double(min($0, Self.one)) / Double(Self.one), curve)) }
        self.numbers = numbers
        let entryCount = GridColorTables.numberCount
        let bytes = (0..<entryCount).map {
            UInt8((Self.number(Double($0) / Double(entryCount - 1), curve, numbers) * 255).rounded())
        }
        self.bytes = bytes
        let middle = MatrixColorTables.numberCount / 2
        wideBytes =
            Array(repeating: bytes[0], count: middle) + bytes
            + Array(repeating: bytes[entryCount - 1], count: middle - entryCount)
    }

    /// The number of a light: 0 below 0 and for what is not a number, 1 above 1.
    func number(_ light: Double) -> Double { Self.number(light, curve, numbers) }

    private static func number(_ light: Double, _ curve: ParametricCurve, _ numbers: [Float]) -> Double {
        guard light > 0 else { return 0 }
        guard light > 1.0 / 64 else { return number(light, curve) }
        let place = min(1, light) * Double(one)
        let index = Int(place)
        let low = Double(numbers[index])
        return low + (Double(numbers[index + 1]) - low) * (place - Double(index))
    }

    private static func number(_ light: Double, _ curve: ParametricCurve) -> Double {
        min(1, max(0, curve.inverse(light)))
    }
}
