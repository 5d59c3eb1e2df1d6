// Where a scan stands: rows, columns, restart intervals, and what damage has done to them.

package import ImageCore

/// Walks through the MCUs of a scan, in runs that end with a row or a restart interval.
///
/// The same for sequential and progressive scans: the two differ only in how they decode a run. A plain value, part of
/// a scan's checkpoint.
///
/// Damage, where it is tolerated, is treated as libjpeg does: an MCU that runs out of bits is completed with zero bits,
/// and the rest of its restart interval is left empty; after an invalid code decoding goes on with whatever follows.
///
/// - Source: ITU-T T.81 (1992) §E.2.3 "Control procedure for decoding a scan", §E.2.4 "Control procedure for
///   decoding a restart interval".
package struct ScanControl: Sendable {
    /// What the scan visits.
    package let geometry: ScanGeometry
    package let strictness: DecodingOptions.Strictness
    /// The next MCU.
    package private(set) var mcuColumn = 0
    package private(set) var mcuRow = 0
    /// The last row for whose MCUs there were data.
    package private(set) var lastRowWithData = 0
    /// Whether every MCU of the current row, as far as decoded, came from the file undamaged.
    package private(set) var isRowReal = true
    /// Whether the data of this restart interval have ended: the rest of its MCUs are empty.
    package private(set) var isExhausted = false

    /// The first damage that was tolerated.
    package private(set) var damage: ImageError?

    private var restarts: RestartHandling
    /// Whether damage in this restart interval makes what follows unreliable.
    private var isUnreliable = false

    package init(geometry: ScanGeometry, restartInterval: Int, strictness: DecodingOptions.Strictness) {
        self.geometry = geometry
        self.strictness = strictness
        restarts = RestartHandling(interval: restartInterval)
    }

    /// Whether every MCU is decoded.
    package var isComplete: Bool { mcuRow == geometry.mcuRows }

    /// Whether a restart marker must be found before the next run.
    package var isRestartDue: Bool { restarts.isDue }

    /// The MCUs up to the end of the row or of the restart interval.
    package var nextRun: Range<Int> {
        mcuColumn..<mcuColumn + restarts.limit(geometry.mcusPerRow - mcuColumn)
    }

    /// Begins a row, or goes on in it.
    package mutating func enterRow() {
        if mcuColumn == 0 { isRowReal = !isExhausted && !isUnreliable }
        if !isExhausted { lastRowWithData = mcuRow }
    }

    /// Counts the MCUs in front of `column` as decoded.
    package mutating func advance(to column: Int) {
        restarts.advance(by: column - mcuColumn)
        mcuColumn = column
    }

    /// Passes over the rest of a run whose data have ended.
    package mutating func skip(to column: Int) {
        isRowReal = false
        advance(to: column)
    }

    /// Ends a row.
    package mutating func finishRow() {
        mcuColumn = 0
        mcuRow += 1
    }

    /// Keeps an MCU that is damaged or incomplete, if damage is tolerated.
    ///
    /// - Parameter offset: where `input` begins in the file.
    package mutating func acceptDamage(
        at column: Int, reader: inout EntropyBitReader, input: Span<UInt8>, offset: Int
    ) throws(ImageError) {
        let position = offset + reader.position
        if reader.hasOverrun {
            // SAFETY: every byte of a span of bytes is initialised.
            let isAtMarker = unsafe reader.isAtMarker(input.bytes)
            try note(
                isAtMarker
                    ? .corruptJPEG(position, "entropy-coded data end too early")
                    : .truncated(.jpeg, offset: offset + input.count))
            isExhausted = true
            reader.restart(at: reader.position)
        } else {
            try note(.corruptJPEG(position, "invalid code or too many coefficients"))
            isUnreliable = true
        }
        isRowReal = false
        advance(to: column + 1)
    }

    /// Goes over the restart marker that is due.
    ///
    /// - Returns: `false` while the marker is not there; the caller resets its predictors and runs otherwise.
    package mutating func restart(
        reader: inout EntropyBitReader, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let outcome = try restarts.findMarker(
            in: input, from: reader.position, offset: offset, strictness: strictness, work: &work)
        switch outcome {
        case .found(let position):
            reader.restart(at: position)
            isExhausted = false
            isUnreliable = false
            lastRowWithData = mcuRow
            // The damage that a row began with ends in front of its first MCU.
            if mcuColumn == 0 { isRowReal = true }
        case .missing(let position):
            reader.restart(at: position)
        case .needsMoreInput(let position):
            reader.restart(at: position)
            guard isFinal else { return false }
            // As behind a marker that is missing, the next MCU is decoded from zero bits.
            try note(.truncated(.jpeg, offset: offset + input.count))
            restarts.skipInterval()
        }
        return true
    }

    /// Throws under `.strict`, else remembers the first damage.
    private mutating func note(_ error: ImageError) throws(ImageError) {
        if strictness == .strict { throw error }
        damage = damage ?? error
    }
}
