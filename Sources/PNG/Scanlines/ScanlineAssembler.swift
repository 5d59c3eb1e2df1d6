// From compressed image data to finished rows: joins the inflater and the reconstruction of scanlines.
//
//   IDAT bytes ──▶ Inflater ──▶ unpacked bytes ──▶ ScanlineReconstruction ──▶ ScanlineConsumer
//
// Rows are made once many unpacked bytes wait, so that up to four can be unfiltered side by side while they are in the
// cache. Rows that still wait when the input ends are made by `finishRows`.

import DeflateCodec
package import ImageCodecsCore

/// Turns one zlib stream, the joined contents of IDAT chunks, into the scanlines of a picture.
///
/// Size, depth and passes are those of the header it is made for. A value: a copy is a checkpoint.
package struct ScanlineAssembler: Sendable {
    /// Whether every row and the stream's checksum were read.
    package private(set) var isFinished = false
    /// What zlib's own checksum of all rows says about them.
    package private(set) var checksum = StreamChecksum.pending

    /// What is known about the Adler-32 at the end of the stream.
    package enum StreamChecksum: Hashable, Sendable {
        /// Not read; it never is if the stream holds more than the picture.
        case pending
        /// It is that of the rows; or the stream has none, and is whole.
        case right
        /// Another than that of the rows, or missing where it should be.
        case wrong
    }

    /// How far a picture is: a row of a pass; after the last pass there is none.
    package struct Place: Hashable, Sendable {
        package let pass: Adam7.Pass?
        package let rowInPass: Int

        /// This or another place of the picture, whichever comes first.
        package func orEarlier(_ other: Place) -> Place {
            guard let pass else { return other }
            guard let otherPass = other.pass else { return self }
            return (pass.number, rowInPass) <= (otherPass.number, other.rowInPass) ? self : other
        }
    }

    /// The pass being decoded, or the one the picture consists of; `nil` after the last row.
    package var pass: Adam7.Pass? { reconstruction?.pass }

    /// Rows of that pass that are finished.
    package var rowInPass: Int { reconstruction?.rowInPass ?? 0 }

    /// How far this picture is.
    package var place: Place { Place(pass: pass, rowInPass: rowInPass) }

    /// How far it will be with the rows that wait, if nothing is wrong with them.
    package var placeWithWaitingRows: Place {
        if let reconstruction { return reconstruction.place(with: inflater.unpackedByteCount) }
        guard let ahead else { return place }
        if ahead.isDone { return Place(pass: nil, rowInPass: 0) }
        return Place(pass: ahead.pass, rowInPass: ahead.row + inflater.unpackedByteCount / ahead.lineByteCount)
    }

    private let form: ScanlineForm
    private var inflater: Inflater
    /// Makes rows of unpacked bytes; `nil` while it is lent to a second thread.
    private var reconstruction: ScanlineReconstruction?
    /// While a second thread makes rows: how many of them were unpacked and handed to it.
    private var ahead: Ahead?
    /// Where in the file the stream begins. Errors in rows name this offset: how far the input was read when the
    /// row was made depends on how it was cut.
    private var start: Int?

    /// Lines of a picture that is not interlaced, unpacked and handed over.
    private struct Ahead: Sendable {
        let pass: Adam7.Pass
        /// Bytes of a line, filter type included.
        let lineByteCount: Int
        var row: Int

        var isDone: Bool { row == pass.size.height }
        var byteCountLeft: Int { lineByteCount.multipliedSaturated(by: pass.size.height - row) }
    }
}

extension ScanlineAssembler {
    /// Allocates what decoding needs. Not an initialiser: those copy large values when they hand them over, reference by reference.
    ///
    /// - Parameter header: says what the stream holds.
    package static func make(header: ImageHeader, meter: MemoryMeter?) throws(ImageError) -> ScanlineAssembler {
        let form = ScanlineForm(header)
        return ScanlineAssembler(
            form: form,
            inflater: try Inflater(capacity: form.capacity, isRaw: header.isAppleVariant, meter: meter),
            reconstruction: try ScanlineReconstruction(header, form, meter: meter))
    }

