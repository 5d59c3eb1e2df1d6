import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// What random coefficients look like.
enum CoefficientStyle: CaseIterable {
    /// DC coefficients that follow one another, and some small ones.
    case few
    /// Every coefficient is as large as it can be.
    case extreme
    /// Nearly all blocks are empty.
    case sparse
    /// Fewer and smaller ones the higher the frequency.
    case natural
    /// High frequencies alone: long runs of zeros.
    case high
    case empty
}

extension CoefficientPicture {
    private static let samplings: [(JPEGColorModel, [(Int, Int)])] = [
        (.grayscale, [(1, 1)]), (.yCbCr, [(1, 1), (1, 1), (1, 1)]), (.yCbCr, [(2, 1), (1, 1), (1, 1)]),
        (.yCbCr, [(2, 2), (1, 1), (1, 1)]), (.yCbCr, [(1, 2), (1, 1), (1, 1)]), (.yCbCr, [(4, 1), (1, 1), (1, 1)]),
        (.rgb, [(1, 1), (1, 1), (1, 1)]), (.cmyk, [(1, 1), (1, 1), (1, 1), (1, 1)]),
        (.ycck, [(2, 2), (1, 1), (1, 1), (2, 2)]),
    ]

    /// A picture in which every coefficient is zero.
    static func empty(_ geometry: FrameGeometry, _ model: JPEGColorModel) throws -> CoefficientPicture {
        CoefficientPicture(
            geometry: geometry, colorModel: model,
            coefficients: try geometry.components.map {
                try QuantizedCoefficients(
                    widthInBlocks: $0.paddedWidthInBlocks, heightInBlocks: $0.paddedHeightInBlocks, meter: nil)
            },
            quantizationTables: [1, 2].map { QuantizationTable(values: Array(repeating: $0, count: 64)) })
    }

    /// A picture of any size up to 60x50, sampling and style.
    static func random(_ random: inout SeededRandom) throws -> CoefficientPicture {
        let (model, factors) = samplings[Int.random(in: 0..<samplings.count, using: &random)]
        let size = PixelSize(width: .random(in: 1...60, using: &random), height: .random(in: 1...50, using: &random))
        let components = factors.enumerated().map { index, factor in
            FrameGeometry.ComponentSpecification(
                identifier: UInt8(index + 1), horizontalSampling: factor.0, verticalSampling: factor.1,
                quantizationTable: (model == .yCbCr || model == .ycck) && (1...2).contains(index) ? 1 : 0)
        }
        guard let geometry = FrameGeometry(size: size, components: components) else {
            throw ImageError.invalidArgument("no geometry")
        }
        var picture = try empty(geometry, model)
        picture.fill(&random, style: CoefficientStyle.allCases[Int.random(in: 0..<6, using: &random)])
        return picture
    }

    /// Sets every block.
    mutating func fill(_ random: inout SeededRandom, style: CoefficientStyle) {
        for component in coefficients.indices {
            var dc: Int16 = 0
            coefficients[component].values.withMutableBytes { bytes in
                bytes.withNumbers(of: Int16.self) { values in
                    for block in 0..<values.count / 64 {
                        dc = max(-1024, min(1016, dc + .random(in: -30...30, using: &random)))
                        for position in 0..<64 {
                            values[block * 64 + position] = Self.value(&random, style, position, block, dc: dc)
                        }
                    }
                }
            }
        }
    }

    private static func value(
        _ random: inout SeededRandom, _ style: CoefficientStyle, _ position: Int, _ block: Int, dc: Int16
    ) -> Int16 {
        switch style {
        case .few:
            position == 0
                ? dc : Int.random(in: 0...position / 2, using: &random) == 0 ? .random(in: -4...4, using: &random) : 0
        case .extreme: (block + position) % 3 == 0 ? (position == 0 ? -1024 : -1023) : 1016
        case .sparse:
            position == 0 ? dc : Int.random(in: 0...999, using: &random) == 0 ? .random(in: -1...1, using: &random) : 0
        case .natural: position == 0 ? dc : natural(&random, position)
        case .high: position == 0 ? 0 : position > 50 ? .random(in: -300...300, using: &random) : 0
        case .empty: 0
        }
    }

    /// Each step away from zero is as likely as the last, and less likely at high frequencies.
    private static func natural(_ random: inout SeededRandom, _ position: Int) -> Int16 {
        var magnitude: Int16 = 0
        while magnitude < 500, Int.random(in: 0..<100, using: &random) < 93 - position { magnitude += 1 }
        return Bool.random(using: &random) ? magnitude : -magnitude
    }

    /// A block in natural order.
    func block(_ component: Int, column: Int, row: Int) -> [Int16] {
        let start = coefficients[component].byteOffset(column: column, row: row)
        var result = [Int16](repeating: 0, count: 64)
        coefficients[component].values.withBytes { bytes in
            for position in 0..<64 {
                result[Int(ZigZagOrder.natural[position])] = Int16(
                    bitPattern: bytes.nativeUInt16(at: start + 2 * position))
            }
        }
        return result
    }

    /// MCUs of the longest scan, of one component, times the number of scans there may be.
    var mcuCount: Int { Int(geometry.paddedBlockCount) * 10 }
}
