// Between a format's row decoder and a session: header, rows, trailer.
//
//   bytes ──▶ RowImageDecoder ──▶ one row ──▶ RowSink ──▶ Bitmap

/// One file of a format from outside of this package.
struct RowStream<Decoder: RowImageDecoder>: StreamDecoder {
    static var format: ImageFormat { Decoder.format }

    private(set) var info: ImageInfo?
    /// Whether the trailer was read, or, of an inspection, the headers.
    private(set) var isComplete = false
    private let request: DecodingRequest
    private var reusable: Bitmap?
    private var decoder: Decoder
    private var sink: RowSink?
    /// The row that is being read, and how far it is.
    private var row: ScratchBuffer?
    private var filledByteCount = 0
    /// Bytes of whole pixels that a decoder is asked for at a time: between two of them the clock is asked.
    private var windowByteCount = 0
    private var rowCount = 0
    private var damage: ImageError?

    init(_ request: DecodingRequest, _ decoder: Decoder, reusable: consuming Bitmap?) {
        self.request = request
        self.decoder = decoder
        self.reusable = reusable
    }

    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete {
            let rest = bytes.extracting(droppingFirst: position)
            guard let used = try advance(rest, offset: offset + position, &work) else { break }
            position += used
        }
        return position
    }

    /// Reads one syntax element; `nil` when there have to be more bytes for it.
    private mutating func advance(
        _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        guard let info else { return try readHeader(bytes, &work) }
        guard rowCount < info.size.height else { return try readTrailer(bytes, offset: offset) }
        return try readPixels(bytes, offset: offset, &work)
    }

    private mutating func readHeader(_ bytes: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> Int? {
        let limit = Decoder.maxHeaderByteCount
        let seen = bytes.extracting(first: min(bytes.count, limit))
        try work.spend(1)
        guard let header = try decoder.readHeader(seen) else {
            guard seen.count < limit else {
                throw damaged("header-length", 0, "no end of the headers in \(limit) bytes")
            }
            return nil
        }
        precondition(header.byteCount >= 0 && header.byteCount <= seen.count, "a header of more bytes than there are")
        guard !header.size.isEmpty else { throw damaged("header-size", 0, "size of \(header.size) pixels") }
        try beginRows(header, work)
        return header.byteCount
    }

    private func damaged(_ code: String, _ offset: Int, _ reason: String) -> ImageError {
        // The last part of the identifier, whatever the format is called in messages.
        let name = Self.format.rawValue.split(separator: ".").last ?? "image"
        return .corrupt(Self.format, DamageCode(rawValue: "\(name).\(code)"), offset: offset, reason: reason)
    }

    /// The headers are complete: plans the output and allocates it.
    private mutating func beginRows(_ header: RowImageHeader, _ work: WorkGuard) throws(ImageError) {
        let layout = SampleLayout.pixels(header.pixelFormat)
        let plan = try OutputPlan(
            size: header.size, hasAlpha: layout.hasAlpha, nearestFormat: header.pixelFormat,
            orientation: header.metadata.orientation, deliversRows: true, options: request.options)
        let rowByteCount = layout.bytesPerRow(width: header.size.width)
        windowByteCount = (1 << 16) / header.pixelFormat.bytesPerPixel * header.pixelFormat.bytesPerPixel
        let info = describe(header, plan, rowByteCount: rowByteCount)
        try request.admit(info.estimatedPeakByteCount)
        self.info = info
        guard request.purpose != .inspection else {
            isComplete = true
            return
        }
        // Cleared, for a decoder may claim pixels that it did not write.
        row = try ScratchBuffer(byteCount: rowByteCount, filledWith: 0, meter: request.meter)
        sink = try RowSink(plan: plan, layout: layout, reusable: &reusable, meter: request.meter, work: work)
    }

    private func describe(_ header: RowImageHeader, _ plan: OutputPlan, rowByteCount: Int) -> ImageInfo {
        var estimate = MemoryEstimate(byteCount: plan.peakByteCount())
        estimate.add(rowByteCount)
        estimate.add(max(0, header.workingByteCount))
        var info = ImageInfo(
            format: Self.format, size: header.size, hasAlpha: header.pixelFormat.hasAlpha, bitDepth: header.bitDepth,
            colorDescription: header.colorDescription, orientation: header.metadata.orientation,
            decodedSize: plan.resultSize, decodedFormat: plan.format, estimatedPeakByteCount: estimate.byteCount,
            metadata: header.metadata)
        info.isLossy = header.isLossy
        return info
    }

    private mutating func readPixels(
        _ bytes: Span<UInt8>, offset: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        // Out of `self` for the call, so that the buffer is not shared.
        guard var row = row.take() else { return nil }
        defer { self.row = row }
        let window = filledByteCount..<min(row.byteCount, filledByteCount + windowByteCount)
        var written = 0
        let used = try row.withMutablePixels(window) { (pixels) throws(ImageError) in
            try decoder.readPixels(
                bytes.extracting(first: WorkGuard.stepByteCount), offset: offset, into: &pixels,
                filledByteCount: &written)
        }
        precondition(
            used >= 0 && used <= bytes.count && written >= 0 && written <= window.count,
            "a row decoder used more bytes than there are, or wrote more than there is room for")
        filledByteCount += written
        try work.spend(used + written + 1)
        if filledByteCount == row.byteCount {
            row.withBytes { sink?.write($0, y: rowCount) }
            rowCount += 1
            filledByteCount = 0
        } else if used == 0, written == 0 {
            guard bytes.count < Decoder.maxUnitByteCount else {
                throw .invalidArgument("the \(Self.format.name) decoder made no progress on \(bytes.count) bytes")
            }
            return nil
        }
        return used
    }

    private mutating func readTrailer(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) -> Int? {
        let seen = bytes.extracting(first: min(bytes.count, Decoder.maxUnitByteCount))
        guard let used = try decoder.readTrailer(seen, offset: offset) else {
            guard seen.count < Decoder.maxUnitByteCount else {
                throw .invalidArgument("the \(Self.format.name) decoder finds no end in \(seen.count) bytes")
            }
            return nil
        }
        precondition(used >= 0 && used <= seen.count, "a trailer of more bytes than there are")
        isComplete = true
        return used
    }

    // MARK: The picture

    var metadata: ImageMetadata { info?.metadata ?? ImageMetadata() }

    var hasPicture: Bool { sink?.hasPixels ?? false }

    var hasCostlyPartialPictures: Bool { sink?.hasCostlyPartialPictures ?? false }

    mutating func makeUnique() throws(ImageError) {
        try row?.makeUnique()
        try sink?.makeUnique()
    }

    mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = damage
        sink?.endPartialPictures()
        if damage != nil { try sink?.clearUnfilledRows(work: work) }
    }

    func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap { try sink?.result(work: work) ?? .empty }

    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink?.partialPicture(work: work) ?? .empty
    }

    func partialReport(isEnded: Bool) -> PartialReport? {
        guard info != nil, !isComplete || damage != nil else { return nil }
        return PartialReport(rows: rowCount > 0 ? [0..<rowCount] : [], cause: damage)
    }

    mutating func drainChanges() -> PixelRect? { sink?.drainChanges() }

}
