// Reconstruction and output: a parsed row of macroblocks in, finished rows of pixels out.
//
// Rows come with a delay: the loop filter changes up to eight lines of the row above (four of chroma), and a row of pixels
// needs chroma from below. Example, normal filter, 40x30 pixels: after the first row of macroblocks, lines 0...7 are final
// but for line 7, whose chroma is mixed with that of line 8; so rows 0...6 come, and with the second row of macroblocks all
// others.

package import ImageCodecsCore

/// Lets a row be made where it goes, if it goes anywhere as it is: calls `fill` with four bytes for each pixel. Returns whether
/// it did.
package typealias RowPlacing = (_ y: Int, _ fill: (_ row: inout MutableRawSpan) -> Void) -> Bool

/// Turns parsed rows into rows of pixels.
///
/// A value: a copy is a checkpoint.
package struct PictureRows: Sendable {
    private let workspace: MacroblockWorkspace
    private let filter: FilterPlan
    /// The planes, and what follows them as the workspace says. Of the two lines of unfiltered samples one is above the row
    /// that comes next, and one gets those below it; they take turns.
    private var memory: ScratchBuffer
    /// Rows of macroblocks reconstructed, and rows of pixels handed over.
    private var macroblockRowCount = 0
    private(set) var rowCount = 0
    /// Receives the samples too, if they are wanted.
    package var samples: YUVPlanes?

    package init(
        _ workspace: MacroblockWorkspace, filter: FilterPlan, keepsSamples: Bool, meter: MemoryMeter?
    ) throws(ImageError) {
        self.workspace = workspace
        self.filter = filter
        memory = try ScratchBuffer(byteCount: workspace.byteCount, meter: meter)
        memory.fill(0..<workspace.sumStart, with: MacroblockWorkspace.leftValue)
        let above = workspace.planeByteCount
        memory.fill(above..<above + workspace.edgeByteCount, with: MacroblockWorkspace.aboveValue)
        samples = keepsSamples ? try YUVPlanes(workspace, meter: meter) : nil
    }

    /// Bytes held besides samples that are kept.
    static func byteCount(_ workspace: MacroblockWorkspace) -> Int { workspace.byteCount }

    mutating func makeUnique() throws(ImageError) {
        try memory.makeUnique()
        try samples?.makeUnique()
    }

    /// Reconstructs the next row of macroblocks, and hands over the rows of pixels that it finishes.
    ///
    /// - Parameters:
    ///   - place: asked for each row.
    ///   - take: gets each row for which there is no place, and its number.
    package mutating func add(
        _ parsed: ParsedRow, place: RowPlacing = { _, _ in false }, take: (_ row: RawSpan, _ y: Int) -> Void
    ) {
        let row = macroblockRowCount
        macroblockRowCount += 1
        let rows = rowCount..<max(rowCount, finishedCount(afterRow: row))
        rowCount = rows.upperBound
        let (workspace, filter) = (workspace, filter)
        var samples = samples.take()
        memory.withMutableBytes { memory in
            memory.withSplit(at: workspace.planeByteCount) { planes, rest in
                rest.withSplit(at: workspace.edgeByteCount) { first, rest in
                    if row % 2 == 0 {
                        Self.reconstruct(parsed, row, workspace, filter, &planes, above: first.bytes, below: &rest)
                    } else {
                        Self.reconstruct(parsed, row, workspace, filter, &planes, above: rest.bytes, below: &first)
                    }
                }
            }
            memory.withSplit(at: workspace.sumStart) { planes, rest in
                Self.emit(rows, row, workspace, planes.bytes, &rest, &samples, place, take)
            }
            Self.carry(workspace, &memory)
        }
        self.samples = samples
    }

    private static func reconstruct(
        _ parsed: ParsedRow, _ row: Int, _ workspace: MacroblockWorkspace, _ filter: FilterPlan,
        _ planes: inout MutableRawSpan, above: RawSpan, below: inout MutableRawSpan
    ) {
        parsed.withContents { infos, coefficients in
            MacroblockRowKernel.reconstruct(
                row: row, workspace, infos: infos, coefficients: coefficients, filter: filter, planes: &planes,
                above: above, below: &below)
        }
    }

    /// How many rows of pixels are final after a row of macroblocks.
    private func finishedCount(afterRow row: Int) -> Int {
        let height = workspace.size.height
        guard row + 1 < workspace.rowCount else { return height }
        let delay =
            switch filter.kind {
            case .none: 1
            case .simple: 3
            case .normal: 9
            }
        return 16 * (row + 1) - delay
    }

    /// Hands over rows of pixels.
    ///
    /// - Parameters:
    ///   - row: of macroblocks, whose planes these are.
    ///   - rest: the mixed lines and the row of pixels.
    private static func emit(
        _ rows: Range<Int>, _ row: Int, _ workspace: MacroblockWorkspace, _ planes: RawSpan,
        _ rest: inout MutableRawSpan, _ samples: inout YUVPlanes?, _ place: RowPlacing,
        _ take: (_ row: RawSpan, _ y: Int) -> Void
    ) {
        let (width, chromaWidth) = (workspace.size.width, workspace.chromaWidth)
        rest.withSplit(at: workspace.sumByteCount) { uSums, rest in
            rest.withSplit(at: workspace.sumByteCount) { vSums, pixels in
                uSums.withNumbers(of: UInt16.self) { uSums in
                    vSums.withNumbers(of: UInt16.self) { vSums in
                        for y in rows {
                            let lines = PictureLines(y, row, workspace)
                            let luma = planes.extracting(lines.luma)
                            let (u, v) = (planes.extracting(lines.nearU), planes.extracting(lines.nearV))
                            VP8UpsamplingKernels.mix(
                                near: u, far: planes.extracting(lines.farU), count: chromaWidth, into: &uSums)
                            VP8UpsamplingKernels.mix(
                                near: v, far: planes.extracting(lines.farV), count: chromaWidth, into: &vSums)
                            samples?.add(luma: luma.extracting(droppingFirst: 1), u: u, v: v, y: y)
                            let isPlaced = place(y) { row in
                                VP8UpsamplingKernels.convert(
                                    luma: luma, u: uSums.span, v: vSums.span, width: width, into: &row)
                            }
                            if isPlaced { continue }
                            VP8UpsamplingKernels.convert(
                                luma: luma, u: uSums.span, v: vSums.span, width: width, into: &pixels)
                            take(pixels.bytes.extracting(first: 4 * width), y)
                        }
                    }
                }
            }
        }
    }

    /// Keeps the last lines for the row below.
    private static func carry(_ workspace: MacroblockWorkspace, _ planes: inout MutableRawSpan) {
        let margin = MacroblockWorkspace.margin
        let luma = MacroblockWorkspace.carriedLumaCount
        planes.move(
            from: workspace.luma(line: 16 - luma) - margin, to: workspace.luma(line: -luma) - margin,
            count: luma * workspace.lumaStride)
        let chroma = MacroblockWorkspace.carriedChromaCount
        planes.move(
            from: workspace.u(line: 8 - chroma) - margin, to: workspace.u(line: -chroma) - margin,
            count: chroma * workspace.chromaStride)
        planes.move(
            from: workspace.v(line: 8 - chroma) - margin, to: workspace.v(line: -chroma) - margin,
            count: chroma * workspace.chromaStride)
    }
}

