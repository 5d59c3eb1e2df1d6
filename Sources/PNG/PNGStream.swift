// The PNG decoder: a state machine over chunks. The pipeline, in order:
//
//   bytes ──▶ chunks (Chunks/) ──▶ inflate (module Deflate) ──▶ scanlines, filters, Adam7 (Scanlines/)
//         ──▶ sample expansion, scaling, bitmap (ImageCore's RowSink)

package import ImageCodecsCore

/// One PNG file from its signature to its picture; `DecodingSession` drives it.
///
/// An inspection reads the same chunks but skips the image data: so it knows the metadata after them,
/// and reports the same about a file as a decode does.
///
/// Source: Portable Network Graphics (PNG) Specification, 3rd edition (W3C, 2025).
package struct PNGStream: StreamDecoder {
    package static var format: ImageFormat { .png }

    /// What the headers say; known once the first IDAT chunk begins.
    package var info: ImageInfo? {
        guard var info = description?.value else { return nil }
        info.metadata = chunks.metadata
        info.trailingByteCount = trailingByteCount
        return info
    }

    /// What `info` returns, without metadata: if they were held here too, each chunk that adds to them would copy them all.
    package private(set) var description: Indirect<ImageInfo>?
    private let request: DecodingRequest
    private var reusable: Bitmap?
    /// Reads the chunks one by one; `APNGStream` also takes the chunks of an animation from it.
    package var reader = ChunkReader()
    /// What to do with the image data; `APNGStream` may want a canvas besides the picture, or nothing of them.
    package var imageUse: ImageUse
    /// Whether IEND was read.
    package private(set) var isComplete = false
    /// Bytes after IEND, once that was read.
    private var trailingByteCount: Int?
    private var chunks: HeaderChunks
    /// Whether image data have begun.
    package private(set) var hasImageData = false
    private var assembler: Indirect<ScanlineAssembler>?
    private var sink: RowSink?
    /// While a piece of the file is read: the second thread that makes rows, and the batch of unpacked bytes it gets next.
    private var pipeline: ScanlinePipeline?
    private var batch: ScanlineBatch?
    private var policy = HelperPolicy(unit: 1)
    /// The first damage that was tolerated, or else the error that ended the decode.
    private var damage: ImageError?
    /// How far the rows were when the newest IDAT chunk began, and when the first one with a wrong checksum did.
    private var chunkStart: ScanlineAssembler.Place?
    private var lastIntact: ScanlineAssembler.Place?

    /// What becomes of the image data.
    package enum ImageUse: Hashable, Sendable {
        /// They are passed over.
        case none
        /// They become the picture.
        case picture
        /// They become the picture, and a canvas in this format.
        case pictureAndCanvas(PixelFormat)

        var isForCanvas: Bool { if case .pictureAndCanvas = self { true } else { false } }
    }
}

