// Rows of pixels to rows of samples, for all efforts that have time: chroma that is nearest to the picture's after a decoder has
// enlarged it, and luma that makes up for what is lost nevertheless.
//
//   row ──▶ luma and chroma at full size ──▶ chroma at half the size, fitted ──▶ enlarged ──▶ luma repaired
//           FineColorKernels                 ChromaFit                                        LumaRepair
//
// Samples have four fractional bits until they are stored. A row of chroma is fitted when six rows of pixels below its own are
// there, and then two rows of luma are repaired.

import ImageCodecsCore
import ImageEncoding

/// The last rows of a picture, between pixels and planes.
struct FittedRows: Sendable {
    private let geometry: PlaneGeometry
    private let plan: FittedRowsPlan
    private var workspace: ScratchBuffer
    /// Rows of pixels so far, copies of the last one included.
    private var rowCount = 0
    /// Rows of half the size that have been reduced.
    private var reducedRowCount = 0

    init(_ geometry: PlaneGeometry, meter: MemoryMeter?) throws(ImageError) {
        self.geometry = geometry
        plan = FittedRowsPlan(width: geometry.size.width)
        workspace = try ScratchBuffer(byteCount: plan.byteCount, filledWith: 0, meter: meter)
    }

    /// Bytes that are held for a picture of this many columns.
    static func byteCount(width: Int) -> Int { FittedRowsPlan(width: width).byteCount }

    /// Takes the next row, and stores what it completes.
    ///
    /// - Parameter row: red, green, blue and alpha.
    mutating func add(_ row: RawSpan, into plane: inout MutableRawSpan) {
        let offsets = plan.source.map { $0.offset(rowCount) }
        let (width, end) = (geometry.size.width, geometry.lumaStride + RowWindow.margin)
        workspace.withMutableBytes { workspace in
            FineColorKernels.convert(
                row, layout: .rgbx, width: width, luma: offsets[0], cb: offsets[1], cr: offsets[2], into: &workspace)
            for offset in offsets { workspace.extendWords(offset, from: width, to: end) }
        }
        rowCount += 1
        advance(into: &plane)
    }

    /// Stores what the last row completes.
    mutating func finish(into plane: inout MutableRawSpan) {
        while reducedRowCount < geometry.chromaHeight + 2 {
            for window in plan.source { workspace.withMutableBytes { window.repeatRow(rowCount - 1, in: &$0) } }
            rowCount += 1
            advance(into: &plane)
        }
    }

    private mutating func advance(into plane: inout MutableRawSpan) {
        while rowCount > 2 * reducedRowCount + 2 {
            reduce(reducedRowCount)
            let row = reducedRowCount - 2
            reducedRowCount += 1
            guard row >= 0, row < geometry.chromaHeight else { continue }
            storeChroma(row, into: &plane)
            for y in max(2 * row - 1, 0)...2 * row { repair(y, into: &plane) }
            if row == geometry.chromaHeight - 1, 2 * row + 1 < geometry.size.height {
                repair(2 * row + 1, into: &plane)
            }
        }
    }

    /// Reduces a row of chroma, and fits the one two above.
    private mutating func reduce(_ row: Int) {
        let (plan, count) = (plan, geometry.chromaStride)
        workspace.withMutableBytes { workspace in
            for (chroma, rows) in plan.reduced.enumerated() {
                rows.reduce(
                    row, of: plan.source[1 + chroma], count: count, room: plan.room.origin, into: plan.fitted[chroma],
                    in: &workspace)
            }
        }
    }

    private func storeChroma(_ row: Int, into plane: inout MutableRawSpan) {
        let place = row * geometry.chromaStride
        workspace.withBytes { workspace in
            for (chroma, first) in [geometry.u, geometry.v].enumerated() {
                SampleStoringKernels.chroma(
                    workspace, at: plan.fitted[chroma].offset(row), count: geometry.chromaStride, into: &plane,
                    at: first + place)
            }
        }
    }

    /// Repairs row `y` of luma, and stores it.
    private mutating func repair(_ y: Int, into plane: inout MutableRawSpan) {
        let (plan, geometry) = (plan, geometry)
        let near = y / 2
        let far = min(max(y % 2 == 0 ? near - 1 : near + 1, 0), geometry.chromaHeight - 1)
        workspace.withMutableBytes { workspace in
            for chroma in 0..<2 {
                LumaRepairKernels.upsample(
                    near: plan.fitted[chroma].offset(near), far: plan.fitted[chroma].offset(far),
                    count: geometry.chromaStride, room: plan.room.origin, into: plan.enlarged[chroma].origin,
                    in: &workspace)
            }
            LumaRepairKernels.repair(
                luma: plan.source[0].offset(y), cb: plan.source[1].offset(y), cr: plan.source[2].offset(y),
                decodedCb: plan.enlarged[0].origin, decodedCr: plan.enlarged[1].origin, count: geometry.lumaStride,
                into: plan.repaired.origin, in: &workspace)
            SampleStoringKernels.luma(
                workspace.bytes, at: plan.repaired.origin, count: geometry.lumaStride, into: &plane,
                at: y * geometry.lumaStride)
        }
    }
}

/// Where the rows lie in memory.
///
///     source                    8 rows of luma and chroma: row i of fitted chroma needs rows 2i - 1 ... 2i + 6
///     reduced                   steps of chroma on its way to half the size
///     fitted                    4 rows of it
///     enlarged, repaired, room  one row
private struct FittedRowsPlan: Sendable {
    let source: [RowWindow]
    let reduced: [ChromaFitRows]
    let fitted: [RowWindow]
    let enlarged: [RowWindow]
    let repaired: RowWindow
    let room: RowWindow
    let byteCount: Int

    init(width: Int) {
        var end = 0
        let padded = (width + 15) & ~15
        func windows(_ count: Int, _ width: Int, _ rowCount: Int) -> [RowWindow] {
            (0..<count).map { _ in RowWindow(width: width, rowCount: rowCount, after: &end) }
        }
        source = windows(3, padded, 8)
        reduced = [ChromaFitRows(width: padded / 2, after: &end), ChromaFitRows(width: padded / 2, after: &end)]
        fitted = windows(2, padded / 2, 4)
        enlarged = windows(2, padded, 1)
        repaired = RowWindow(width: padded, rowCount: 1, after: &end)
        room = RowWindow(width: padded / 2, rowCount: 1, after: &end)
        byteCount = end
    }
}