/// Where the lines of samples are that a row of pixels is made of.
private struct PictureLines {
    /// From one byte before the first sample on.
    let luma: Range<Int>
    /// Of each plane of chroma the line that is near to the row, and the other one.
    let nearU: Range<Int>
    let farU: Range<Int>
    let nearV: Range<Int>
    let farV: Range<Int>

    /// - Parameters:
    ///   - y: the row of pixels.
    ///   - row: the row of macroblocks whose planes are there.
    init(_ y: Int, _ row: Int, _ workspace: MacroblockWorkspace) {
        let start = workspace.luma(line: y - 16 * row) - 1
        luma = start..<start + workspace.lumaStride - MacroblockWorkspace.margin + 1
        // An odd row lies above the middle of its lines, an even one below.
        let lower = (y + 1) / 2
        let (first, second) = (max(lower - 1, 0) - 8 * row, min(lower, workspace.chromaHeight - 1) - 8 * row)
        let (near, far) = y % 2 == 0 ? (second, first) : (first, second)
        let count = workspace.chromaStride - MacroblockWorkspace.margin
        nearU = workspace.u(line: near)..<workspace.u(line: near) + count
        farU = workspace.u(line: far)..<workspace.u(line: far) + count
        nearV = workspace.v(line: near)..<workspace.v(line: near) + count
        farV = workspace.v(line: far)..<workspace.v(line: far) + count
    }
}
