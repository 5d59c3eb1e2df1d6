// The PNG decoder: a state machine over chunks. The pipeline, in order:
//
//   bytes ──▶ chunks (Chunks/) ──▶ inflate (Compression/) ──▶ scanlines, filters, Adam7 (Scanlines/)
//         ──▶ sample expansion, scaling, bitmap (Output/, ImageCore's RowSink)
//
// One-shot and incremental decoding are the same machine; one-shot feeds it once.

public import ImageCore

/// Decodes one PNG file piece by piece.
///
/// Interlaced files show a coarse picture of full size after the first of their seven passes. A file is
/// complete only with its IEND chunk. Animated PNG files show their default image.
///
/// Source: Portable Network Graphics (PNG) Specification, 3rd edition (W3C, 2025).
public struct PNGDecoder: IncrementalImageDecoder {
    /// How much of a file is wanted.
    package enum Purpose: Hashable, Sendable {
        /// Headers only: stops in front of the image data.
        case inspection
        /// The whole picture at once.
        case oneShot
        /// Pictures before the file is complete.
        case incremental
    }

    private enum State: Hashable, Sendable {
        case signature
        case chunkHeader
        /// A chunk that is read when it is complete.
        case body(ChunkHeader)
        /// So many bytes of a chunk, its checksum included, that are passed over.
        case skipping(Int)
        /// Inside an IDAT chunk: bytes left in it, and the checksum of those before.
        case imageData(left: Int, Checksum)
        /// In front of the checksum of an IDAT chunk.
        case imageDataChecksum(Checksum)
        /// In front of the checksum of IEND, behind so many bytes that should not be there.
        case endChecksum(ChunkHeader)
        /// Behind the picture: everything is ignored.
        case finished
    }

    /// What the headers say; known once the first IDAT chunk begins.
    public private(set) var info: ImageInfo?

    private let options: DecodingOptions
    private let purpose: Purpose
    private let meter: MemoryMeter
    private var donor: Bitmap?
    private var work: WorkGuard
    private var input = InputBuffer()
    private var state = State.signature
    private var chunks: HeaderChunks
    private var assembler: ScanlineAssembler?
    private var output: PixelOutput?
    private var isComplete = false
    /// The error that every later call throws.
    private var failure: ImageError?
    /// The first damage met in tolerant mode.
    private var damage: ImageError?

    /// A decoder that has seen nothing yet.
    public init(options: DecodingOptions = .default) {
        self.init(options: options, purpose: .incremental)
    }

