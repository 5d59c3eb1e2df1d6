// Reconstruction and output: a parsed row of macroblocks in, finished rows of pixels out.
//
// Rows come with a delay: the loop filter changes up to eight lines of the row above (four of chroma), and a row of pixels
// needs chroma from below. Example, normal filter, 40x30 pixels: after the first row of macroblocks, lines 0...7 are final
// but for line 7, whose chroma is mixed with that of line 8; so rows 0...6 come, and with the second row of macroblocks all
// others.

package import ImageCodecsCore

/// Turns parsed rows into rows of pixels.
///
/// A value: a copy is a checkpoint.
package struct PictureRows: Sendable {
    private let workspace: MacroblockWorkspace
    private let filter: FilterPlan
    private var planes: ScratchBuffer
    /// Unfiltered samples above the row that comes next, and room for those below it; they change places.
    private var above: ScratchBuffer
    private var below: ScratchBuffer
    /// Mixed lines of chroma.
    private var uSums: NumberBuffer<UInt16>
    private var vSums: NumberBuffer<UInt16>
    private var pixels: ScratchBuffer
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
        planes = try ScratchBuffer(
            byteCount: workspace.planeByteCount, filledWith: MacroblockWorkspace.leftValue, meter: meter)
        above = try ScratchBuffer(
            byteCount: workspace.edgeByteCount, filledWith: MacroblockWorkspace.aboveValue, meter: meter)
        below = try ScratchBuffer(
            byteCount: workspace.edgeByteCount, filledWith: MacroblockWorkspace.leftValue, meter: meter)
        let sumCount = VP8UpsamplingKernels.sumCount(width: workspace.size.width)
        uSums = try NumberBuffer(count: sumCount, meter: meter)
        vSums = try NumberBuffer(count: sumCount, meter: meter)
        pixels = try ScratchBuffer(
            byteCount: VP8UpsamplingKernels.rowByteCount(width: workspace.size.width), meter: meter)
        samples = keepsSamples ? try YUVPlanes(workspace, meter: meter) : nil
    }

    /// Bytes held besides samples that are kept.
    static func byteCount(_ workspace: MacroblockWorkspace) -> Int {
        let width = workspace.size.width
        return workspace.planeByteCount + 2 * workspace.edgeByteCount + 4 * VP8UpsamplingKernels.sumCount(width: width)
            + VP8UpsamplingKernels.rowByteCount(width: width)
    }

    mutating func makeUnique() throws(ImageError) {
        try planes.makeUnique()
        try above.makeUnique()
        try below.makeUnique()
        try uSums.makeUnique()
        try vSums.makeUnique()
        try pixels.makeUnique()
        try samples?.makeUnique()
    }

    /// Reconstructs the next row of macroblocks, and hands over the rows of pixels that it finishes.
    ///
    /// - Parameter take: gets each row and its number.
    package mutating func add(_ parsed: ParsedRow, take: (_ row: RawSpan, _ y: Int) -> Void) {
        let row = macroblockRowCount
        macroblockRowCount += 1
        Self.reconstruct(parsed, row, workspace, filter, &planes, above, &below)
        swap(&above, &below)
        let end = finishedCount(afterRow: row)
        if rowCount == 0, end > 0 { emit(row, first: -1, take) }
        while rowCount < end { emit(row, first: rowCount, take) }
        Self.carry(workspace, &planes)
    }

    private static func reconstruct(
        _ parsed: ParsedRow, _ row: Int, _ workspace: MacroblockWorkspace, _ filter: FilterPlan,
        _ planes: inout ScratchBuffer, _ above: ScratchBuffer, _ below: inout ScratchBuffer
    ) {
        parsed.infos.withBytes { bytes in
            bytes.withMacroblocks { infos in
                parsed.coefficients.withSpan { coefficients in
                    planes.withMutableBytes { planes in
                        above.withBytes { above in
                            below.withMutableBytes { below in
                                MacroblockRowKernel.reconstruct(
                                    row: row, workspace, infos: infos, coefficients: coefficients, filter: filter,
                                    planes: &planes, above: above, below: &below)
                            }
                        }
                    }
                }
            }
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

    /// Hands over the rows `first` and `first + 1`, as far as they are in the picture: those share two lines of chroma.
    ///
    /// - Parameter first: an odd number, -1 at the top.
    private mutating func emit(_ row: Int, first: Int, _ take: (_ row: RawSpan, _ y: Int) -> Void) {
        let second = (first + 1) / 2
        let lines = (max(second - 1, 0), min(second, workspace.chromaHeight - 1))
        if first >= 0 { emitRow(first, row, near: lines.0, far: lines.1, take) }
        if first + 1 < workspace.size.height { emitRow(first + 1, row, near: lines.1, far: lines.0, take) }
    }

    private mutating func emitRow(
        _ y: Int, _ row: Int, near: Int, far: Int, _ take: (_ row: RawSpan, _ y: Int) -> Void
    ) {
        let (chromaRow, margin) = (8 * row, MacroblockWorkspace.margin)
        let lumaStart = workspace.luma(line: y - 16 * row) - 1
        let (u1, u2) = (workspace.u(line: near - chromaRow), workspace.u(line: far - chromaRow))
        let (v1, v2) = (workspace.v(line: near - chromaRow), workspace.v(line: far - chromaRow))
        let (lumaCount, chromaCount) = (workspace.lumaStride - margin + 1, workspace.chromaStride - margin)
        let (width, chromaWidth) = (workspace.size.width, workspace.chromaWidth)
        planes.withBytes { planes in
            let (uNear, uFar) = (
                planes.extracting(u1..<u1 + chromaCount), planes.extracting(u2..<u2 + chromaCount)
            )
            let (vNear, vFar) = (
                planes.extracting(v1..<v1 + chromaCount), planes.extracting(v2..<v2 + chromaCount)
            )
            uSums.withMutableSpan { VP8UpsamplingKernels.mix(near: uNear, far: uFar, count: chromaWidth, into: &$0) }
            vSums.withMutableSpan { VP8UpsamplingKernels.mix(near: vNear, far: vFar, count: chromaWidth, into: &$0) }
            let luma = planes.extracting(lumaStart..<lumaStart + lumaCount)
            Self.convert(luma, uSums, vSums, width, &pixels)
            samples?.add(luma: luma.extracting(droppingFirst: 1), u: uNear, v: vNear, y: y)
        }
        let lead = VP8UpsamplingKernels.leadingByteCount
        pixels.withBytes(lead..<lead + 4 * width) { take($0, y) }
        rowCount = y + 1
    }

    private static func convert(
        _ luma: RawSpan, _ uSums: NumberBuffer<UInt16>, _ vSums: NumberBuffer<UInt16>, _ width: Int,
        _ pixels: inout ScratchBuffer
    ) {
        uSums.withSpan { u in
            vSums.withSpan { v in
                pixels.withMutableBytes {
                    VP8UpsamplingKernels.convert(luma: luma, u: u, v: v, width: width, into: &$0)
                }
            }
        }
    }

    /// Keeps the last lines for the row below.
    private static func carry(_ workspace: MacroblockWorkspace, _ planes: inout ScratchBuffer) {
        let margin = MacroblockWorkspace.margin
        planes.withMutableBytes { planes in
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
}
