import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct RecipeTableTests {
    @Test func firstRowsOfTheTablesAreThoseOfTheFormula() {
        let tables = FittedTables(scale: 0.5, chroma: .subsampled)
        #expect(tables.luma.values.prefix(8) == [5, 10, 14, 17, 21, 24, 27, 30])
        #expect(tables.chroma.values.prefix(8) == [2, 9, 14, 20, 26, 33, 39, 46])
        // Symmetric.
        for place in 0..<64 { #expect(tables.luma.values[place] == tables.luma.values[place % 8 * 8 + place / 8]) }
    }

    @Test func chromaWithoutSubsamplingHasCoarserSteps() {
        let (full, half) = (
            FittedTables(scale: 0.5, chroma: .full).chroma.values,
            FittedTables(scale: 0.5, chroma: .subsampled).chroma.values
        )
        #expect(zip(full, half).allSatisfy { $0 > $1 })
    }

    @Test(arguments: [false, true]) func betterQualityNeverHasCoarserLuma(isGray: Bool) {
        var previous = [UInt16](repeating: 255, count: 64)
        for number in 0...100 {
            let scale = QualityScale.scale(Double(number), isGray: isGray)
            let luma = FittedTables(scale: scale, chroma: isGray ? .none : .subsampled).luma.values
            #expect(zip(luma, previous).allSatisfy { $0 <= $1 })
            previous = luma
        }
        #expect(previous.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [FittedTables.Chroma.full, .subsampled])
    func chromaHasNoStepAboveOneAtTheBestQuality(_ chroma: FittedTables.Chroma) {
        let best = FittedTables(scale: QualityScale.scale(100, isGray: false), chroma: chroma).chroma
        #expect(best.values.allSatisfy { $0 == 1 })
        // The standard's largest step at 92 is 16.
        let good = FittedTables(scale: QualityScale.scale(92, isGray: false), chroma: chroma).chroma
        #expect(good.values.allSatisfy { $0 <= 20 })
    }

    @Test func qualityBeyondTheEndsIsThatOfTheEnds() {
        #expect(QualityScale.scale(-1, isGray: false) == QualityScale.scale(0, isGray: false))
        #expect(QualityScale.scale(101, isGray: true) == QualityScale.scale(100, isGray: true))
        #expect(abs(QualityScale.scale(75, isGray: false) - 0.352) < 1e-9)
    }

    /// The kernels' two products and a rounding against a division.
    @Test func reciprocalsDivideWithinAnEighth() {
        for step in 1...255 {
            let table = QuantizationTable(values: [UInt16](repeating: UInt16(step), count: 64))
            let numbers = DeadZone(table, DeadZone.none).numbers
            let reciprocal = Int(UInt16(bitPattern: numbers[DeadZone.Group.reciprocal]))
            let rounding = Int(numbers[DeadZone.Group.rounding])
            let factor = Int(numbers[DeadZone.Group.factor])
            for magnitude in stride(from: 0, through: 16384, by: 7) {
                let level = ((((magnitude * reciprocal) >> 16) + rounding) * factor) >> 16
                let exact = Double(magnitude) / Double(16 * step)
                #expect(abs(Double(level) - exact) <= 0.64)
            }
        }
    }

    @Test func deadZonesLieAboveHalfAStep() {
        let luma = FittedTables(scale: 1, chroma: .subsampled).luma
        let numbers = DeadZone(luma, DeadZone.luma).numbers
        #expect(numbers[DeadZone.Group.threshold] == 0)
        for place in 1..<64 {
            let step = Double(numbers[DeadZone.Group.step + place])
            let threshold = Double(numbers[DeadZone.Group.threshold + place]) / 16
            #expect(threshold > 0.5 * step && threshold < 0.7 * step)
        }
    }
}
