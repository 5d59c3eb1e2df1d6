// The last samples of a reduced picture, made of what lies in the picture alone.
//
// In: the coefficients of blocks at the right and lower edge, after the reduced inverse DCT has filled their samples. Out: new
// values for samples that would mix the picture with what its last blocks hold beyond it.

import ImageCodecsCore

/// Keeps what lies beyond the picture out of its reduced samples.
///
/// A reduced sample is the mean of a square of samples of full size. Where a side of the picture is no multiple of that
/// square's, the last square reaches beyond it; encoders put there what they like, and a file that was cropped without loss
/// has the rest of the old picture there. Such a sample becomes the mean of what the picture has of the square. Its block is
/// transformed at full size for that, which few blocks need: one of each row, and the last row.
///
/// Example: 20 samples across, a quarter of the size, so squares of 4 and blocks of 2 samples: five whole squares, nothing to
/// do. 22 samples across: the sixth is the mean of columns 20 and 21.
///
/// Where only the DC coefficient of a block is kept, its mean cannot be taken apart: the sample before stands in for it.
struct PictureEdges: Sendable {
    /// What one component has in its last blocks.
    private struct Edge: Sendable {
        /// Samples of full size, 1...8, that the last column and the last row of blocks have of the picture.
        let columns: Int
        let rows: Int
        /// Samples of full size, to a side, of each reduced one.
        let reduction: Int
        let hasAllCoefficients: Bool

        var endsWithinColumn: Bool { columns % reduction != 0 }
        var endsWithinRow: Bool { rows % reduction != 0 }
    }

    private let components: [FrameGeometry.Component]
    /// None at full size.
    private let edges: [Edge]

    /// - Parameter hasAllCoefficients: Whether blocks come with their AC coefficients even if they become one sample.
    init(_ geometry: FrameGeometry, hasAllCoefficients: Bool) {
        components = geometry.components
        guard geometry.scale != .full else {
            edges = []
            return
        }
        edges = zip(geometry.scaled(to: .full).components, geometry.components).map { full, component in
            Edge(
                columns: full.widthInSamples - 8 * (full.widthInBlocks - 1),
                rows: full.heightInSamples - 8 * (full.heightInBlocks - 1), reduction: 8 / component.dctSize,
                hasAllCoefficients: hasAllCoefficients || component.keepsAC)
        }
    }

    /// Replaces the samples of a row of blocks that reach beyond the picture.
    ///
    /// - Parameters:
    ///   - row: Row of blocks of the whole component, from 0.
    ///   - blockRow: The same within the MCU row.
    ///   - coefficients: Of all blocks of the row, 64 each, and for each the index of its last.
    ///   - planes: Hold the reduced samples of the row; if only DC coefficients are kept, also the row of samples above.
    func mend(
        component: Int, row: Int, blockRow: Int, coefficients: Span<Int16>, lastIndices: Span<UInt8>,
        steps: Span<Int16>, in planes: inout MCURowPlanes
    ) {
        guard !edges.isEmpty else { return }
        let (edge, geometry) = (edges[component], components[component])
        guard edge.endsWithinColumn || edge.endsWithinRow, row < geometry.heightInBlocks else { return }
        let isLastRow = row == geometry.heightInBlocks - 1
        let endsHere = isLastRow && edge.endsWithinRow
        guard endsHere || edge.endsWithinColumn else { return }
        let plane = planes.planes[component]
        guard edge.hasAllCoefficients else {
            return repeatNeighbours(
                geometry, plane, blockRow: blockRow, column: edge.endsWithinColumn, row: endsHere, &planes)
        }
        var block = [UInt8](repeating: 0, count: 64)
        let last = geometry.widthInBlocks - 1
        for column in (endsHere ? 0 : last)...last {
            block.withMutableBytes { block in
                InverseDCTKernels.reconstruct(
                    coefficients.extracting(64 * column..<64 * column + 64),
                    lastIndices: lastIndices.extracting(column..<column + 1), steps: steps, size: 8,
                    into: &block, at: 0, stride: 8)
            }
            let (width, height) = (column == last ? edge.columns : 8, isLastRow ? edge.rows : 8)
            let origin = plane.offset(ofRow: blockRow * plane.blockSize) + column * plane.blockSize
            planes.samples.withMutableBytes { samples in
                for y in stride(from: 0, to: height, by: edge.reduction) {
                    for x in stride(from: 0, to: width, by: edge.reduction) {
                        let columns = x..<min(x + edge.reduction, width)
                        let rows = y..<min(y + edge.reduction, height)
                        guard columns.count < edge.reduction || rows.count < edge.reduction else { continue }
                        samples.setByte(
                            Self.mean(of: block, columns, rows),
                            at: origin + y / edge.reduction * plane.stride + x / edge.reduction)
                    }
                }
            }
        }
    }

    private static func mean(of block: [UInt8], _ columns: Range<Int>, _ rows: Range<Int>) -> UInt8 {
        var sum = 0
        for y in rows { for x in columns { sum += Int(block[8 * y + x]) } }
        let count = columns.count * rows.count
        return UInt8((sum + count / 2) / count)
    }

    /// One sample a block: the last column, row, or both become what is before them, if anything is.
    private func repeatNeighbours(
        _ geometry: FrameGeometry.Component, _ plane: MCURowPlanes.Plane, blockRow: Int, column: Bool, row: Bool,
        _ planes: inout MCURowPlanes
    ) {
        let start = plane.offset(ofRow: blockRow)
        let width = geometry.widthInSamples
        planes.samples.withMutableBytes { samples in
            if column, width > 1 { samples.move(from: start + width - 2, to: start + width - 1, count: 1) }
            if row, geometry.heightInSamples > 1 {
                samples.move(from: plane.offset(ofRow: blockRow - 1), to: start, count: width)
            }
        }
    }
}
