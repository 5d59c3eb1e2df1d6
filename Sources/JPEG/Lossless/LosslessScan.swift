// One lossless scan: row of MCUs after row of MCUs, interleaved or not.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: samples, in the planes. Suspends between MCUs, whose
// differences wait until their row is complete.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes a scan of a lossless frame.
///
/// - Source: ITU-T T.81 (1992) annex H "Lossless mode of operation".
package struct LosslessScan: Sendable {
    /// Where the scan stands.
    package private(set) var control: ScanControl
    /// By how many bits the encoder has shifted the samples down: `Pt`, §A.4 "Point transform".
    package let pointTransform: UInt8

    private var state = LosslessState()
    private let units: [LosslessUnit]
    private let tables: [Int32]
    private let lookupBits: Int
    private let prediction: Prediction
    /// What the first sample of the scan and of each restart interval is predicted to be.
    private let first: UInt16
    /// Rows of MCUs in a restart interval; 0 if there are none.
    private let rowsPerInterval: Int
    /// The differences of one row of MCUs, two bytes each: rows of each component of the scan.
    private var differences: ScratchBuffer
    private let parts: [Part]

    /// A component of the scan.
    private struct Part: Sendable {
        let component: Int
        /// Rows in a row of MCUs.
        let rows: Int
        /// Samples of a row.
        let width: Int
        /// Where its differences begin.
        let start: Int
    }

    /// - Throws: `corrupt` for a predictor, a point transform or a restart interval that the process does not have, and for tables that
    ///   are missing; `limitExceeded`.
    package init(
        header: ScanHeader, plan: PicturePlan, tables decodingTables: DecodingTables,
        strictness: DecodingOptions.Strictness, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        let frame = plan.geometry
        control = try ScanControl(
            header, frame: frame, restartInterval: decodingTables.restartInterval, strictness: strictness)
        guard let prediction = Prediction(rawValue: header.spectralStart), header.spectralEnd == 0,
            header.approximationHigh == 0, header.approximationLow < plan.precision
        else {
            throw .corruptJPEG(
                .jpegScanProgression, header.offset, "lossless scan with a predictor or a point transform that is none")
        }
        let geometry = control.geometry
        guard decodingTables.restartInterval % geometry.mcusPerRow == 0 else {
            throw .corruptJPEG(
                .jpegRestartInterval, header.offset, "lossless scan with a restart interval that is not whole rows")
        }
        self.prediction = prediction
        pointTransform = UInt8(header.approximationLow)
        first = 1 << UInt16(plan.precision - header.approximationLow - 1)
        rowsPerInterval = decodingTables.restartInterval / geometry.mcusPerRow
        var (slots, entries, units, parts, end): ([Int], [Int32], [LosslessUnit], [Part], Int) = ([], [], [], [], 0)
        lookupBits = DifferenceDecoding.lookupBits(precision: plan.precision)
        let tableCount = HuffmanTable.count(lookupBits: lookupBits)
        for member in header.components {
            let component = frame.components[member.index]
            if !slots.contains(member.dcTable) {
                entries += Array(repeating: 0, count: tableCount)
                try decodingTables.writeHuffmanTable(
                    .dc, slot: member.dcTable, use: .lossless, offset: header.offset,
                    lookupBits: lookupBits, to: &entries, at: slots.count * tableCount, &work)
                slots.append(member.dcTable)
            }
            let table = (slots.firstIndex(of: member.dcTable) ?? 0) * tableCount
            let across = geometry.isInterleaved ? component.horizontalSampling : 1
            let down = geometry.isInterleaved ? component.verticalSampling : 1
            let width = geometry.mcusPerRow * across
            for row in 0..<down {
                for column in 0..<across {
                    units.append(LosslessUnit(table: table, base: end + row * width + column, step: across))
                }
            }
            parts.append(Part(component: member.index, rows: down, width: width, start: end))
            end += down * width
        }
        (tables, self.units, self.parts) = (entries, units, parts)
        differences = try ScratchBuffer(byteCount: 2 * end, meter: meter)
    }

    /// Makes the buffer this value's own.
    package mutating func makeUnique() throws(ImageError) { try differences.makeUnique() }

    /// Bytes of the input that are not needed again.
    package func consumedCount(of input: Span<UInt8>) -> Int {
        input.withRawSpan { state.reader.nextBitPosition(in: $0) }
    }

    /// Goes on in an input whose first `byteCount` bytes, at most ``consumedCount(of:)``, are gone.
    package mutating func rebase(droppingFirst byteCount: Int) { state.reader.rebase(droppingFirst: byteCount) }

    /// Decodes to the end of a row of MCUs; `false` while bytes are missing.
    ///
    /// Differences without data are 0: samples become what is predicted.
    package mutating func decodeRow(
        into planes: inout SamplePlanes, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let mcuRow = control.mcuRow
        let isWhole = try differences.withMutableBytes { (bytes) throws(ImageError) in
            try bytes.withNumbers(of: UInt16.self) { (differences) throws(ImageError) in
                try control.decodeRow(&state, input: input, offset: offset, isFinal: isFinal, work: &work) {
                    [units, tables, lookupBits] run, state, bytes, isFinal in
                    let (column, before) = DifferenceDecoding.decode(
                        run, units: units, tables: tables, lookupBits: lookupBits, state: &state, input: bytes,
                        differences: &differences)
                    guard column < run.upperBound else { return .complete }
                    guard state.reader.hasOverrun, !isFinal, !state.reader.isAtMarker(bytes) else {
                        return .damaged(column: column)
                    }
                    (state.reader, state.isDamaged) = (before, false)
                    return .needsMoreInput(column: column)
                } clear: { [units] run in
                    for column in run {
                        for unit in units { differences[unit.base + column * unit.step] = 0 }
                    }
                }
            }
        }
        if isWhole { predict(mcuRow, &planes) }
        return isWhole
    }

    /// Makes a complete row of differences to samples.
    private func predict(_ mcuRow: Int, _ planes: inout SamplePlanes) {
        let beginsInterval = rowsPerInterval == 0 ? mcuRow == 0 : mcuRow % rowsPerInterval == 0
        differences.withBytes { bytes in
            for part in parts {
                for row in 0..<part.rows {
                    let at = 2 * (part.start + row * part.width)
                    let differences = Span<UInt16>(_bytes: bytes.extracting(at..<at + 2 * part.width))
                    let start = planes.start(part.component, row: mcuRow * part.rows + row)
                    let above = 2 * (start - planes.planes[part.component].width)
                    planes.samples.withMutableBytes(above..<2 * (start + part.width)) { bytes in
                        bytes.withSplit(at: 2 * start - above) { above, samples in
                            let above = Span<UInt16>(_bytes: above.bytes.extracting(0..<2 * part.width))
                            samples.withNumbers(of: UInt16.self) { samples in
                                if beginsInterval && row == 0 {
                                    Prediction.beginRows(differences, first: first, into: &samples)
                                } else {
                                    prediction.reconstruct(differences, above: above, into: &samples)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
