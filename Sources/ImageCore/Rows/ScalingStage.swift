// The scaling half of the row sink: working rows in, finished rows of the target out.

/// Scales working rows (four channels of eight bits, premultiplied) and knows how to turn them into the
/// format of the result.
package struct ScalingStage: Sendable {
    /// From working rows to the format of the result.
    let finish: RowConverter
    private var scaler: RowScaler
    private var workingRow: ScratchBuffer
    private let width: Int

    /// - Parameters:
    ///   - sourceSize: The size of the picture.
    ///   - reduction: How far the rows to come are reduced already; see `RowScaler`.
    package init(
        sourceSize: PixelSize, reduction: Int, targetSize: PixelSize, working: PixelFormat, output: PixelFormat,
        meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        scaler = try RowScaler(
            source: sourceSize, reduction: reduction, target: targetSize, alpha: ScaledAlpha(working), meter: meter,
            work: work)
        width = scaler.pushed.width
        workingRow = try ScratchBuffer(byteCount: Self.rowByteCount(width), meter: meter)
        finish = RowConverter(from: .pixels(working), to: output)
    }

    /// Makes the buffers this value's own, so that no row copies them.
    mutating func makeUnique() throws(ImageError) {
        try scaler.makeUnique()
        try workingRow.makeUnique()
    }

    /// Scales a row that already is in the working format.
    mutating func push(_ row: RawSpan, emit: (_ y: Int, _ pixels: RawSpan, _ finish: RowConverter) -> Void) {
        let finish = finish
        scaler.push(row) { y, pixels in emit(y, pixels, finish) }
    }

    /// Converts a row into the working format and scales it.
    package mutating func convertAndPush(
        _ row: RawSpan, _ converter: RowConverter,
        emit: (_ y: Int, _ pixels: RawSpan, _ finish: RowConverter) -> Void
    ) {
        let width = width
        let finish = finish
        workingRow.withMutableBytes { converter.convert(row, into: &$0, width: width) }
        workingRow.withBytes { bytes in
            scaler.push(bytes.extracting(first: width * 4)) { y, pixels in emit(y, pixels, finish) }
        }
    }

    private static func rowByteCount(_ width: Int) -> Int { width.multipliedSaturated(by: 4).addingSaturated(64) }

    /// Bytes held by a stage, including a row in the sink's own layout. Saturates.
    package static func byteCount(sourceSize: PixelSize, reduction: Int, targetSize: PixelSize) -> Int {
        rowByteCount(sourceSize.reduced(by: reduction).width).multipliedSaturated(by: 3)
            .addingSaturated(
                RowScaler.memoryByteCount(source: sourceSize, reduction: reduction, target: targetSize))
    }
}