extension PNGStream {
    /// Not an initialiser: those copy large values when they hand them over, reference by reference.
    ///
    /// - Parameter reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    package static func make(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) -> PNGStream {
        PNGStream(
            request: request, reusable: reusable, imageUse: request.purpose.decodesPixels ? .picture : .none,
            chunks: HeaderChunks(request))
    }

    /// The header, once IHDR was read.
    package var header: ImageHeader? { chunks.header }

    /// What a scanline holds; known when the image data begin.
    package var layout: SampleLayout? { chunks.header.map { chunks.layout($0) } }

    package var metadata: ImageMetadata { chunks.metadata }

    /// Reads as many whole chunks as there are.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        do throws(ImageError) {
            while !isComplete, let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
                try advance(step, bytes, offset: offset, &work)
            }
        } catch {
            // The rows before the error are made first; an error in them is reported instead.
            try finishRows(&work)
            throw error
        }
        try finishRows(&work)
        return position
    }

    /// Takes one step of ``reader``.
    package mutating func advance(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        do throws(ImageError) {
            try perform(step, bytes, offset: offset, &work)
        } catch {
            guard endsInspection(error) else { throw error }
            isComplete = true
        }
    }

    private mutating func perform(
        _ step: ChunkReader.Step, _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        switch step {
        case .begins(let chunk):
            try beginChunk(chunk, &work)
        case .whole(let chunk, let body, let checksums):
            try read(chunk, bytes.extracting(body), checksums, &work)
        case .piece(_, let body):
            guard imageUse != .none else { return }
            try beginPipeline(byteCount: bytes.count - body.lowerBound, work)
            try assembleLines(bytes.extracting(body), offset + body.lowerBound, &work)
        case .ends(let chunk, let checksums):
            // What is wrong with its rows comes before a wrong checksum.
            if !checksums.agree { try finishRows(&work) }
            try verify(checksums, of: chunk)
        }
    }

    /// Whether a tolerant inspection ends here without an error. A tolerant decode ends at damaged image data and never sees
    /// an unsupported or too large chunk after them; an inspection skips the image data and does see it.
    private func endsInspection(_ error: ImageError) -> Bool {
        guard request.purpose == .inspection, request.options.strictness == .tolerant, hasImageData else {
            return false
        }
        return switch error {
        case .unsupported, .limitExceeded(.metadata, _, _), .limitExceeded(.memory, _, _): true
        default: false
        }
    }

    /// At the first chunk after IDAT: makes the rows that wait, and throws if the image data end before the last row.
    ///
    /// Damaged image data end a tolerant decode, whichever chunk comes after them. An error in a row is
    /// thrown before this chunk is acted on, whichever thread makes the rows.
    package mutating func checkImageData(
        before chunk: ChunkHeader, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard chunk.type != .imageData else { return }
        try finishRows(&work)
        if let assembler, !assembler.value.isFinished, imageUse != .none {
            throw .corrupt(
                .png, .pngImageDataShort, offset: chunk.offset,
                reason: "\(chunk.type.name) before the image data is complete")
        }
    }

    private mutating func beginChunk(_ chunk: ChunkHeader, _ work: inout WorkGuard) throws(ImageError) {
        try checkImageData(before: chunk, &work)
        switch try chunks.disposition(of: chunk, hasImageData: hasImageData) {
        case .read:
            reader.accept(chunk, .whole)
        case .skip:
            break
        case .imageData:
            if !hasImageData { try beginImage(work) }
            chunkStart = assembler?.value.placeWithWaitingRows
            if imageUse != .none { reader.accept(chunk, .pieces()) }
        case .end:
            guard hasImageData else {
                throw .corrupt(.png, .pngImageDataMissing, offset: chunk.offset, reason: "no image data")
            }
            // IEND should be empty; what is in it nevertheless is passed over, as libpng does.
            if chunk.length == 0 { reader.accept(chunk, .whole) } else { end() }
        }
    }

    private mutating func end() { (isComplete, trailingByteCount) = (true, 0) }

    /// Records bytes after IEND; where reading ended at damage, nobody knows what follows.
    package mutating func recordTrailing(byteCount: Int) {
        if trailingByteCount != nil { trailingByteCount = byteCount }
    }

    /// Reads a chunk that was wanted as a whole. Ancillary chunks with a wrong checksum are passed over.
    private mutating func read(
        _ chunk: ChunkHeader, _ body: Span<UInt8>, _ checksums: ChunkChecksums, _ work: inout WorkGuard
    ) throws(ImageError) {
        if chunk.type == .imageEnd {
            try verify(checksums, of: chunk)
            end()
            return
        }
        guard checksums.agree else {
            guard chunk.type.isCritical else { return }
            throw Self.wrongChecksum(of: chunk)
        }
        try chunks.read(chunk, body: body, hasImageData: hasImageData, &work)
        // Before anything is kept of a picture that is too large.
        if chunk.type == .imageHeader, let header = chunks.header {
            try request.options.limits.check(size: header.size)
        }
    }

    /// Compares the checksum of a critical chunk. Tolerant decoding records the damage and goes on: zlib's own
    /// checksum still guards the pixels, but until it agrees, rows from here on are not reported as decoded.
    private mutating func verify(_ checksums: ChunkChecksums, of chunk: ChunkHeader) throws(ImageError) {
        guard !checksums.agree else { return }
        let error = Self.wrongChecksum(of: chunk)
        guard request.options.strictness == .tolerant else { throw error }
        damage = damage ?? error
        if chunk.type == .imageData { lastIntact = lastIntact ?? chunkStart }
    }

    package static func wrongChecksum(of chunk: ChunkHeader) -> ImageError {
        .corrupt(.png, .pngChunkCRC, offset: chunk.checksumOffset, reason: "wrong CRC of \(chunk.type.name)")
    }
}

// MARK: - The picture

extension PNGStream {
    /// The headers are complete: plans the output and allocates it.
    private mutating func beginImage(_ work: WorkGuard) throws(ImageError) {
        guard let header = chunks.header else { return }
        let layout = chunks.layout(header)
        let plan = try OutputPlan(
            size: header.size, hasAlpha: layout.hasAlpha, nearestFormat: layout.nearestFormat,
            orientation: chunks.metadata.orientation,
            deliversRows: header.rowOrder == .topToBottom && !imageUse.isForCanvas, options: request.options)
        let estimate = Self.estimate(header, layout, plan, options: request.options)
        try request.admit(estimate.byteCount)
        description = Indirect(describe(header, layout, plan, estimate.byteCount))
        hasImageData = true
        guard imageUse != .none else { return }
        assembler = Indirect(try ScanlineAssembler.make(header: header, meter: request.meter))
        var canvasFormat: PixelFormat?
        if case .pictureAndCanvas(let format) = imageUse, !plan.hasPixels(of: format) { canvasFormat = format }
        sink = try RowSink(
            plan: plan, layout: layout, order: header.rowOrder, echo: canvasFormat, reusable: &reusable,
            meter: request.meter, work: work)
    }

