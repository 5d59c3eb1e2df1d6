// A bitstream alone, without a file around it, as a picture: its rows go through conversion and scaling into a bitmap.

package import ImageCodecsCore

/// One bitstream from its first byte to its bitmap; `DecodingSession` drives it.
///
/// In WebP files the container's decoder does the same with what is in a chunk; this one is for bitstreams by themselves.
package struct VP8LPicture: StreamDecoder {
    package static var format: ImageFormat { .webP }

    /// What the header says.
    package private(set) var info: ImageInfo?
    /// How the bitstream is coded, as far as it was read.
    package var imageInfo: VP8LImageInfo { stream.imageInfo }
    /// Whether the last row was written, or as much read as is wanted.
    package private(set) var isComplete = false

    private let request: DecodingRequest
    private var stream: VP8LStream
    private var reusable: Bitmap?
    private var sink: RowSink?
    private var damage: ImageError?

    /// - Parameter reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    package init(_ request: DecodingRequest, reusable: consuming Bitmap? = nil) {
        self.request = request
        self.reusable = reusable
        stream = VP8LStream(.picture, meter: request.meter)
    }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        if info == nil {
            position = try stream.consume(bytes, offset: offset, isFinal: isFinal, work: &work) { _, _ in }
            guard let header = stream.header else { return position }
            try beginPicture(header, work)
        }
        guard !isComplete, var rows = sink.take() else { return position }
        defer { sink = rows }
        position += try stream.consume(
            bytes.extracting(droppingFirst: position), offset: offset + position, isFinal: isFinal, work: &work
        ) { row, y in rows.write(row, y: y) }
        isComplete = stream.isComplete
        return position
    }

    private mutating func beginPicture(_ header: VP8LHeader, _ work: WorkGuard) throws(ImageError) {
        let layout = SampleLayout.bgra
        // Whether pixels are opaque they say themselves; the header's flag is a hint.
        let plan = try OutputPlan(
            size: header.size, hasAlpha: true, nearestFormat: layout.nearestFormat, orientation: .up,
            deliversRows: true, options: request.options)
        var estimate = MemoryEstimate(byteCount: plan.peakByteCount())
        estimate.add(VP8LStream.estimatedByteCount(.picture, size: header.size))
        let description = ImageInfo(
            format: .webP, size: header.size, hasAlpha: header.alphaIsUsed, bitDepth: 8, colorDescription: "RGBA",
            decodedSize: plan.resultSize, decodedFormat: plan.format,
            estimatedPeakByteCount: estimate.byteCount)
        try request.admit(estimate.byteCount)
        info = description
        guard request.purpose.decodesPixels else {
            isComplete = true
            return
        }
        sink = try RowSink(plan: plan, layout: layout, reusable: &reusable, meter: request.meter, work: work)
    }

    package mutating func makeUnique() throws(ImageError) {
        try stream.makeUnique()
        try sink?.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = self.damage ?? damage
        sink?.endPartialPictures()
        if damage != nil { try sink?.clearUnfilledRows(work: work) }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap { try sink?.result(work: work) ?? .empty }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try sink?.partialPicture(work: work) ?? .empty
    }

    package var hasCostlyPartialPictures: Bool { sink?.hasCostlyPartialPictures ?? false }

    package var hasPicture: Bool { sink?.hasPixels ?? false }

    package mutating func drainChanges() -> PixelRect? { sink?.drainChanges() }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard !isComplete || damage != nil, sink != nil else { return nil }
        return PartialReport(rows: [0..<stream.rowCount], cause: damage)
    }

    package var metadata: ImageMetadata { ImageMetadata() }
}
