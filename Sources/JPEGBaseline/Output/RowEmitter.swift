// From the sample planes of an MCU row to finished picture rows: the last stage of the decoder.
//
// In: planes that the inverse DCT has filled, one MCU row after the other. Out: rows in the pixel format that was
// asked for, or the rows of the planes as they are. Nothing larger than an MCU row is kept.

package import ImageCodecsCore

/// Turns the samples of MCU rows into picture rows.
///
/// For each MCU row: fill ``planes``, write the rows of ``rows(finishedBy:)`` with ``writeRows(_:into:bytesPerRow:)``, then
/// call ``finishMCURow()``. Where chroma is interpolated vertically the last row of an MCU row needs the
/// first chroma row of the next one, so output lags behind by one row:
///
///     4:2:0, 40 rows     MCU row 0 (samples of rows 0...15)   finishes rows 0...14
///                        MCU row 1 (16...31)                  finishes rows 15...30
///                        MCU row 2 (32...39)                  finishes rows 31...39
///
/// A value: a copy is a checkpoint. It may run on another thread than entropy decoding.
package struct RowEmitter: Sendable {
    package let geometry: FrameGeometry
    package let colorModel: JPEGColorModel
    /// The format of written rows.
    package let format: PixelFormat
    /// The samples of the current MCU row, to be filled before its rows are written.
    package var planes: MCURowPlanes
    /// The MCU row whose samples the planes hold or are to hold next.
    package private(set) var mcuRow = 0

    private let stage: OutputStage
    private let rowLag: Int
    private let needsUpsampling: Bool
    private let upsampler: RowUpsampler
}

extension RowEmitter {
    /// - Parameters:
    ///   - geometry: The frame's; as many components as the model has.
    ///   - format: One that `colorModel.canWrite` accepts.
    ///   - meter: Counts the buffers.
    package init(
        geometry: FrameGeometry, colorModel: JPEGColorModel, format: PixelFormat, meter: MemoryMeter?
    ) throws(ImageError) {
        precondition(geometry.components.count == colorModel.componentCount && colorModel.canWrite(format))
        let upsampler = RowUpsampler(geometry)
        // All at once: a value that is made member by member is copied when it is whole.
        self = RowEmitter(
            geometry: geometry, colorModel: colorModel, format: format,
            planes: try MCURowPlanes(geometry, rowByteCount: RowUpsampler.byteCount(geometry), meter: meter),
            stage: OutputStage(colorModel: colorModel, upsampler: upsampler, format: format),
            rowLag: geometry.needsContextRows ? 1 : 0, needsUpsampling: upsampler.isNeeded, upsampler: upsampler)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    package mutating func makeUnique() throws(ImageError) {
        try planes.samples.makeUnique()
    }

    /// Bytes that an emitter for `geometry` holds.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        MCURowPlanes.byteCount(geometry) + RowUpsampler.byteCount(geometry)
    }

    /// Picture rows that can be written once the planes hold MCU row `mcuRow`, and not before.
    package func rows(finishedBy mcuRow: Int) -> Range<Int> {
        let height = geometry.outputSize.height
        let first = mcuRow == 0 ? 0 : mcuRow * geometry.outputRowsPerMCURow - rowLag
        let end = mcuRow + 1 == geometry.mcuRows ? height : (mcuRow + 1) * geometry.outputRowsPerMCURow - rowLag
        return min(first, height)..<min(end, height)
    }

    /// Goes on to the next MCU row; the planes may be overwritten from now on.
    package mutating func finishMCURow() {
        // At an eighth of the size the last row may repeat the one above.
        if rowLag > 0 || geometry.scale == .eighth { planes.carryLastRows() }
        mcuRow += 1
    }

    /// Writes picture rows.
    ///
    /// - Parameters:
    ///   - rows: Some of `rows(finishedBy: mcuRow)`.
    ///   - bytes: Receives `outputSize.width` pixels of ``format`` for each row; the first row is at the start.
    ///   - bytesPerRow: From one row to the next. What is between rows may be overwritten.
    /// - Precondition: The rows are such, and there is room for them.
    package mutating func writeRows(_ rows: Range<Int>, into bytes: inout MutableRawSpan, bytesPerRow: Int) {
        let finished = self.rows(finishedBy: mcuRow)
        let width = geometry.outputSize.width
        precondition(rows.isEmpty || finished.lowerBound <= rows.lowerBound && rows.upperBound <= finished.upperBound)
        precondition(bytesPerRow >= width * format.bytesPerPixel && bytes.byteCount >= rows.count * bytesPerRow)
        // Whole groups are quicker than the rest of one, so they may spill into the space between rows.
        let padded = (width + 15) & ~15
        let target = RowTarget(
            rows: rows, bytesPerRow: bytesPerRow, width: bytesPerRow >= padded * format.bytesPerPixel ? padded : width)
        switch stage {
        case .gray:
            let component = componentRows(0)
            for y in rows {
                let start = component.place(y).near.lowerBound
                let offset = target.offset(of: y)
                planes.samples.withBytes { bytes.copy($0.extracting(start..<start + width), at: offset) }
            }
        case .fusedH2V2(let order):
            writeH2V2(target, order, into: &bytes)
        case .fusedH2V1(let order):
            writeH2V1(target, order, into: &bytes)
        case .color(let order) where !needsUpsampling:
            writeFull(target, order, into: &bytes)
        case .color(let order):
            for y in rows { writeThree(y, target, order, isYCbCr: true, into: &bytes) }
        case .interleaved(let order):
            for y in rows { writeThree(y, target, order, isYCbCr: false, into: &bytes) }
        case .inks(let isYCCK):
            for y in rows { writeInks(y, target, isYCCK: isYCCK, into: &bytes) }
        }
    }