    /// - Parameter donor: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(options: DecodingOptions, purpose: Purpose, donor: consuming Bitmap? = nil) {
        self.options = options
        self.purpose = purpose
        self.donor = donor
        meter = options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemory)
        work = WorkGuard(limits: options.limits)
        chunks = HeaderChunks(limits: options.limits)
    }

    /// Decodes as far as `newBytes` allow; see `IncrementalImageDecoder`.
    public mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        if let failure { throw failure }
        work.begin()
        defer { work.end() }
        // Out of `self` for the call, because reading changes the rest of `self`.
        var buffer = input
        input = InputBuffer()
        defer { input = buffer }
        do {
            try buffer.feed(newBytes) { (bytes, offset) throws(ImageError) in try consume(bytes, offset) }
        } catch {
            try stop(error)
        }
        return progress(consumed: buffer.consumedCount)
    }

    /// Says that no more bytes will come; see `IncrementalImageDecoder`.
    public mutating func finish() throws(ImageError) -> DecodingProgress {
        if let failure { throw failure }
        if !isComplete {
            try stop(damage ?? .truncated(.png, offset: input.totalCount))
            guard hasPixels else {
                failure = damage
                throw damage ?? .truncated(.png, offset: input.totalCount)
            }
            if purpose == .oneShot, let assembler {
                output?.finishPartial(pass: assembler.pass, rows: assembler.rowInPass)
            }
        }
        return progress(consumed: input.consumedCount)
    }

    /// The picture so far; see `IncrementalImageDecoder`.
    public func image() throws(ImageError) -> Image? {
        guard let output, let assembler, hasPixels else { return nil }
        return Image(
            bitmap: try output.bitmap(pass: assembler.pass, rows: assembler.rowInPass),
            scale: options.scaleFactor,
            orientation: options.appliesOrientation ? .up : chunks.metadata.orientation,
            format: .png, partial: partialReport, metadata: chunks.metadata)
    }

    /// Whether a row was decoded and shows in the result.
    private var hasPixels: Bool {
        guard let assembler, let first = firstPassNumber, output?.hasPixels == true else { return false }
        return assembler.rowInPass > 0 || assembler.pass?.number != first
    }

    private var firstPassNumber: Int? {
        chunks.header.map { $0.isInterlaced ? 1 : 0 }
    }

    /// What is real of an unfinished or damaged picture.
    private var partialReport: PartialReport? {
        guard !isComplete || damage != nil, let header = chunks.header, let assembler else { return nil }
        let height = header.size.height
        guard header.isInterlaced else {
            return PartialReport(rows: [0..<(assembler.pass == nil ? height : assembler.rowInPass)], cause: damage)
        }
        let done = (assembler.pass?.number ?? 8) - 1
        // A row is real once the pass that brings its last pixels has passed it.
        let isLast = assembler.pass.map { $0.number == 7 } ?? true
        let rows = isLast ? min(height, (assembler.pass == nil ? height : 2 * assembler.rowInPass)) : 0
        return PartialReport(
            rows: rows > 0 ? [0..<rows] : [], passes: PartialReport.Progress(done: done, total: 7), cause: damage)
    }

    private mutating func progress(consumed: Int) -> DecodingProgress {
        let stage: DecodingProgress.Stage
        if isComplete {
            stage = .complete
        } else if let assembler, let header = chunks.header {
            if let pass = assembler.pass {
                stage = header.isInterlaced ? .pass(pass.number, of: 7) : .rows(assembler.rowInPass)
            } else {
                stage = header.isInterlaced ? .pass(7, of: 7) : .rows(header.size.height)
            }
        } else {
            stage = .header
        }
        return DecodingProgress(stage: stage, changed: output?.takeChanged(), bytesConsumed: consumed)
    }

    /// Ends the decode: for good in strict mode, with what is there in tolerant mode where the data, not the
    /// caller, is to blame.
    private mutating func stop(_ error: ImageError) throws(ImageError) {
        switch error {
        case .corrupt, .truncated:
            guard options.strictness == .tolerant else { break }
            damage = damage ?? error
            state = .finished
            return
        default:
            break
        }
        failure = error
        throw error
    }
}

// MARK: - The state machine