    /// Makes the buffers this value's own, so that no line that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        try inflater.makeUnique()
        try reconstruction?.makeUnique()
    }

    /// Bytes held while decoding. Saturates.
    package static func byteCount(_ header: ImageHeader) -> Int { ScanlineForm(header).byteCount }

    /// Decodes as far as `input` allows, but for a few rows that may wait for those below; see
    /// ``finishRows(into:_:)``.
    ///
    /// - Parameters:
    ///   - input: the next bytes of the stream; all of them are consumed unless it ends before.
    ///   - offset: where they lie in the file.
    ///   - consumer: gets every scanline that is finished.
    package mutating func consume(
        _ input: Span<UInt8>, offset: Int, into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        try unpack(input, offset: offset, &work) { (assembler, isPressed, work) throws(ImageError) in
            try assembler.makeRows(isPressed: isPressed, into: &consumer, &work)
        }
    }

    /// Whether nothing but the checksum is left.
    private var isBehindRows: Bool { ahead.map(\.isDone) ?? (pass == nil) }

    /// Unpacks as far as `input` allows.
    ///
    /// - Parameter makeRows: called when as many bytes wait as may; gets whether all whole rows have to be consumed.
    private mutating func unpack(
        _ input: Span<UInt8>, offset: Int, _ work: inout WorkGuard,
        _ makeRows: (inout ScanlineAssembler, Bool, inout WorkGuard) throws(ImageError) -> Void
    ) throws(ImageError) {
        var position = 0
        if start == nil { start = offset }
        while !isFinished {
            try work.check()
            if isBehindRows {
                let rest = input.extracting(droppingFirst: position)
                guard try readChecksum(rest, offset: offset + position, &work) else { return }
                continue
            }
            let rest = input.extracting(droppingFirst: position).extracting(first: Self.inputStepByteCount)
            let limit = min(form.capacity, ahead?.byteCountLeft ?? reconstruction?.byteCountLeft ?? 0)
            let (step, damage) = inflate(rest, limit: limit)
            position += step.consumed
            let isFull = inflater.unpackedByteCount == limit
            let isEnded = damage != nil || step.isFinished
            if isFull || isEnded { try makeRows(&self, isEnded, &work) }
            if let damage { throw recordDamage(damage, offset: offset + position) }
            if step.isFinished && !isBehindRows {
                throw .corrupt(
                    .png, .pngImageDataShort, offset: offset + position, reason: "image data ends before the last row")
            }
            if !isFull && (position == input.count || step.consumed == 0) { return }
        }
    }

    /// A call of the inflater gets no more bytes than this: empty blocks make no output that would end the call. This many bytes
    /// of such blocks, each of twelve bytes with new tables, took three milliseconds.
    private static let inputStepByteCount = 1 << 14

    /// Makes the rows that wait.
    ///
    /// The caller calls this before it reports anything about the picture, or acts on what comes next in the input,
    /// an error included: the rows of the input so far come first.
    package mutating func finishRows(
        into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard pass != nil, inflater.unpackedByteCount > 0 else { return }
        try makeRows(isPressed: true, into: &consumer, &work)
    }

    /// Unpacks. Damage is reported together with what was read before it, so that rows which are whole are kept however the
    /// input was cut.
    private mutating func inflate(_ input: Span<UInt8>, limit: Int) -> (InflateStep, InflateError?) {
        do throws(InflateError) {
            return (try inflater.inflate(input, limit: limit), nil)
        } catch {
            if case .damaged(_, let partial) = error { return (partial, error) }
            return (InflateStep(consumed: 0, produced: 0, isFinished: false), error)
        }
    }

    /// Makes rows of what is unpacked.
    private mutating func makeRows(
        isPressed: Bool, into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        try Self.makeRows(
            of: &inflater, &reconstruction, isPressed: isPressed, offset: start ?? 0, into: &consumer, &work)
    }

    private static func makeRows(
        of inflater: inout Inflater, _ reconstruction: inout ScanlineReconstruction?, isPressed: Bool, offset: Int,
        into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        var taken = 0
        do throws(ImageError) {
            try inflater.withUnpacked { (unpacked) throws(ImageError) in
                try reconstruction?.reconstruct(
                    unpacked, isPressed: isPressed, taken: &taken, offset: offset, into: &consumer, &work)
            }
        } catch {
            // After a wrong row nothing waits any more.
            inflater.discard(inflater.unpackedByteCount)
            throw error
        }
        inflater.discard(taken)
    }

    /// Reads the end of the stream after the last row; answers `false` when more input is needed.
    ///
    /// More data than the picture needs is ignored, as libpng does.
    private mutating func readChecksum(
        _ input: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var position = 0
        while true {
            try work.check()
            let rest = input.extracting(droppingFirst: position).extracting(first: Self.inputStepByteCount)
            let (step, damage) = inflate(rest, limit: 1)
            position += step.consumed
            // Damage after surplus data is ignored like the data: whether it is seen yet depends on the cut.
            isFinished = step.isFinished || step.produced > 0
            if let damage, !isFinished { throw recordDamage(damage, offset: offset + position) }
            if step.isFinished && step.produced == 0 { checksum = .right }
            if isFinished { return true }
            if position == input.count || step.consumed == 0 { return false }
        }
    }

    /// The error for a stream that cannot be read on.
    ///
    /// After the last row nothing but the checksum is left. A stream that ends early may have a wrong one too.
    private mutating func recordDamage(_ damage: InflateError, offset: Int) -> ImageError {
        switch damage {
        case .outOfMemory:
            return .limitExceeded(.memory, requested: Inflater.byteCount(capacity: form.capacity), allowed: 0)
        case .damaged(let message, _):
            if isBehindRows || message == InflateError.wrongChecksum { checksum = .wrong }
            let code: DamageCode = message == InflateError.wrongChecksum ? .pngImageDataChecksum : .pngImageDataStream
            return .corrupt(.png, code, offset: offset, reason: "image data: \(message)")
        }
    }
}

