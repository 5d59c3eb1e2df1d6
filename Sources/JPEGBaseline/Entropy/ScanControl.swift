// Where a scan stands: rows, columns, restart intervals, and what damage has done to them.

package import ImageCodecsCore

/// The state of a scan between two MCUs: a plain value, so that a copy is a checkpoint.
package protocol EntropyDecodingState: Hashable, Sendable {
    /// Where the next bits are.
    var reader: EntropyBitReader { get set }
    /// Whether the last MCU had a code that is in no table, or more coefficients than may be.
    var isDamaged: Bool { get set }

    /// Forgets what does not go on from one restart interval to the next.
    mutating func beginInterval()
}

/// How a run of blocks or MCUs ended.
package enum RunResult: Hashable, Sendable {
    /// All are decoded.
    case complete
    /// This one needs more bytes; it and the state are as they were before it.
    case needsMoreInput(column: Int)
    /// This one was decoded with zero bits in place of missing ones, or is damaged.
    case damaged(column: Int)
}

/// Walks through the MCUs of a scan, in runs that end with a row or a restart interval.
///
/// The loop is the same for sequential and progressive scans, which differ only in how they decode a run. A plain value,
/// part of a scan's checkpoint.
///
/// Damage, if it is tolerated, is treated as libjpeg does: an MCU that runs out of bits is completed with zero bits,
/// and the rest of its restart interval is left empty; after an invalid code decoding goes on with whatever follows.
///
/// - Source: ITU-T T.81 (1992) §E.2.3 "Control procedure for decoding a scan", §E.2.4 "Control procedure for
///   decoding a restart interval".
package struct ScanControl: Sendable {
    /// What the scan visits.
    package let geometry: ScanGeometry
    private let strictness: DecodingOptions.Strictness
    private let mayEndWithLines: Bool
    /// The next MCU.
    private var mcuColumn = 0
    package private(set) var mcuRow = 0
    /// The last row for whose MCUs there were data.
    package private(set) var lastRowWithData = 0
    /// Whether every MCU of the current row, as far as decoded, came from the file undamaged.
    package private(set) var isRowDecoded = true
    /// Whether the data of this restart interval have ended: the rest of its MCUs are empty.
    private var isExhausted = false

    /// The first damage that was tolerated.
    package private(set) var damage: ImageError?

    private var restarts: RestartHandling
    /// Whether damage in this restart interval makes what follows unreliable.
    private var isUnreliable = false

    /// - Throws: `corrupt` if an MCU has more blocks than the standard allows.
    package init(
        _ header: ScanHeader, frame: FrameGeometry, restartInterval: Int, strictness: DecodingOptions.Strictness
    ) throws(ImageError) {
        let geometry = ScanGeometry(components: header.components.lazy.map(\.index), in: frame)
        guard geometry.blocksPerMCU <= ScanGeometry.maximumBlocksPerMCU else {
            throw .corruptJPEG(
                .jpegFrameSampling, header.offset, "more than \(ScanGeometry.maximumBlocksPerMCU) blocks in an MCU")
        }
        self.geometry = geometry
        self.strictness = strictness
        mayEndWithLines = header.mayEndWithLines
        restarts = RestartHandling(interval: restartInterval, mayEndWithLines: mayEndWithLines)
    }

    /// Whether every MCU is decoded.
    package var isComplete: Bool { mcuRow == geometry.mcuRows }

    /// Decodes MCUs to the end of the row; `decode` and `clear` do what differs between kinds of scan.
    ///
    /// - Parameters:
    ///   - state: What goes on from MCU to MCU.
    ///   - input: Unread bytes; `offset` is that of the first, in the file.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked if the row has many bytes.
    ///   - decode: Decodes a run of MCUs, up to one that is damaged or incomplete. Its input may be cut, but holds the
    ///     longest possible MCU; its `isFinal` is about these bytes.
    ///   - clear: Sets the blocks of a run that has no data to zero, unless they are zero already.
    /// - Returns: Whether the row is complete; if not, more bytes are needed.
    /// - Throws: under `.strict`, `corrupt` and `truncated`; never under `.tolerant`; what `work` throws.
    package mutating func decodeRow<State: EntropyDecodingState>(
        _ state: inout State, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard,
        decode: (_ run: Range<Int>, inout State, _ input: RawSpan, _ isFinal: Bool) -> RunResult,
        clear: (_ run: Range<Int>) -> Void
    ) throws(ImageError) -> Bool {
        if mcuColumn == 0 { isRowDecoded = !isExhausted && !isUnreliable }
        if !isExhausted { lastRowWithData = mcuRow }
        while mcuColumn < geometry.mcusPerRow {
            if restarts.isDue {
                guard
                    try restart(
                        reader: &state.reader, input: input, offset: offset, isFinal: isFinal, work: &work)
                else { return false }
                state.beginInterval()
            }
            let run = mcuColumn..<mcuColumn + restarts.limit(geometry.mcusPerRow - mcuColumn)
            if isExhausted {
                clear(run)
                isRowDecoded = false
                advance(to: run.upperBound)
                continue
            }
            let window = EntropyWindow(from: state.reader.position, inputCount: input.count)
            let result = input.extracting(first: window.end).withRawSpan { bytes in
                decode(run, &state, bytes, isFinal && !window.isCut)
            }
            try window.leave(&state.reader, work: work)
            switch result {
            case .complete:
                advance(to: run.upperBound)
            case .needsMoreInput(let column):
                advance(to: column)
                guard window.isCut else { return false }
            case .damaged(let column):
                advance(to: column)
                state.isDamaged = false
                try acceptDamage(at: column, reader: &state.reader, input: input, offset: offset)
            }
        }
        mcuColumn = 0
        mcuRow += 1
        return true
    }

    /// Counts the MCUs before `column` as decoded.
    private mutating func advance(to column: Int) {
        restarts.advance(by: column - mcuColumn)
        mcuColumn = column
    }

    /// Keeps an MCU that is damaged or incomplete, if damage is tolerated.
    ///
    /// Where the damage is does not depend on how the file was cut: data that end too early end at the byte after the last
    /// one of data, and after an invalid code or too many coefficients it is the byte of data that holds the first bit which
    /// the MCU did not use. The damage is at most one MCU before that byte.
    ///
    /// - Parameter offset: where `input` begins in the file.
    // Never inlined: the loop over rows then is small enough to be specialised for its scan, 2 % of a decode.
    @inline(never)
    private mutating func acceptDamage(
        at column: Int, reader: inout EntropyBitReader, input: Span<UInt8>, offset: Int
    ) throws(ImageError) {
        let position = offset + input.withRawSpan { reader.nextBitPosition(in: $0) }
        if reader.hasOverrun {
            let marker = input.withRawSpan { reader.marker(in: $0) }
            let error: ImageError =
                marker != nil
                ? .corruptJPEG(.jpegCodedDataShort, position, "entropy-coded data end too early")
                : .truncated(.jpeg, offset: offset + input.count)
            // The segment may say that the rows which are missing are none of the picture's.
            if marker == .dnl && mayEndWithLines { damage = damage ?? error } else { try recordDamage(error) }
            isExhausted = true
            reader.restart(at: reader.position)
        } else {
            try recordDamage(.corruptJPEG(.jpegCodedDataInvalid, position, "invalid code or too many coefficients"))
            isUnreliable = true
        }
        isRowDecoded = false
        advance(to: column + 1)
    }

    /// Goes over the restart marker that is due.
    ///
    /// - Returns: `false` while the marker is not there; the caller resets its predictors and runs otherwise.
    private mutating func restart(
        reader: inout EntropyBitReader, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let outcome = try restarts.findMarker(
            in: input, from: reader.position, offset: offset, strictness: strictness, work: &work)
        switch outcome {
        case .found(let position, let isExpected):
            reader.restart(at: position)
            isExhausted = false
            lastRowWithData = mcuRow
            // With another number it may be the marker of another place.
            isUnreliable = !isExpected
            if !isExpected {
                try recordDamage(
                    .corruptJPEG(.jpegRestartNumber, offset + position - 2, "restart marker with another number"))
                isRowDecoded = false
            } else if mcuColumn == 0 {
                // The damage that a row began with ends before its first MCU.
                isRowDecoded = true
            }
        case .missing(let position):
            reader.restart(at: position)
        case .needsMoreInput(let position):
            reader.restart(at: position)
            guard isFinal else { return false }
            // As after a marker that is missing, the next MCU is decoded from zero bits.
            try recordDamage(.truncated(.jpeg, offset: offset + input.count))
            restarts.skipInterval()
        }
        return true
    }

    /// Throws under `.strict`, else remembers the first damage.
    private mutating func recordDamage(_ error: ImageError) throws(ImageError) {
        if strictness == .strict { throw error }
        damage = damage ?? error
    }
}