    /// Where rows go.
    private struct RowTarget {
        let rows: Range<Int>
        let bytesPerRow: Int
        /// Pixels to be written of each row.
        let width: Int

        func offset(of y: Int) -> Int { (y - rows.lowerBound) * bytesPerRow }
    }

    private func componentRows(_ component: Int) -> ComponentRows {
        ComponentRows(geometry.components[component], planes.planes[component], mcuRow)
    }

    /// 4:2:0: vertical sums of two chroma rows, then everything else in one pass.
    private mutating func writeH2V2(_ target: RowTarget, _ order: PixelOrder, into bytes: inout MutableRawSpan) {
        let (lumaRows, cbRows) = (componentRows(0), componentRows(1))
        // Both chroma components have the same shape.
        let fromCbToCr = planes.planes[2].origin - planes.planes[1].origin
        let chromaWidth = geometry.components[1].widthInSamples
        let (cbSums, crSums) = (upsampler.sumRow(1), upsampler.sumRow(2))
        planes.withRows { samples, sums in
            for y in target.rows {
                let cb = cbRows.place(y)
                let cr = cb.moved(by: fromCbToCr)
                UpsamplingKernels.blend(
                    near: samples.extracting(cb.near), far: samples.extracting(cb.far), width: chromaWidth,
                    into: &sums, at: cbSums.lowerBound)
                UpsamplingKernels.blend(
                    near: samples.extracting(cr.near), far: samples.extracting(cr.far), width: chromaWidth,
                    into: &sums, at: crSums.lowerBound)
                ColorKernels.convertYCbCrH2V2(
                    luma: samples.extracting(lumaRows.near(y)), cbSums: sums.bytes.extracting(cbSums),
                    crSums: sums.bytes.extracting(crSums), width: target.width, order: order, into: &bytes,
                    at: target.offset(of: y))
            }
        }
    }

    /// 4:2:2: one pass, once the outermost chroma samples are repeated.
    private mutating func writeH2V1(_ target: RowTarget, _ order: PixelOrder, into bytes: inout MutableRawSpan) {
        let (lumaRows, cbRows, crRows) = (componentRows(0), componentRows(1), componentRows(2))
        for y in target.rows {
            let (luma, cb, cr) = (lumaRows.place(y), cbRows.place(y), crRows.place(y))
            planes.repeatEdges(at: cb.near.lowerBound, width: geometry.components[1].widthInSamples)
            planes.repeatEdges(at: cr.near.lowerBound, width: geometry.components[2].widthInSamples)
            planes.samples.withBytes { samples in
                ColorKernels.convertYCbCrH2V1(
                    luma: samples.extracting(luma.near), cb: samples.extracting(cb.nearFromLeft),
                    cr: samples.extracting(cr.nearFromLeft), width: target.width, order: order, into: &bytes,
                    at: target.offset(of: y))
            }
        }
    }

    /// 4:4:4: colour alone.
    private func writeFull(_ target: RowTarget, _ order: PixelOrder, into bytes: inout MutableRawSpan) {
        let (lumaRows, cbRows, crRows) = (componentRows(0), componentRows(1), componentRows(2))
        planes.samples.withBytes { samples in
            for y in target.rows {
                ColorKernels.convertYCbCr(
                    luma: samples.extracting(lumaRows.near(y)), cb: samples.extracting(cbRows.near(y)),
                    cr: samples.extracting(crRows.near(y)), width: target.width, order: order, into: &bytes,
                    at: target.offset(of: y))
            }
        }
    }

