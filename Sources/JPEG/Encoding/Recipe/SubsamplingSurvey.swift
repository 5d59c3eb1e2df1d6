// 4:4:4 or 4:2:0 by rule: how much of a picture's chroma half the size would lose.
//
// In: the rows of a picture, before it is encoded. Out: the subsampling for a scale of the tables.

package import ImageCodecsCore
package import ImageEncoding
import JPEGBaselineCodec

/// Measures what 4:2:0 costs in chroma on some rows of the picture.
///
/// `e` is the mean over pixels of the squared errors of Cb and Cr, summed, after ``ChromaFit`` and the decoder's upsampling.
/// With chroma that is fitted and luma that is repaired, 4:4:4 pays only where quantisation loses much less than that:
///
///     screenshots       e > 25 s²
///     other pictures    e > 300 s² and s < 0.15
///
/// `s` being the scale of ``FittedTables``. A screenshot has flat areas: 7 of 10 pixels are as bright as their neighbour.
/// Of every 64 rows, 15 are looked at and four in their middle are compared; where those 15 lie differs from one 64 to the
/// next, so that a page of text does not always show the same part of its lines.
package struct SubsamplingSurvey: Sendable {
    private let size: PixelSize
    private let layout: FineColorLayout
    private let plan: RecipeWorkspace
    private var workspace: ScratchBuffer
    private var rowCount = 0
    /// In sixteenths of squared levels.
    private var squaredError = 0
    private var sampleCount = 0
    private var equalCount = 0

    /// Rows of a period, and those that are looked at.
    private static let period = 64
    private static let bandHeight = 15

    /// - Parameters:
    ///   - size: Of the picture: sides of 1...65535.
    ///   - layout: Of the rows.
    /// - Throws: `limitExceeded(.memory)`.
    package init(size: PixelSize, layout: FineColorLayout, meter: MemoryMeter?) throws(ImageError) {
        self.size = size
        self.layout = layout
        guard let plan = Self.plan(size) else { preconditionFailure("sides outside 1...65535") }
        self.plan = plan
        workspace = try ScratchBuffer(byteCount: plan.byteCount, filledWith: 0, meter: meter)
    }

    private static func plan(_ size: PixelSize) -> RecipeWorkspace? {
        let components = [2, 1, 1].map {
            FrameGeometry.ComponentSpecification(
                identifier: 1, horizontalSampling: $0, verticalSampling: $0, quantizationTable: 0)
        }
        return FrameGeometry(size: size, components: components).map { RecipeWorkspace($0, isFitted: true) }
    }

    /// Bytes that a survey holds. Saturates.
    package static func byteCount(size: PixelSize) -> Int { plan(size)?.byteCount ?? .max }

    /// Looks at the next row.
    package mutating func survey(_ row: RawSpan) {
        let band = rowCount / Self.period
        let place = rowCount - Self.period * band - band * 37 % 50
        rowCount += 1
        guard layout != .gray, (0..<Self.bandHeight).contains(place) else { return }
        let offsets = (plan.source[0].offset(place), plan.source[1].offset(place), plan.source[2].offset(place))
        let padded = plan.paddedWidth + RowWindow.margin
        let (layout, size) = (layout, size)
        workspace.withMutableBytes { workspace in
            FineColorKernels.convert(
                row, layout: layout, width: size.width, luma: offsets.0, cb: offsets.1, cr: offsets.2, into: &workspace)
            workspace.extendWords(offsets.1, from: size.width, to: padded)
            workspace.extendWords(offsets.2, from: size.width, to: padded)
        }
        if place == Self.bandHeight - 1 { measure() }
    }

    /// The subsampling for a scale.
    package mutating func choice(scale: Double) -> JPEGSubsampling {
        if sampleCount == 0, rowCount > 0, layout != .gray { fillBand() }
        let isScreenshot = Double(equalCount) > 0.7 * Double(sampleCount)
        let isLost = isScreenshot ? error > 25 * scale * scale : error > 300 * scale * scale && scale < 0.15
        return isLost ? .yCbCr444 : .yCbCr420
    }

    /// Mean over the pixels looked at of the squared errors of Cb and Cr, summed.
    package var error: Double { Double(squaredError) / 16 / Double(max(sampleCount, 1)) }

    /// A picture lower than a band: its last row is repeated.
    private mutating func fillBand() {
        for place in min(rowCount, Self.bandHeight - 1)..<Self.bandHeight {
            for window in plan.source {
                workspace.withMutableBytes { window.repeatRow(place - 1, in: &$0) }
            }
        }
        measure()
    }

    /// Reduces, fits and enlarges the chroma of a band, and compares.
    private mutating func measure() {
        let (plan, count) = (plan, plan.paddedWidth / 2)
        let width = size.width
        for chroma in 0..<2 {
            let source = plan.source[1 + chroma]
            let (reduced, fitted) = (plan.reduced[chroma], plan.fitted[chroma])
            let room = plan.room.origin
            let target = plan.upsampled[chroma].origin
            squaredError += workspace.withMutableBytes { workspace in
                var sum = 0
                for row in 0..<7 {
                    reduced.reduce(row, of: source, count: count, room: room, into: fitted, in: &workspace)
                }
                // Rows 2 ... 4 of half the size are fitted: rows 5 ... 8 of the picture lie between their middles.
                for y in 5...8 {
                    LumaRepairKernels.upsample(
                        near: fitted.offset(y / 2), far: fitted.offset(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1),
                        count: count, room: room, into: target, in: &workspace)
                    sum += SurveyKernels.squaredDifference(source.offset(y), target, count: width, in: workspace.bytes)
                }
                return sum
            }
        }
        equalCount += workspace.withBytes { workspace in
            (5...8).reduce(0) {
                $0 + SurveyKernels.equalNeighbours(plan.source[0].offset($1), count: width - 1, in: workspace)
            }
        }
        sampleCount += 4 * width
    }
}
