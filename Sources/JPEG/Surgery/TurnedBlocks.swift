// Blocks of a turned picture from those of the stored one.
//
// Mirroring a block changes the sign of its coefficients of odd frequency along that side; transposing it changes rows
// and columns.

import ImageCodecsCore
import JPEGBaselineCodec

/// Where each coefficient of a block comes from, and with which sign.
///
/// - Source: ITU-T T.81 (1992) §A.3.3 "FDCT and IDCT": cos((2(7 - x) + 1)uπ/16) is (-1)^u cos((2x + 1)uπ/16).
struct BlockTurn: Sendable {
    /// For each zig-zag position of the new block that of the old one.
    private let sources: [UInt8]
    /// For each zig-zag position -1 if the coefficient gets the other sign, else 0.
    private let signs: [Int16]

    /// - Parameters:
    ///   - transposes: whether rows become columns, before anything is mirrored.
    ///   - mirrorsColumns: whether left and right change places.
    ///   - mirrorsRows: whether top and bottom do.
    init(transposes: Bool, mirrorsColumns: Bool, mirrorsRows: Bool) {
        var positions = [UInt8](repeating: 0, count: 64)
        for (position, place) in ZigZagOrder.natural.enumerated() { positions[Int(place)] = UInt8(position) }
        sources = ZigZagOrder.natural.map { place in
            positions[transposes ? Int(place % 8 * 8 + place / 8) : Int(place)]
        }
        signs = ZigZagOrder.natural.map { place in
            let isOdd = (mirrorsColumns && place % 2 == 1) != (mirrorsRows && place / 8 % 2 == 1)
            return isOdd ? -1 : 0
        }
    }

    /// Turns a block.
    @inline(__always)
    func copy(_ source: Span<Int16>, to target: inout MutableSpan<Int16>, at start: Int) {
        for position in 0..<64 {
            let sign = signs[position]
            // Never the least number; see `CoefficientRange`.
            target[start + position] = (source[Int(sources[position])] ^ sign) &- sign
        }
    }
}

extension JPEGTransformation {
    /// A picture changed.
    ///
    /// - Parameter orientation: what EXIF says.
    /// - Returns: the new picture, and how it still has to be turned.
    /// - Throws: `invalidArgument` for what cannot be done without loss; `limitExceeded(.memory)`; as `work`.
    func apply(
        to picture: CoefficientPicture, orientation: Orientation, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> (CoefficientPicture, Orientation) {
        let (frame, model) = isGray ? (try picture.lumaGeometry(), .grayscale) : (picture.geometry, picture.colorModel)
        let plan = try plan(frame, stored: orientation)
        var coefficients: [QuantizedCoefficients] = []
        for (index, component) in plan.geometry.components.enumerated() {
            coefficients.append(
                try plan.blocks(of: picture.coefficients[index], component, meter: meter, &work))
        }
        let luma = picture.geometry.components[0].quantizationTable
        let tables = isGray ? [picture.quantizationTables[luma]] : picture.quantizationTables
        let result = CoefficientPicture(
            geometry: plan.geometry, colorModel: model, coefficients: coefficients,
            quantizationTables: tables.map { plan.orientation.swapsAxes ? $0.transposed : $0 })
        return (result, appliesOrientation ? .up : orientation)
    }
}

extension JPEGTransformation.Plan {
    /// The blocks of one component.
    ///
    /// - Parameter component: as the new frame has it.
    fileprivate func blocks(
        of source: QuantizedCoefficients, _ component: FrameGeometry.Component, meter: MemoryMeter?,
        _ work: inout WorkGuard
    ) throws(ImageError) -> QuantizedCoefficients {
        var result = try QuantizedCoefficients(
            widthInBlocks: component.paddedWidthInBlocks, heightInBlocks: component.paddedHeightInBlocks, meter: meter)
        let columns = BlockLine(
            first: firstColumn * component.horizontalSampling, mirrored: mirroredColumns * component.horizontalSampling)
        let rows = BlockLine(
            first: firstRow * component.verticalSampling, mirrored: mirroredRows * component.verticalSampling)
        let isSwapped = orientation.swapsAxes
        for row in 0..<component.heightInBlocks {
            try work.check()
            let y = rows.source(row)
            let turns = [false, true].map {
                BlockTurn(transposes: isSwapped, mirrorsColumns: $0, mirrorsRows: y.isMirrored)
            }
            let target = result.byteOffset(column: 0, row: row)..<result.byteOffset(column: 0, row: row + 1)
            result.values.withMutableBytes(target) { bytes in
                bytes.withNumbers(of: Int16.self) { blocks in
                    source.withBytes { bytes in
                        let stored = Span<Int16>(_bytes: bytes)
                        for column in 0..<component.widthInBlocks {
                            let x = columns.source(column)
                            let place = isSwapped ? (column: y.index, row: x.index) : (column: x.index, row: y.index)
                            let start = source.byteOffset(column: place.column, row: place.row) / 2
                            turns[x.isMirrored ? 1 : 0].copy(
                                stored.extracting(start..<start + 64), to: &blocks, at: column * 64)
                        }
                    }
                }
            }
        }
        DummyBlocks.fill(&result, component)
        return result
    }
}

/// Where the blocks of one side come from.
private struct BlockLine {
    /// The block of the turned picture that comes first.
    let first: Int
    /// Blocks of it that change places.
    let mirrored: Int

    /// The block of the stored picture, and whether it is mirrored.
    func source(_ index: Int) -> (index: Int, isMirrored: Bool) {
        let turned = first + index
        return turned < mirrored ? (mirrored - 1 - turned, true) : (turned, false)
    }
}

extension CoefficientPicture {
    /// The frame of luma alone.
    ///
    /// - Throws: `invalidArgument` if there is none, or if it has fewer samples than the picture.
    fileprivate func lumaGeometry() throws(ImageError) -> FrameGeometry {
        let luma = geometry.components[0]
        guard colorModel == .yCbCr || colorModel == .grayscale,
            luma.horizontalSampling == geometry.maximumHorizontalSampling,
            luma.verticalSampling == geometry.maximumVerticalSampling,
            let gray = FrameGeometry(
                size: geometry.size, components: [FrameGeometry.ComponentSpecification(luma, quantizationTable: 0)])
        else { throw .invalidArgument("a picture without luma of its own does not become gray without loss") }
        return gray
    }
}

extension QuantizationTable {
    /// Rows for columns.
    fileprivate var transposed: QuantizationTable {
        QuantizationTable(values: (0..<64).map { values[$0 % 8 * 8 + $0 / 8] })
    }
}
