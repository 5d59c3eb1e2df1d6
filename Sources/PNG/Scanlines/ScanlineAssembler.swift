// From compressed image data to finished rows: inflate, cut into scanlines, undo filters, hand to a consumer.
//
//   IDAT bytes ──▶ inflater ──▶ [ line above | line | line | ... ] ──▶ undo filter in place ──▶ ScanlineConsumer
//
// Lines are inflated many at a time, straight to where they are unfiltered; the last line of a full buffer
// moves to its front and is the line above of the next.

package import ImageCore

/// Turns one zlib stream, the joined contents of IDAT chunks, into the scanlines of a picture.
///
/// Size, depth and passes are those of the header it is made for. A value: a copy is a checkpoint.
package struct ScanlineAssembler: Sendable {
    /// The pass being decoded, or the one the picture consists of; `nil` after the last row.
    package private(set) var pass: Adam7.Pass?
    /// Rows of that pass that are finished.
    package private(set) var rowInPass = 0
    /// Whether every row and the stream's checksum were read.
    package private(set) var isFinished = false
    /// What zlib's own checksum of all rows says about them.
    package private(set) var checksum = StreamChecksum.pending

    /// What is known about the Adler-32 at the end of the stream.
    package enum StreamChecksum: Hashable, Sendable {
        /// Not read; it never is where the stream holds more than the picture.
        case pending
        case right
        /// Another than the rows have, or none where it should be.
        case wrong
    }

    /// How far a picture is: a row of a pass; behind the last pass there is none.
    package struct Place: Hashable, Sendable {
        package let pass: Adam7.Pass?
        package let rowInPass: Int
    }

    /// How far this picture is.
    package var place: Place { Place(pass: pass, rowInPass: rowInPass) }

    private let header: ImageHeader
    private let indexCheck: IndexCheck?
    private var laterPasses: [Adam7.Pass]
    private var inflater: ZlibInflater
    private var lines: ScratchBuffer

    /// Where inflated lines start: behind room for the line above.
    private let linesStart: Int
    /// Where the lines of the current pass that fit into the buffer end.
    private var linesEnd = 0
    /// Where inflated bytes end.
    private var fillEnd = 0
    /// Where the first unfinished line starts, at its filter type byte.
    private var lineStart = 0
    /// Where the finished line above starts, behind its filter type byte.
    private var aboveStart = 0
    /// Bytes of the current pass that are not inflated yet.
    private var bytesLeftInPass = 0

    /// Lines are inflated in runs of about this size: large enough to spare zlib calls, small enough to stay
    /// in the second-level cache until they are converted.
    private static let runByteCount = 128 << 10
    /// A call of the inflater produces no more than this, so that the clock is asked in time where a line is long: a
    /// byte may unpack to a thousand.
    private static let longestStepByteCount = 1 << 20

    /// Allocates what decoding needs.
    ///
    /// - Parameters:
    ///   - header: says what the stream holds.
    ///   - paletteCount: entries of the palette; an index beyond them is an error. `nil` where none is looked for.
    package init(header: ImageHeader, paletteCount: Int?, meter: MemoryMeter?) throws(ImageError) {
        self.header = header
        if let paletteCount, header.colorType == .indexed, paletteCount < 1 << header.bitDepth {
            indexCheck = IndexCheck(paletteCount: paletteCount, bitDepth: header.bitDepth)
        } else {
            indexCheck = nil
        }
        let passes = Self.passes(of: header)
        pass = passes.first
        laterPasses = passes.dropFirst().reversed()
        linesStart = header.bytesPerScanline(width: header.size.width)
        inflater = try ZlibInflater(meter: meter)
        lines = try ScratchBuffer(zeroedByteCount: Self.bufferByteCount(header), meter: meter)
        startPass()
    }

    /// Makes the buffers this value's own, so that no line that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        try inflater.makeUnique()
        try lines.makeUnique()
    }

    /// Bytes held while decoding. Saturates.
    package static func byteCount(_ header: ImageHeader) -> Int {
        bufferByteCount(header).addingSaturated(ZlibInflater.memoryByteCount)
    }

    /// Every pass with pixels; a picture that is not interlaced is a pass of its own.
    private static func passes(of header: ImageHeader) -> [Adam7.Pass] {
        if header.isInterlaced { return Adam7.passes(of: header.size) }
        return [Adam7.Pass(number: 0, x: 0, columnStep: 1, y: 0, rowStep: 1, size: header.size)]
    }

    /// Room for the line above and a run of lines, but no more lines than there are.
    private static func bufferByteCount(_ header: ImageHeader) -> Int {
        let line = header.bytesPerScanline(width: header.size.width)
        let count = min(max(1, runByteCount / (line + 1)), header.size.height)
        // A line has at most 2^34 bytes, and lines are counted as long as they are short: no overflow.
        return line + count * (line + 1)
    }

    private var bytesPerRow: Int { header.bytesPerScanline(width: pass?.size.width ?? 0) }

    private mutating func startPass() {
        rowInPass = 0
        guard let pass else { return }
        let line = bytesPerRow + 1
        linesEnd = linesStart + (lines.byteCount - linesStart) / line * line
        // 2^31 lines of 2^34 bytes overflow; of so many none is ever missing.
        bytesLeftInPass = line.multipliedSaturated(by: pass.size.height)
        // The buffer is zero before the first pass.
        if fillEnd > 0 { lines.fill(0..<bytesPerRow, with: 0) }
        aboveStart = 0
        lineStart = linesStart
        fillEnd = linesStart
    }

    /// Decodes as far as `input` allows.
    ///
    /// - Parameters:
    ///   - input: the next bytes of the stream; all of them are consumed unless it ends before.
    ///   - offset: where they lie in the file.
    ///   - consumer: gets every scanline that is finished.
    package mutating func consume(
        _ input: Span<UInt8>, offset: Int, into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        var position = 0
        while !isFinished {
            try work.check()
            let rest = input.extracting(droppingFirst: position)
            if pass == nil {
                guard try readChecksum(rest, offset: offset + position) else { return }
                continue
            }
            let room = min(linesEnd - fillEnd, bytesLeftInPass, Self.longestStepByteCount)
            let (step, damage) = Self.inflate(rest, with: &inflater, into: &lines, fillEnd..<fillEnd + room)
            position += step.consumed
            fillEnd += step.produced
            bytesLeftInPass -= step.produced
            try finishLines(offset: offset + position, into: &consumer, &work)
            if let damage { throw note(damage, offset: offset + position) }
            if step.isFinished && pass != nil {
                throw .corrupt(
                    .png, .pngImageDataShort, offset: offset + position, reason: "image data ends before the last row")
            }
            if step.produced < room && pass != nil { return }
        }
    }

    /// Inflates into the free part of the buffer. Damage is told beside what was read in front of it, so that
    /// rows which are whole are kept however the input was cut.
    private static func inflate(
        _ input: Span<UInt8>, with inflater: inout ZlibInflater, into lines: inout ScratchBuffer, _ range: Range<Int>
    ) -> (InflateStep, InflateError?) {
        var (step, damage) = (InflateStep(consumed: 0, produced: 0, isFinished: false), InflateError?.none)
        lines.withMutableBytes { bytes in
            do throws(InflateError) {
                step = try inflater.inflate(input, into: &bytes, range)
            } catch {
                damage = error
                if case .damaged(_, let partial) = error { step = partial }
            }
        }
        return (step, damage)
    }

    /// Unfilters and hands out every line that is complete, and goes on to the next pass after the last.
    private mutating func finishLines(
        offset: Int, into consumer: inout some ScanlineConsumer, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let pass else { return }
        let rowByteCount = bytesPerRow
        let distance = header.filterDistance
        var (start, above, row) = (lineStart, aboveStart, rowInPass)
        let end = fillEnd
        let indices = indexCheck
        defer { (lineStart, aboveStart, rowInPass) = (start, above, row) }
        try lines.withMutableBytes { (bytes) throws(ImageError) in
            while end - start > rowByteCount {
                guard let filter = ScanlineFilter(rawValue: bytes.bytes.byte(at: start)) else {
                    throw .corrupt(
                        .png, .pngFilterType, offset: offset,
                        reason: "filter type \(bytes.bytes.byte(at: start)) in row \(row)")
                }
                // Rows of one pixel may be many in a buffer; long ones come one by one.
                try work.spend(rowByteCount)
                filter.undo(
                    in: &bytes, row: start + 1, above: above, byteCount: rowByteCount, distance: distance)
                let pixels = bytes.bytes.extracting(start + 1..<start + 1 + rowByteCount)
                try indices?.check(pixels, width: pass.size.width, row: row, offset: offset)
                consumer.take(pixels, row: row, of: pass)
                above = start + 1
                start += rowByteCount + 1
                row += 1
            }
        }
        if row == pass.size.height {
            self.pass = laterPasses.popLast()
            if self.pass != nil {
                startPass()
                (start, above, row) = (lineStart, aboveStart, rowInPass)
            }
        } else if end == linesEnd {
            // The buffer is full, hence ends with a whole line: that is the next line above.
            lines.withMutableBytes { $0.move(from: above, to: 0, count: rowByteCount) }
            (start, above) = (linesStart, 0)
            fillEnd = linesStart
        }
    }

    /// Reads the end of the stream behind the last row; answers `false` when more input is needed.
    ///
    /// More data than the picture needs is ignored, as libpng does.
    private mutating func readChecksum(_ input: Span<UInt8>, offset: Int) throws(ImageError) -> Bool {
        let (step, damage) = Self.inflate(input, with: &inflater, into: &lines, 0..<1)
        // Damage behind surplus data is ignored like the data: whether it is seen yet depends on the cut.
        isFinished = step.isFinished || step.produced > 0
        if let damage, !isFinished { throw note(damage, offset: offset) }
        if step.isFinished && step.produced == 0 { checksum = .right }
        return isFinished
    }

    /// The error for a stream that cannot be read on.
    ///
    /// Behind the last row nothing but the checksum is left. A stream that ends early may have a wrong one too.
    private mutating func note(_ damage: InflateError, offset: Int) -> ImageError {
        switch damage {
        case .outOfMemory:
            return .limitExceeded(.memory, requested: ZlibInflater.memoryByteCount, allowed: 0)
        case .damaged(let message, _):
            if pass == nil || message == InflateError.wrongChecksum { checksum = .wrong }
            let code: DamageCode = message == InflateError.wrongChecksum ? .pngImageDataChecksum : .pngImageDataStream
            return .corrupt(.png, code, offset: offset, reason: "image data: \(message)")
        }
    }
}

/// The strict rule for indexed colour: an index beyond the palette is an error.
///
/// Source: PNG 3rd ed. §11.2.2 "PLTE Palette".
private struct IndexCheck: Sendable {
    let paletteCount: Int
    let bitDepth: Int

    func check(_ pixels: RawSpan, width: Int, row: Int, offset: Int) throws(ImageError) {
        let largest = RowConverter.largestIndex(pixels, width: width, bits: bitDepth)
        guard largest < paletteCount else {
            throw .corrupt(
                .png, .pngPaletteIndex, offset: offset,
                reason: "palette index \(largest) in row \(row), with \(paletteCount) palette entries")
        }
    }
}