extension PNGDecoder {
    /// The eight bytes every PNG file starts with (PNG 3rd ed. §5.2 "PNG signature").
    package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads as many whole units as there are.
    ///
    /// - Returns: how many bytes they took.
    private mutating func consume(_ bytes: Span<UInt8>, _ offset: Int) throws(ImageError) -> Int {
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(droppingFirst: position)
            let used = try advance(rest, offset + position)
            guard used > 0 else { break }
            position += used
        }
        return position
    }

    /// Reads one unit, or as much of a long one as there is; 0 means that it is not complete.
    private mutating func advance(_ bytes: Span<UInt8>, _ offset: Int) throws(ImageError) -> Int {
        switch state {
        case .signature:
            return try readSignature(bytes)
        case .chunkHeader:
            guard bytes.count >= ChunkHeader.byteCount else { return 0 }
            try beginChunk(try ChunkHeader(bytes, offset: offset))
            return ChunkHeader.byteCount
        case .body(let chunk):
            let byteCount = chunk.length + ChunkHeader.checksumByteCount
            guard bytes.count >= byteCount else { return 0 }
            state = .chunkHeader
            try readBody(chunk, bytes.extracting(first: byteCount))
            return byteCount
        case .skipping(let left):
            let used = min(left, bytes.count)
            state = used == left ? .chunkHeader : .skipping(left - used)
            return used
        case .imageData(let left, let checksum):
            return try readImageData(bytes.extracting(first: left), left: left, checksum, offset)
        case .imageDataChecksum(let checksum):
            guard bytes.count >= ChunkHeader.checksumByteCount else { return 0 }
            state = .chunkHeader
            try verify(checksum, bytes, .imageData, offset)
            return ChunkHeader.checksumByteCount
        case .endChecksum(let chunk):
            return try readEnd(chunk, bytes, offset)
        case .finished:
            return bytes.count
        }
    }

    private mutating func readSignature(_ bytes: Span<UInt8>) throws(ImageError) -> Int {
        for index in 0..<min(bytes.count, Self.signature.count) where bytes[index] != Self.signature[index] {
            throw .unknownFormat
        }
        guard bytes.count >= Self.signature.count else { return 0 }
        state = .chunkHeader
        return Self.signature.count
    }

    private mutating func beginChunk(_ chunk: ChunkHeader) throws(ImageError) {
        let disposition = try chunks.disposition(of: chunk, hasImageData: assembler != nil)
        if let assembler, disposition != .imageData, !assembler.isFinished {
            throw .corrupt(
                .png, offset: chunk.offset,
                reason: "\(chunk.type.name) before the image data is complete")
        }
        switch disposition {
        case .read:
            state = .body(chunk)
        case .skip:
            state = .skipping(chunk.length + ChunkHeader.checksumByteCount)
        case .imageData:
            if assembler == nil { try beginImage() }
            guard state != .finished else { return }
            let checksum = Checksum(.imageData)
            state = chunk.length > 0 ? .imageData(left: chunk.length, checksum) : .imageDataChecksum(checksum)
        case .end:
            guard assembler != nil else {
                throw .corrupt(.png, offset: chunk.offset, reason: "no image data")
            }
            state = .endChecksum(chunk)
        }
    }

    /// Verifies and reads a chunk that was collected whole. Ancillary chunks with a wrong checksum are passed
    /// over.
    private mutating func readBody(_ chunk: ChunkHeader, _ bytes: Span<UInt8>) throws(ImageError) {
        let body = bytes.extracting(first: chunk.length)
        var checksum = Checksum(chunk.type)
        checksum.add(body)
        guard checksum.value == bytes.bigEndianUInt32(at: chunk.length) else {
            guard chunk.type.isCritical else { return }
            throw .corrupt(.png, offset: chunk.bodyOffset + chunk.length, reason: "wrong CRC of \(chunk.type.name)")
        }
        try chunks.read(chunk, body: body)
        if chunk.type == .exif && assembler != nil { try learnLateOrientation() }
    }

    private mutating func readImageData(
        _ data: Span<UInt8>, left: Int, _ checksum: Checksum, _ offset: Int
    ) throws(ImageError) -> Int {
        var checksum = checksum
        checksum.add(data)
        try assembleLines(data, offset)
        let stillLeft = left - data.count
        state = stillLeft > 0 ? .imageData(left: stillLeft, checksum) : .imageDataChecksum(checksum)
        return data.count
    }

    /// Compares the checksum of a critical chunk. Tolerant decoding notes the damage and goes on: zlib's own
    /// checksum still guards the pixels.
    private mutating func verify(
        _ checksum: Checksum, _ bytes: Span<UInt8>, _ type: ChunkType, _ offset: Int
    ) throws(ImageError) {
        guard checksum.value != bytes.bigEndianUInt32(at: 0) else { return }
        let error = ImageError.corrupt(.png, offset: offset, reason: "wrong CRC of \(type.name)")
        guard options.strictness == .tolerant else { throw error }
        damage = damage ?? error
    }

    /// IEND should be empty; what is in it nevertheless is passed over, as libpng does.
    private mutating func readEnd(
        _ chunk: ChunkHeader, _ bytes: Span<UInt8>, _ offset: Int
    ) throws(ImageError) -> Int {
        guard chunk.length == 0 else {
            isComplete = true
            state = .finished
            return bytes.count
        }
        guard bytes.count >= ChunkHeader.checksumByteCount else { return 0 }
        try verify(Checksum(.imageEnd), bytes, .imageEnd, offset)
        isComplete = true
        state = .finished
        return ChunkHeader.checksumByteCount
    }
}

// MARK: - The picture