    /// What decoding a picture takes: the result, and what is held between the chunks and the rows.
    private static func estimate(
        _ header: ImageHeader, _ layout: SampleLayout, _ plan: OutputPlan, options: DecodingOptions
    ) -> MemoryEstimate {
        var estimate = MemoryEstimate(plan, layout: layout, order: header.rowOrder)
        estimate.add(ScanlineAssembler.byteCount(header))
        estimate.add(ScanlinePipeline.byteCount(header, threads: options.maxThreadCount))
        return estimate
    }

    private func describe(
        _ header: ImageHeader, _ layout: SampleLayout, _ plan: OutputPlan, _ estimatedPeakByteCount: Int
    ) -> ImageInfo {
        var info = ImageInfo(
            format: .png, size: header.size, hasAlpha: layout.hasAlpha, bitDepth: header.bitDepth,
            colorDescription: header.colorType.description, isProgressive: header.isInterlaced,
            orientation: chunks.metadata.orientation, decodedSize: plan.resultSize,
            decodedFormat: plan.format, estimatedPeakByteCount: estimatedPeakByteCount)
        info.hasUndecodedAnimation = chunks.hasAnimation
        return info
    }

    /// Starts a second thread that makes the rows, if that is allowed and there is enough input.
    private mutating func beginPipeline(byteCount: Int, _ work: WorkGuard) throws(ImageError) {
        // After a wrong checksum each may be wrong, and a thread would be begun for one chunk at a time.
        guard pipeline == nil, damage == nil, let header = chunks.header, assembler?.value.pass != nil,
            ScanlinePipeline.isPossible(header, threads: request.options.maxThreadCount),
            ScanlinePipeline.secondThread.isWorthwhile(byteCount: byteCount)
        else { return }
        var batches = try ScanlinePipeline.makeBatches(header, meter: request.meter)
        batch = batches.popLast()
        guard let reconstruction = assembler?.value.lendReconstruction(), let sink = sink.take() else { return }
        pipeline = ScanlinePipeline(
            ScanlineRenderer(reconstruction: reconstruction, sink: sink, work: work), spare: batches, policy: policy)
    }

    /// Waits for the rows that are made on a second thread, and takes back what makes them.
    private mutating func endPipeline() throws(ImageError) {
        guard let pipeline = pipeline.take() else { return }
        var failure: ImageError?
        var renderer: ScanlineRenderer?
        do throws(ImageError) {
            if var batch = batch.take(), batch.byteCount > 0 { try pipeline.exchange(&batch) }
        } catch {
            failure = error
        }
        do throws(ImageError) {
            try pipeline.finish(&renderer, policy: &policy)
        } catch {
            failure = error
        }
        if let renderer {
            assembler?.value.returnReconstruction(renderer.reconstruction, isDamaged: failure != nil)
            sink = renderer.sink
        }
        if let failure { throw failure }
    }

    /// Feeds image data to the assembler. Data after the end of the stream is ignored.
    private mutating func assembleLines(
        _ data: Span<UInt8>, _ offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        // Out of `self` for the call, so that the buffers in them are not shared.
        guard var lines = assembler.take() else { return }
        if let pipeline, var next = batch.take() {
            defer { (assembler, batch) = (lines, next) }
            return try lines.value.unpack(data, offset: offset, into: &next, &work) { (batch) throws(ImageError) in
                try pipeline.exchange(&batch)
            }
        }
        defer { assembler = lines }
        try sink?.takeRows(of: data, offset: offset, from: &lines.value, &work)
    }

    /// Makes the rows that wait in the assembler: at the end of every piece of the file.
    package mutating func finishRows(_ work: inout WorkGuard) throws(ImageError) {
        guard imageUse != .none else { return }
        try endPipeline()
        // Out of `self` for the call, as above.
        guard var lines = assembler.take() else { return }
        defer { assembler = lines }
        try sink?.takeWaitingRows(from: &lines.value, &work)
    }

