// Undoes the transforms, a few rows at a time, in the reverse of the order that the bitstream has them in.
//
//   coded pixels ──▶ [ row above | rows ] ──▶ [ row above | rows ] ──▶ ... ──▶ finished rows
//
// Each transform writes to a buffer of its own, small enough to stay in the cache. The row above the first of them is kept
// there, for the predictor transform.

import ImageCodecsCore

/// The transforms of a picture, and the rows that they are at work on.
struct InverseTransforms: Sendable {
    private struct Stage: Sendable {
        let transform: Transform
        /// The row above, then rows.
        var rows: ScratchBuffer

        var width: Int { transform.header.size.width }
    }

    /// In the order in which they are undone.
    private var stages: [Stage] = []
    /// Rows that are worked on together.
    let bandHeight: Int
    /// The width of the coded image.
    private let codedWidth: Int
    private let size: PixelSize
    /// Whether the coded image has a byte for each pixel, which then are indices.
    private let codedAsBytes: Bool
    /// For planes: the green channel of a row.
    private var plane: ScratchBuffer?

    /// Pixels that buffers hold besides the row above, about.
    private static let bandPixelCount = 1 << 12
    /// Pixels after rows that kernels read or write.
    private static let margin = 16

    /// - Parameters:
    ///   - transforms: in the order of the bitstream.
    ///   - size: of the picture.
    ///   - codedAsBytes: whether the coded image has a byte for each pixel; the last transform is color indexing then.
    ///   - isPlane: whether rows are handed over as one byte a pixel, the green channel.
    init(
        _ transforms: [Transform], size: PixelSize, codedAsBytes: Bool, isPlane: Bool, meter: MemoryMeter?
    ) throws(ImageError) {
        bandHeight = Self.bandHeight(width: size.width)
        codedWidth = transforms.last?.header.codedSize.width ?? size.width
        self.size = size
        self.codedAsBytes = codedAsBytes
        for transform in transforms.reversed() {
            let width = transform.header.size.width
            let count = (bandHeight + 1) * width + Self.margin
            stages.append(
                Stage(transform: transform, rows: try ScratchBuffer(zeroedByteCount: 4 * count, meter: meter)))
        }
        if isPlane { plane = try ScratchBuffer(byteCount: size.width, meter: meter) }
    }

    private static func bandHeight(width: Int) -> Int { max(1, bandPixelCount / width) }

    mutating func makeUnique() throws(ImageError) {
        for index in stages.indices { try stages[index].rows.makeUnique() }
        try plane?.makeUnique()
    }

    /// The most memory that rows take.
    static func byteCount(width: Int) -> Int {
        4 * 4 * ((bandHeight(width: width) + 1) * width + margin) + width
    }

    /// Finishes rows and hands them over.
    ///
    /// - Parameters:
    ///   - pixels: rows of the coded image.
    ///   - firstRow: the first of them.
    ///   - rows: that are decoded and were not finished, of which there are at most ``bandHeight``.
    mutating func finish(
        _ pixels: ScratchBuffer, from firstRow: Int, rows: Range<Int>, take: (RawSpan, Int) -> Void
    ) {
        let first = (rows.lowerBound - firstRow) * codedWidth
        for index in stages.indices {
            var target = stages[index].rows.handedOver()
            let stage = stages[index]
            if index == 0 {
                Self.undo(stage.transform, pixels, from: first, isBytes: codedAsBytes, &target, rows)
            } else {
                let previous = stages[index - 1]
                Self.undo(stage.transform, previous.rows, from: previous.width, isBytes: false, &target, rows)
            }
            stages[index].rows = target
        }
        if let last = stages.last {
            handOver(last.rows, from: last.width, rows, take)
        } else {
            handOver(pixels, from: first, rows, take)
        }
    }

    /// - Parameters:
    ///   - source: pixels, from index `first` on.
    ///   - target: the row above, and after it the rows that are written.
    private static func undo(
        _ transform: Transform, _ source: ScratchBuffer, from first: Int, isBytes: Bool,
        _ target: inout ScratchBuffer, _ rows: Range<Int>
    ) {
        let header = transform.header
        let width = header.size.width
        source.withBytes { bytes in
            let source = isBytes ? Span<UInt32>() : Span<UInt32>(_bytes: bytes)
            target.withMutableBytes { output in
                output.withNumbers(of: UInt32.self) { target in
                    switch transform.content {
                    case .predictor(let modes):
                        modes.withSpan { modes in
                            PredictorKernel.undo(
                                source, from: first, &target, width: width, firstRow: rows.lowerBound,
                                rowCount: rows.count, modes: modes, sizeBits: header.sizeBits)
                        }
                    case .color(let factors):
                        factors.withBytes { factors in
                            ColorKernel.undo(
                                source, from: first, &target, at: width, width: width, firstRow: rows.lowerBound,
                                rowCount: rows.count, factors: Span<UInt32>(_bytes: factors), sizeBits: header.sizeBits)
                        }
                    case .subtractGreen:
                        ColorKernel.addGreen(source, from: first, &target, at: width, count: width * rows.count)
                    case .colorIndexing(let table):
                        table.withSpan { table in
                            IndexingKernel.undo(
                                bytes, from: isBytes ? first : 4 * first + 1, byteStride: isBytes ? 1 : 4, &target,
                                at: width, width: width, rowCount: rows.count, table: table,
                                bundleBits: header.sizeBits)
                        }
                    }
                }
                // The last row is above the next ones.
                if header.kind == .predictor {
                    output.move(from: 4 * width * rows.count, to: 0, count: 4 * width)
                }
            }
        }
    }

    private mutating func handOver(
        _ source: ScratchBuffer, from first: Int, _ rows: Range<Int>, _ take: (RawSpan, Int) -> Void
    ) {
        let width = size.width
        for y in rows {
            let start = 4 * (first + (y - rows.lowerBound) * width)
            guard var plane = plane?.handedOver() else {
                source.withBytes(start..<start + 4 * width) { take($0, y) }
                continue
            }
            source.withBytes(start..<start + 4 * width) { row in
                plane.withMutablePixels(0..<width) { ColorKernel.extractGreen(row, &$0) }
            }
            plane.withBytes { take($0, y) }
            self.plane = plane
        }
    }
}
