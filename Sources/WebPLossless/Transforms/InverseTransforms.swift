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
        /// Where its rows begin in the memory: the row above, then those that are worked on.
        let start: Int

        var width: Int { transform.header.size.width }
    }

    /// In the order in which they are undone.
    private var stages: [Stage] = []
    /// For planes the green channel of a row, then the rows of all stages.
    private var memory: ScratchBuffer
    /// Bytes for the green channel of a row, as many as it has or a few more; 0 if all channels are wanted.
    private let planeByteCount: Int
    /// Rows that are worked on together.
    let bandHeight: Int
    /// The width of the coded image.
    private let codedWidth: Int
    private let size: PixelSize

    /// Pixels that buffers hold besides the row above, about.
    private static let bandPixelCount = 1 << 12
    /// Pixels after rows that kernels read or write.
    private static let margin = 16

    /// - Parameters:
    ///   - transforms: in the order of the bitstream.
    ///   - size: of the picture.
    ///   - isPlane: whether rows are handed over as one byte a pixel, the green channel.
    init(_ transforms: [Transform], size: PixelSize, isPlane: Bool, meter: MemoryMeter?) throws(ImageError) {
        bandHeight = min(Self.bandHeight(width: size.width), size.height)
        codedWidth = transforms.last?.header.codedSize.width ?? size.width
        self.size = size
        planeByteCount = isPlane ? Self.wholeLines(size.width) : 0
        stages.reserveCapacity(transforms.count)
        var end = planeByteCount
        for transform in transforms.reversed() {
            stages.append(Stage(transform: transform, start: end))
            end += Self.wholeLines(4 * ((bandHeight + 1) * transform.header.size.width + Self.margin))
        }
        memory = try ScratchBuffer(byteCount: end, meter: meter)
    }

    /// As many bytes, or a few more, that are a multiple of a cache line.
    private static func wholeLines(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }

    private static func bandHeight(width: Int) -> Int { max(1, bandPixelCount / width) }

    mutating func makeUnique() throws(ImageError) { try memory.makeUnique() }

    /// The most memory that rows take.
    static func byteCount(width: Int) -> Int {
        4 * wholeLines(4 * ((bandHeight(width: width) + 1) * width + margin)) + wholeLines(width)
    }

    /// Finishes rows and hands them over.
    ///
    /// - Parameters:
    ///   - pixels: rows of the coded image.
    ///   - areBytes: whether it has a byte for each pixel, an index; the last transform is color indexing then.
    ///   - firstRow: the first of them.
    ///   - rows: that are decoded and were not finished, of which there are at most ``bandHeight``.
    mutating func finish(
        _ pixels: ScratchBuffer, areBytes: Bool, from firstRow: Int, rows: Range<Int>, take: (RawSpan, Int) -> Void
    ) {
        let first = (rows.lowerBound - firstRow) * codedWidth
        let (stages, planeByteCount, width) = (stages, planeByteCount, size.width)
        memory.withMutableBytes { memory in
            pixels.withBytes { pixels in
                for (index, stage) in stages.enumerated() {
                    memory.withSplit(at: stage.start) { done, target in
                        if index == 0 {
                            Self.undo(stage.transform, pixels, from: first, isBytes: areBytes, &target, rows)
                        } else {
                            let previous = stages[index - 1]
                            let source = done.bytes.extracting(previous.start...)
                            Self.undo(stage.transform, source, from: previous.width, isBytes: false, &target, rows)
                        }
                    }
                }
                memory.withSplit(at: planeByteCount) { plane, rest in
                    if let last = stages.last {
                        let source = rest.bytes.extracting((last.start - planeByteCount)...)
                        Self.handOver(source, from: last.width, width: width, rows, &plane, take)
                    } else {
                        Self.handOver(pixels, from: first, width: width, rows, &plane, take)
                    }
                }
            }
        }
    }

    /// - Parameters:
    ///   - bytes: pixels, from index `first` on.
    ///   - output: the row above, and after it the rows that are written.
    private static func undo(
        _ transform: Transform, _ bytes: RawSpan, from first: Int, isBytes: Bool,
        _ output: inout MutableRawSpan, _ rows: Range<Int>
    ) {
        let header = transform.header
        let width = header.size.width
        let source = isBytes ? Span<UInt32>() : Span<UInt32>(_bytes: bytes)
        output.withNumbers(of: UInt32.self) { target in
            switch transform.content {
            case .predictor(let modes):
                modes.withSpan { modes in
                    PredictorKernel.undo(
                        source, from: first, &target, width: width, firstRow: rows.lowerBound, rowCount: rows.count,
                        modes: modes, sizeBits: header.sizeBits)
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
                        bytes, from: isBytes ? first : 4 * first + 1, byteStride: isBytes ? 1 : 4, &target, at: width,
                        width: width, rowCount: rows.count, table: table, bundleBits: header.sizeBits)
                }
            }
        }
        // The last row is above the next ones.
        if header.kind == .predictor {
            output.move(from: 4 * width * rows.count, to: 0, count: 4 * width)
        }
    }

    /// - Parameter plane: where the green channel of a row goes, if that is what is handed over.
    private static func handOver(
        _ source: RawSpan, from first: Int, width: Int, _ rows: Range<Int>, _ plane: inout MutableRawSpan,
        _ take: (RawSpan, Int) -> Void
    ) {
        for y in rows {
            let start = 4 * (first + (y - rows.lowerBound) * width)
            let row = source.extracting(start..<start + 4 * width)
            guard !plane.isEmpty else {
                take(row, y)
                continue
            }
            plane.withSplit(at: width) { green, _ in
                green.withNumbers(of: UInt8.self) { ColorKernel.extractGreen(row, &$0) }
            }
            take(plane.bytes.extracting(first: width), y)
        }
    }
}
