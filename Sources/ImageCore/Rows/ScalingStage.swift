// The scaling half of the row sink: working rows in, finished rows of the target out.

/// Scales working rows (four channels of eight bits, premultiplied) and knows how to turn them into the
/// format of the result.
package struct ScalingStage: Sendable {
    /// From working rows to the format of the result.
    let finish: RowConverter
    private var scaler: RowScaler?
    /// In place of ``scaler``.
    private var linear: LinearRowScaler?
    private var workingRow: ScratchBuffer
    private let width: Int

    /// - Parameters:
    ///   - sourceSize: The size of the picture.
    ///   - reduction: How far the rows to come are reduced already; see `RowScaler`.
    ///   - scaling: Inks are scaled as they are stored in any case, and so are rows that are reduced already.
    package init(
        sourceSize: PixelSize, reduction: Int, targetSize: PixelSize, working: PixelFormat, output: PixelFormat,
        scaling: DecodingOptions.Scaling = .asStored, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        width = sourceSize.reduced(by: reduction).width
        if scaling == .linear, reduction == 1, working != .cmyk {
            linear = try LinearRowScaler(
                source: sourceSize, target: targetSize, isOpaque: !working.hasAlpha, meter: meter, work: work)
        } else {
            scaler = try RowScaler(
                source: sourceSize, reduction: reduction, target: targetSize, alpha: ScaledAlpha(working),
                meter: meter, work: work)
        }
        workingRow = try ScratchBuffer(byteCount: Self.rowByteCount(width), meter: meter)
        finish = RowConverter(from: .pixels(working), to: output)
    }

    /// Makes the buffers this value's own, so that no row copies them.
    mutating func makeUnique() throws(ImageError) {
        try scaler?.makeUnique()
        try linear?.makeUnique()
        try workingRow.makeUnique()
    }

    /// Scales a row that already is in the working format.
    mutating func push(_ row: RawSpan, emit: (_ y: Int, _ pixels: RawSpan, _ finish: RowConverter) -> Void) {
        let finish = finish
        scaler?.push(row) { y, pixels in emit(y, pixels, finish) }
        linear?.push(row) { y, pixels in emit(y, pixels, finish) }
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
            let row = bytes.extracting(first: width * 4)
            scaler?.push(row) { y, pixels in emit(y, pixels, finish) }
            linear?.push(row) { y, pixels in emit(y, pixels, finish) }
        }
    }

    private static func rowByteCount(_ width: Int) -> Int { width.multipliedSaturated(by: 4).addingSaturated(64) }

    /// Bytes held by a stage, including a row in the sink's own layout. Saturates.
    package static func byteCount(
        sourceSize: PixelSize, reduction: Int, targetSize: PixelSize, scaling: DecodingOptions.Scaling = .asStored
    ) -> Int {
        let stored = RowScaler.memoryByteCount(source: sourceSize, reduction: reduction, target: targetSize)
        // Inks are scaled as they are stored.
        let scaler =
            scaling == .linear
            ? max(stored, LinearRowScaler.memoryByteCount(source: sourceSize, target: targetSize)) : stored
        return rowByteCount(sourceSize.reduced(by: reduction).width).multipliedSaturated(by: 3).addingSaturated(scaler)
    }
}
