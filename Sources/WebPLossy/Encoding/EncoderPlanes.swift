// The picture as luma and chroma, in whole macroblocks: what stands beyond its right and lower edges is its last column and row.

import ImageCodecsCore

/// Y, U and V of a picture that is encoded.
struct EncoderPlanes: Sendable {
    let geometry: PlaneGeometry
    private(set) var bytes: ScratchBuffer
    /// The last row of pixels that had no other to share chroma with.
    private var waiting: [UInt8] = []
    /// What rows go through if they are fitted; `nil` if chroma is the mean of four pixels.
    private var fitted: FittedRows?
    /// Rows of pixels so far.
    private var y = 0

    var size: PixelSize { geometry.size }
    var columnCount: Int { geometry.columnCount }
    var rowCount: Int { geometry.rowCount }
    var lumaStride: Int { geometry.lumaStride }
    var chromaStride: Int { geometry.chromaStride }
    var u: Int { geometry.u }
    var v: Int { geometry.v }

    /// Bytes that planes of a picture take, and rows that wait. Saturates.
    static func byteCount(_ size: PixelSize, isFitted: Bool) -> Int {
        let (columns, rows) = ((size.width + 15) / 16, (size.height + 15) / 16)
        return columns.multipliedSaturated(by: rows).multipliedSaturated(by: 384)
            .addingSaturated(isFitted ? FittedRows.byteCount(width: size.width) : 4 * size.width)
    }

    /// - Parameter isFitted: whether chroma is fitted to how decoders enlarge it, and luma to what that loses.
    init(_ size: PixelSize, isFitted: Bool, meter: MemoryMeter?) throws(ImageError) {
        geometry = PlaneGeometry(size)
        bytes = try ScratchBuffer(byteCount: geometry.byteCount, meter: meter)
        if isFitted { fitted = try FittedRows(geometry, meter: meter) }
    }

    /// Takes the next row.
    ///
    /// - Parameter row: red, green, blue and alpha.
    mutating func add(_ row: RawSpan) {
        if var rows = fitted.take() {
            bytes.withMutableBytes { rows.add(row, into: &$0) }
            fitted = rows
        } else {
            addPlain(row)
        }
        y += 1
        if y == size.height { finish() }
    }

    private mutating func addPlain(_ row: RawSpan) {
        let (size, y, u, v, stride) = (size, y, u, v, (lumaStride, chromaStride))
        let waiting = waiting
        bytes.withMutableBytes { plane in
            SampleGatheringKernels.luma(row, count: size.width, into: &plane, at: y * stride.0)
            Self.extend(&plane, from: y * stride.0 + size.width, to: (y + 1) * stride.0)
            guard y % 2 == 1 || y == size.height - 1 else { return }
            let place = y / 2 * stride.1
            if y % 2 == 1 {
                waiting.withRawSpan {
                    SampleGatheringKernels.chroma($0, row, count: size.width, into: &plane, u: u + place, v: v + place)
                }
            } else {
                SampleGatheringKernels.chroma(row, row, count: size.width, into: &plane, u: u + place, v: v + place)
            }
            let width = (size.width + 1) / 2
            for first in [u + place, v + place] { Self.extend(&plane, from: first + width, to: first + stride.1) }
        }
        if y % 2 == 0 { self.waiting = row.copiedBytes() }
    }

    /// Repeats the sample before `start`.
    private static func extend(_ plane: inout MutableRawSpan, from start: Int, to end: Int) {
        let last = plane.byte(at: start - 1)
        for index in start..<end { plane.setByte(last, at: index) }
    }

    /// Repeats the last rows.
    private mutating func finish() {
        waiting = []
        if var rows = fitted.take() { bytes.withMutableBytes { rows.finish(into: &$0) } }
        let (size, u, v, stride, rows) = (size, u, v, (lumaStride, chromaStride), rowCount)
        bytes.withMutableBytes { plane in
            for row in size.height..<16 * rows { Self.copyRow(&plane, 0, row, stride.0) }
            for row in (size.height + 1) / 2..<8 * rows {
                Self.copyRow(&plane, u, row, stride.1)
                Self.copyRow(&plane, v, row, stride.1)
            }
        }
    }

    private static func copyRow(_ plane: inout MutableRawSpan, _ first: Int, _ row: Int, _ stride: Int) {
        let target = first + row * stride
        for x in 0..<stride { plane.setByte(plane.byte(at: target - stride + x), at: target + x) }
    }
}

// MARK: - What is not seen

extension EncoderPlanes {
    /// Gives transparent pixels samples that cost little: the mean of what is seen in their 8x8 samples, else of the block before.
    ///
    /// - Parameters:
    ///   - alpha: one byte a pixel.
    ///   - work: asked for each row of blocks.
    mutating func smoothInvisible(_ alpha: RawSpan, work: inout WorkGuard) throws(ImageError) {
        for row in 0..<2 * rowCount {
            try work.spend(8 * size.width)
            var means = SIMD3<Int>(repeating: 128)
            for column in 0..<2 * columnCount { smooth(column, row, alpha, &means) }
        }
    }

    private mutating func smooth(_ column: Int, _ row: Int, _ alpha: RawSpan, _ means: inout SIMD3<Int>) {
        let size = size
        let planes = [(0, lumaStride, 8), (u, chromaStride, 4), (v, chromaStride, 4)]
        bytes.withMutableBytes { bytes in
            for (index, (first, stride, side)) in planes.enumerated() {
                // Samples for each of which one pixel counts, or four.
                let scale = 8 / side
                var (sum, count) = (0, 0)
                for y in side * row..<side * (row + 1) {
                    for x in side * column..<side * (column + 1) where Self.isSeen(alpha, x, y, scale, size) {
                        sum += Int(bytes.byte(at: first + y * stride + x))
                        count += 1
                    }
                }
                guard count < side * side else { continue }
                if count > 0 { means[index] = (sum + count / 2) / count }
                for y in side * row..<side * (row + 1) {
                    for x in side * column..<side * (column + 1) where !Self.isSeen(alpha, x, y, scale, size) {
                        bytes.setByte(UInt8(means[index]), at: first + y * stride + x)
                    }
                }
            }
        }
    }

    /// Whether one of the pixels of a sample is seen; the last column and row stand for what is beyond them.
    private static func isSeen(_ alpha: RawSpan, _ x: Int, _ y: Int, _ scale: Int, _ size: PixelSize) -> Bool {
        for row in scale * y..<scale * (y + 1) {
            for column in scale * x..<scale * (x + 1) {
                let place = min(row, size.height - 1) * size.width + min(column, size.width - 1)
                if alpha.byte(at: place) > 0 { return true }
            }
        }
        return false
    }
}