    /// Three components at any sampling factors.
    private mutating func writeThree(
        _ y: Int, _ target: RowTarget, _ order: PixelOrder, isYCbCr: Bool, into bytes: inout MutableRawSpan
    ) {
        if needsUpsampling { upsampler.upsampleRow(y, &planes, mcuRow: mcuRow) }
        let places = (
            upsampler.place(y, 0, planes, mcuRow: mcuRow), upsampler.place(y, 1, planes, mcuRow: mcuRow),
            upsampler.place(y, 2, planes, mcuRow: mcuRow)
        )
        planes.withRows { (samples: RawSpan, upsampled: RawSpan) in
            let first = (places.0.isUpsampled ? upsampled : samples).extracting(places.0.range)
            let second = (places.1.isUpsampled ? upsampled : samples).extracting(places.1.range)
            let third = (places.2.isUpsampled ? upsampled : samples).extracting(places.2.range)
            let offset = target.offset(of: y)
            if isYCbCr {
                ColorKernels.convertYCbCr(
                    luma: first, cb: second, cr: third, width: target.width, order: order, into: &bytes,
                    at: offset)
            } else {
                ColorKernels.interleave(
                    red: first, green: second, blue: third, width: target.width, order: order, into: &bytes,
                    at: offset)
            }
        }
    }

    /// Four components at any sampling factors.
    private mutating func writeInks(_ y: Int, _ target: RowTarget, isYCCK: Bool, into bytes: inout MutableRawSpan) {
        if needsUpsampling { upsampler.upsampleRow(y, &planes, mcuRow: mcuRow) }
        let places = (
            upsampler.place(y, 0, planes, mcuRow: mcuRow), upsampler.place(y, 1, planes, mcuRow: mcuRow),
            upsampler.place(y, 2, planes, mcuRow: mcuRow), upsampler.place(y, 3, planes, mcuRow: mcuRow)
        )
        planes.withRows { (samples: RawSpan, upsampled: RawSpan) in
            let first = (places.0.isUpsampled ? upsampled : samples).extracting(places.0.range)
            let second = (places.1.isUpsampled ? upsampled : samples).extracting(places.1.range)
            let third = (places.2.isUpsampled ? upsampled : samples).extracting(places.2.range)
            let black = (places.3.isUpsampled ? upsampled : samples).extracting(places.3.range)
            let offset = target.offset(of: y)
            if isYCCK {
                ColorKernels.convertYCCK(
                    luma: first, cb: second, cr: third, black: black, width: target.width, into: &bytes, at: offset)
            } else {
                ColorKernels.interleave(
                    cyan: first, magenta: second, yellow: third, black: black, width: target.width, into: &bytes,
                    at: offset)
            }
        }
    }
}

// MARK: - Planes

extension RowEmitter {
    /// Rows of a component that the planes hold with MCU row `mcuRow`: those of the picture, neither upsampled
    /// nor converted.
    package func componentRows(_ component: Int, finishedBy mcuRow: Int) -> Range<Int> {
        let rows = planes.planes[component].rows
        let height = geometry.components[component].heightInSamples
        return min(mcuRow * rows, height)..<min((mcuRow + 1) * rows, height)
    }

    /// Gives access to a row of a component as it is stored.
    ///
    /// - Parameters:
    ///   - row: One of `componentRows(component, finishedBy: mcuRow)`.
    ///   - body: Gets the component's `widthInSamples` samples.
    package func withComponentRow<R>(_ component: Int, _ row: Int, _ body: (RawSpan) -> R) -> R {
        precondition(componentRows(component, finishedBy: mcuRow).contains(row))
        let plane = planes.planes[component]
        let start = plane.offset(ofRow: row - mcuRow * plane.rows)
        let range = start..<start + geometry.components[component].widthInSamples
        return planes.samples.withBytes { body($0.extracting(range)) }
    }
}

// MARK: - Delivery

extension RowEmitter {
    /// Delivers the rows that the current MCU row finishes, then goes on to the next MCU row.
    ///
    /// - Parameter sink: Expects rows of `.pixels(format)`.
    package mutating func deliverRows(to sink: inout RowSink) throws(ImageError) {
        let rows = rows(finishedBy: mcuRow)
        if colorModel == .grayscale, !rows.isEmpty {
            let plane = planes.planes[0]
            let start = plane.offset(ofRow: rows.lowerBound - mcuRow * plane.rows)
            let end = start + (rows.count - 1) * plane.stride + geometry.outputSize.width
            planes.samples.withBytes { bytes in
                sink.write(bytes.extracting(start..<end), bytesPerRow: plane.stride) { number in
                    let y = rows.lowerBound + number
                    return RowSink.Place(y: y, shownRows: y..<y + 1)
                }
            }
        } else {
            try sink.withDirectRows(rows) { rows, bytes, bytesPerRow throws(ImageError) in
                writeRows(rows, into: &bytes, bytesPerRow: bytesPerRow)
            }
        }
        finishMCURow()
    }
}