extension PNGDecoder {
    /// The headers are complete: plans the output and allocates it.
    private mutating func beginImage() throws(ImageError) {
        guard let header = chunks.header else { return }
        let layout = chunks.layout(header)
        let plan = try makePlan(header, layout, chunks.metadata.orientation)
        try learn(makeInfo(header, layout, plan))
        guard purpose != .inspection else {
            isComplete = true
            state = .finished
            return
        }
        let paletteCount = chunks.palette?.colors.count ?? 0
        assembler = try ScanlineAssembler(
            header: header, paletteCount: paletteCount,
            checksIndices: options.strictness == .strict && header.colorType == .indexed
                && paletteCount < 1 << header.bitDepth,
            meter: meter)
        output = try PixelOutput(
            plan: plan, header: header, layout: layout, donor: &donor, showsPartial: purpose == .incremental,
            meter: meter)
    }

    private func makePlan(
        _ header: ImageHeader, _ layout: SampleLayout, _ orientation: Orientation
    ) throws(ImageError) -> OutputPlan {
        try OutputPlan(
            size: header.size, hasAlpha: layout.hasAlpha, nearestFormat: layout.nearestFormat,
            orientation: orientation, options: options)
    }

    /// Keeps a description, and refuses to go on where it promises more memory than there may be.
    private mutating func learn(_ info: ImageInfo) throws(ImageError) {
        self.info = info
        guard info.peakByteCount <= options.limits.maxMemory else {
            throw .limitExceeded(.memory, requested: info.peakByteCount, allowed: options.limits.maxMemory)
        }
    }

    private func makeInfo(_ header: ImageHeader, _ layout: SampleLayout, _ plan: OutputPlan) -> ImageInfo {
        ImageInfo(
            format: .png, size: header.size, hasAlpha: layout.hasAlpha, bitDepth: header.bitDepth,
            colorDescription: header.colorType.description, isProgressive: header.isInterlaced,
            orientation: chunks.metadata.orientation, decodedByteCount: plan.decodedByteCount,
            peakByteCount: PixelOutput.peakByteCount(plan, header: header, layout: layout)
                .addingSaturated(ScanlineAssembler.byteCount(header)),
            metadata: chunks.metadata)
    }

    /// An eXIf chunk behind the image data: the result is turned (and fitted into its box) at the end.
    private mutating func learnLateOrientation() throws(ImageError) {
        guard let header = chunks.header else { return }
        let layout = chunks.layout(header)
        let plan = try makePlan(header, layout, chunks.metadata.orientation)
        var info = makeInfo(header, layout, plan)
        let first = try makePlan(header, layout, .up)
        if first.targetSize != plan.targetSize {
            // Rows were scaled to fit the box as it seemed to lie; they are scaled once more at the end.
            info.peakByteCount = info.peakByteCount.addingSaturated(
                PixelOutput.peakByteCount(first, header: header, layout: layout))
        }
        try learn(info)
        output?.replan(plan)
    }

    /// After an inspection: what an eXIf chunk behind the image data adds, by hopping from chunk to chunk.
    ///
    /// - Returns: `nil` when there is none.
    package mutating func inspectTail(of file: Span<UInt8>) throws(ImageError) -> ImageInfo? {
        guard chunks.metadata.exif == nil else { return nil }
        var offset = Self.signature.count
        while file.count - offset >= ChunkHeader.byteCount {
            guard let chunk = try? ChunkHeader(file.extracting(droppingFirst: offset), offset: offset) else { break }
            let end = chunk.bodyOffset + chunk.length + ChunkHeader.checksumByteCount
            guard end <= file.count, chunk.type != .imageEnd else { break }
            if chunk.type == .exif {
                guard try chunks.disposition(of: chunk, hasImageData: true) == .read else { break }
                try readBody(chunk, file.extracting(chunk.bodyOffset..<end))
                try learnLateOrientation()
                return info
            }
            offset = end
        }
        return nil
    }

    /// Feeds image data to the assembler. Data behind the end of the stream is ignored.
    private mutating func assembleLines(_ data: Span<UInt8>, _ offset: Int) throws(ImageError) {
        // Out of `self` for the call, so that the buffers in them are not shared.
        guard var lines = assembler.take(), var pixels = output.take() else { return }
        defer { (assembler, output) = (lines, pixels) }
        try lines.consume(data, offset: offset, into: &pixels, work)
    }
}