// MARK: - Rows made elsewhere

extension ScanlineAssembler {
    /// Lends the reconstruction of a picture that is not interlaced; until it is returned, this assembler only unpacks.
    ///
    /// - Returns: `nil` after the last row.
    mutating func lendReconstruction() -> ScanlineReconstruction? {
        guard let pass, pass.number == 0 else { return nil }
        ahead = Ahead(pass: pass, lineByteCount: form.lineByteCount + 1, row: rowInPass)
        return reconstruction.take()
    }

    /// Takes back what makes rows.
    ///
    /// - Parameter isDamaged: whether a row was damaged. What was unpacked ahead of it is dropped then, and the checksum
    ///   counts as not read yet, as if the rows had been made on the caller's thread.
    mutating func returnReconstruction(_ reconstruction: consuming ScanlineReconstruction, isDamaged: Bool) {
        self.reconstruction = reconstruction
        ahead = nil
        guard isDamaged else { return }
        inflater.discard(inflater.unpackedByteCount)
        checksum = .pending
    }

    /// Unpacks as far as `input` allows, while rows are made elsewhere.
    ///
    /// - Parameters:
    ///   - input: the next bytes of the stream; all of them are consumed unless it ends before.
    ///   - offset: where they lie in the file.
    ///   - batch: gets whole lines; what is left of one line waits.
    ///   - exchange: takes a full batch and gives an empty one.
    mutating func unpack(
        _ input: Span<UInt8>, offset: Int, into batch: inout ScanlineBatch, _ work: inout WorkGuard,
        exchange: (inout ScanlineBatch) throws(ImageError) -> Void
    ) throws(ImageError) {
        try unpack(input, offset: offset, &work) { (assembler, _, _) throws(ImageError) in
            try assembler.handOver(to: &batch, exchange)
        }
    }

    private mutating func handOver(
        to batch: inout ScanlineBatch, _ exchange: (inout ScanlineBatch) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard let lineByteCount = ahead?.lineByteCount else { return }
        batch.offset = start ?? 0
        while true {
            let room = (batch.bytes.byteCount - batch.byteCount) / lineByteCount
            let rows = min(inflater.unpackedByteCount / lineByteCount, room)
            guard rows > 0 else { return }
            let range = batch.byteCount..<batch.byteCount + rows * lineByteCount
            inflater.withUnpacked { unpacked in
                batch.bytes.withMutableBytes(range) { $0.copy(unpacked.extracting(first: range.count)) }
            }
            inflater.discard(range.count)
            ahead?.row += rows
            batch.byteCount = range.upperBound
            guard rows == room else { return }
            try exchange(&batch)
            batch.offset = start ?? 0
        }
    }
}