    package mutating func makeUnique() throws(ImageError) {
        try assembler?.value.makeUnique()
        try sink?.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = self.damage ?? damage
        sink?.endPartialPictures()
        guard damage != nil, let header = chunks.header, let assembler else { return }
        if header.isInterlaced {
            try sink?.fillGaps(assembler.value.gaps, work: work)
        } else {
            try sink?.clearUnfilledRows(work: work)
        }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink?.result(work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let assembler else { return .empty }
        return try sink?.partialPicture(work: work, filling: assembler.value.gaps) ?? .empty
    }

    package var hasCostlyPartialPictures: Bool { sink?.hasCostlyPartialPictures ?? false }

    package var hasPicture: Bool { sink?.hasPixels ?? false }

    package mutating func drainChanges() -> PixelRect? { sink?.drainChanges() }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard !isComplete || damage != nil, let header = chunks.header, let assembler else { return nil }
        guard let place = decodedPlace(assembler.value) else {
            let passes = header.isInterlaced ? PartialReport.Progress(done: 0, total: 7) : nil
            return PartialReport(rows: [], passes: passes, cause: damage)
        }
        let height = header.size.height
        guard header.isInterlaced else {
            return PartialReport(rows: [0..<(place.pass == nil ? height : place.rowInPass)], cause: damage)
        }
        let done = (place.pass?.number ?? 8) - 1
        // Pass 7 brings the odd rows: with k of them, the first 2k rows are complete.
        let isLast = place.pass.map { $0.number == 7 } ?? true
        let rows = isLast ? min(height, (place.pass == nil ? height : 2 * place.rowInPass)) : 0
        return PartialReport(
            rows: rows > 0 ? [0..<rows] : [], passes: PartialReport.Progress(done: done, total: 7), cause: damage)
    }

    /// How far the rows count as decoded: all that came if zlib's checksum agrees, otherwise those before the first IDAT
    /// chunk with a wrong checksum. Without such a chunk: all while zlib's is still to come, `nil` if it is wrong,
    /// because nothing says which rows are damaged. Rows that waited when that chunk began count if they were made.
    private func decodedPlace(_ assembler: ScanlineAssembler) -> ScanlineAssembler.Place? {
        let intact = lastIntact?.orEarlier(assembler.place)
        return switch assembler.checksum {
        case .right: assembler.place
        case .pending: intact ?? assembler.place
        case .wrong: intact
        }
    }

}

// MARK: - The first frame of an animation

extension PNGStream {
    /// Records damage around the picture that is tolerated.
    package mutating func recordDamage(_ error: ImageError) { damage = damage ?? error }

    /// Gives up the image data because of `damage`; the chunks after them are still read.
    package mutating func endImage(damage: ImageError, work: WorkGuard) throws(ImageError) {
        try end(damage: damage, work: work)
        imageUse = .none
    }

    /// Whether every row and zlib's checksum came; also `true` if no image data are decoded.
    package var isImageWhole: Bool { assembler?.value.isFinished ?? true }

    /// Rows that are finished, from the top; 0 of an interlaced picture that is not whole.
    package var canvasRowCount: Int {
        guard let header = chunks.header, let assembler else { return 0 }
        if assembler.value.pass == nil { return header.size.height }
        return header.isInterlaced ? 0 : assembler.value.rowInPass
    }

    /// The picture as canvas of an animation; `nil` if it is not decoded, or is interlaced and not whole.
    package mutating func handOverCanvas(_ format: PixelFormat, work: WorkGuard) throws(ImageError) -> Bitmap? {
        guard let header = chunks.header, let assembler, !header.isInterlaced || assembler.value.pass == nil else {
            return nil
        }
        let meter = request.meter
        return try sink?.handOverCanvas(format, mayShowBitmap: true, meter: meter, work: work)
    }
}

extension RowSink {
    /// Takes the rows that an assembler makes of image data, but for those that may wait.
    fileprivate mutating func takeRows(
        of data: Span<UInt8>, offset: Int, from lines: inout ScanlineAssembler, _ work: inout WorkGuard
    ) throws(ImageError) {
        try lines.consume(data, offset: offset, into: &self, &work)
    }

    /// Takes the rows that wait.
    fileprivate mutating func takeWaitingRows(
        from lines: inout ScanlineAssembler, _ work: inout WorkGuard
    ) throws(ImageError) {
        try lines.finishRows(into: &self, &work)
    }
}

extension ImageHeader {
    /// How the rows come.
    fileprivate var rowOrder: RowOrder { isInterlaced ? .passes : .topToBottom }
}

extension ScanlineAssembler {
    /// What shows where an interlaced picture has no pixels yet.
    fileprivate var gaps: Adam7.Gaps { Adam7.Gaps(next: pass, rowCount: rowInPass) }
}
