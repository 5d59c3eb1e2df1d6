import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct RecipeEncoderTests {
    /// A picture with smooth and busy parts and saturated edges.
    private func row(_ y: Int, width: Int, _ layout: FineColorLayout) -> [UInt8] {
        (0..<width).flatMap { x -> [UInt8] in
            let (r, g, b) = (UInt8((x * 3 + y) & 255), UInt8((y * 5) & 255), UInt8((x / 6 + y / 5) % 2 == 0 ? 255 : 20))
            return switch layout {
            case .gray: [g]
            case .rgb: [r, g, b]
            case .rgbx: [r, g, b, 0]
            case .bgrx: [b, g, r, 255]
            }
        }
    }

    private func encode(
        width: Int, height: Int, layout: FineColorLayout, subsampling: JPEGSubsampling, scale: Double = 0.3,
        steps: RecipeSteps = .all, meter: MemoryMeter? = nil
    ) throws -> RecipeEncoder.Output {
        var encoder = try RecipeEncoder(
            size: PixelSize(width: width, height: height), layout: layout, scale: scale, subsampling: subsampling,
            steps: steps, meter: meter)
        for y in 0..<height {
            try row(y, width: width, layout).withRawSpan { (row) throws in try encoder.write(row, work: .unlimited) }
        }
        return try encoder.finish(work: .unlimited)
    }

    private func block(_ coefficients: QuantizedCoefficients, _ column: Int, _ row: Int) -> [Int16] {
        coefficients.values.withBytes { bytes in
            (0..<64).map { index in
                Int16(
                    bitPattern: bytes.nativeUInt16(
                        at: coefficients.byteOffset(column: column, row: row) + 2 * index))
            }
        }
    }

    @Test(arguments: JPEGSubsampling.allCases, [(1, 1), (1, 40), (40, 1), (17, 33), (64, 48), (100, 70)])
    func gridsAreThoseOfTheFrame(subsampling: JPEGSubsampling, size: (Int, Int)) throws {
        let output = try encode(width: size.0, height: size.1, layout: .rgb, subsampling: subsampling)
        #expect(output.coefficients.count == 3)
        for (coefficients, component) in zip(output.coefficients, output.frame.geometry.components) {
            #expect(coefficients.widthInBlocks == component.paddedWidthInBlocks)
            #expect(coefficients.heightInBlocks == component.paddedHeightInBlocks)
        }
    }

    @Test(arguments: JPEGSubsampling.allCases) func layoutsOfTheSameColoursGiveTheSame(subsampling: JPEGSubsampling)
        throws
    {
        let results = try [FineColorLayout.rgb, .rgbx, .bgrx].map { layout in
            try encode(width: 50, height: 40, layout: layout, subsampling: subsampling).coefficients.map {
                $0.values.withBytes { $0.copiedBytes() }
            }
        }
        #expect(results[0] == results[1])
        #expect(results[0] == results[2])
    }

    /// Every coefficient of a flat picture but DC is zero, and DC is the level.
    @Test(arguments: JPEGSubsampling.allCases) func flatPictureHasItsLevelAlone(subsampling: JPEGSubsampling) throws {
        var encoder = try RecipeEncoder(
            size: PixelSize(width: 40, height: 30), layout: .rgb, scale: 0.1, subsampling: subsampling, meter: nil)
        let row = [UInt8](repeating: 200, count: 120)
        for _ in 0..<30 { try row.withRawSpan { (row) throws in try encoder.write(row, work: .unlimited) } }
        let output = try encoder.finish(work: .unlimited)
        for component in 0..<3 {
            let step = Int(output.frame.quantizationTable(component).values[0])
            let level = component == 0 ? (8 * (200 - 128) + step / 2) / step : 0
            let coefficients = output.coefficients[component]
            for row in 0..<coefficients.heightInBlocks {
                for column in 0..<coefficients.widthInBlocks {
                    #expect(block(coefficients, column, row) == [Int16(level)] + [Int16](repeating: 0, count: 63))
                }
            }
        }
    }

    /// Luma of the whole picture, by the inverse transform, against the source.
    @Test(arguments: [JPEGSubsampling.yCbCr444, .yCbCr420, .yCbCr422]) func lumaComesBack(subsampling: JPEGSubsampling)
        throws
    {
        let (width, height) = (75, 45)
        let output = try encode(
            width: width, height: height, layout: .rgb, subsampling: subsampling, scale: 0.05, steps: [.chromaFit])
        let steps = output.frame.quantizationTable(0).values
        var worst = 0.0
        for blockRow in 0..<6 {
            for column in 0..<10 {
                let levels = block(output.coefficients[0], column, blockRow)
                var coefficients = [Int16](repeating: 0, count: 64)
                for index in 0..<64 {
                    let natural = Int(ZigZagOrder.natural[index])
                    coefficients[natural % 8 * 8 + natural / 8] = levels[index] * Int16(steps[natural]) * 8
                }
                let samples = BlockTransformReference.inverse(coefficients)
                for y in 0..<8 where 8 * blockRow + y < height {
                    let source = row(8 * blockRow + y, width: width, .rgb)
                    for x in 0..<8 where 8 * column + x < width {
                        let pixel = source[3 * (8 * column + x)..<3 * (8 * column + x) + 3].map(Double.init)
                        let luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                        worst = max(worst, abs(Double(samples[8 * y + x]) / 16 + 128 - luma))
                    }
                }
            }
        }
        #expect(worst < 6)
    }

    @Test func blocksBeyondThePictureCostNothing() throws {
        let output = try encode(width: 17, height: 17, layout: .rgb, subsampling: .yCbCr420)
        let luma = output.coefficients[0]
        let zeros = [Int16](repeating: 0, count: 63)
        #expect(luma.widthInBlocks == 4 && luma.heightInBlocks == 4)
        for row in 0..<3 { #expect(block(luma, 3, row) == [block(luma, 2, row)[0]] + zeros) }
        for column in 0..<4 { #expect(block(luma, column, 3) == [block(luma, column / 2 * 2 + 1, 2)[0]] + zeros) }
    }

    @Test(arguments: JPEGSubsampling.allCases) func memoryStaysWithinTheEstimate(subsampling: JPEGSubsampling) throws {
        let meter = MemoryMeter()
        let output = try encode(width: 300, height: 200, layout: .rgb, subsampling: subsampling, meter: meter)
        #expect(meter.peak <= RecipeEncoder.byteCount(output.frame.geometry))
        #expect(meter.peak > 300 * 200 * 2)
    }

    @Test func surveyChoosesFullChromaForSharpColoursAlone() throws {
        func choice(scale: Double, _ pixel: (Int, Int) -> [UInt8]) throws -> JPEGSubsampling {
            var survey = try SubsamplingSurvey(size: PixelSize(width: 60, height: 40), layout: .rgb, meter: nil)
            for y in 0..<40 { (0..<60).flatMap { pixel($0, y) }.withRawSpan { survey.survey($0) } }
            return survey.choice(scale: scale)
        }
        let text: (Int, Int) -> [UInt8] = { x, y in x % 12 == 3 && y % 2 == 0 ? [255, 0, 0] : [255, 255, 255] }
        #expect(try choice(scale: 0.2, text) == .yCbCr444)
        #expect(try choice(scale: 5, text) == .yCbCr420)
        #expect(try choice(scale: 0.1) { x, y in [UInt8(2 * x), UInt8(2 * y), 100] } == .yCbCr420)
    }

    @Test func surveyOfALowPictureRepeatsItsLastRow() throws {
        var survey = try SubsamplingSurvey(size: PixelSize(width: 60, height: 2), layout: .rgb, meter: nil)
        for _ in 0..<2 {
            (0..<60).flatMap { $0 % 6 == 3 ? [0, 0, 255] : [255, 255, 255] as [UInt8] }.withRawSpan {
                survey.survey($0)
            }
        }
        #expect(survey.choice(scale: 0.1) == .yCbCr444)
        #expect(survey.error > 10)
    }
}
