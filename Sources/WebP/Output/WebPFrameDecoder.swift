// One picture of the file, alone or a frame: the payloads of its chunks in, rows of pixels out.
//
//   ALPH ──▶ AlphaPlane ─────────────┐
//   VP8 or VP8L ──▶ PayloadDecoder ──┴──▶ rows of blue, green, red, alpha

import ImageCodecsCore
import WebPLossyCodec

/// Decodes the chunks of one picture while they come.
///
/// A value: a copy is a checkpoint.
struct WebPFrameDecoder: Sendable {
    /// The alpha of a lossy picture, if there is any; of a lossless one it is not looked at. In an array, so that what is rare
    /// takes no more than a reference.
    private var alpha: [AlphaPlane] = []
    private var payload = PayloadDecoder.none
    private var header: PictureHeader?
    /// A row that has its alpha.
    private var row: ScratchBuffer?
    /// Rows that came.
    private(set) var rowCount = 0
    private let threads: Int
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - threads: that may work on the picture.
    ///   - meter: counts the memory.
    init(threads: Int, meter: MemoryMeter?) {
        self.threads = threads
        self.meter = meter
    }

    /// The most memory that decoding a picture takes. Saturates.
    ///
    /// - Parameters:
    ///   - header: of its bitstream.
    ///   - hasAlphaChunk: whether an ALPH chunk stands before it.
    ///   - threads: that may work on the picture.
    static func byteCount(_ header: PictureHeader, hasAlphaChunk: Bool, threads: Int) -> Int {
        let payload = PayloadDecoder.byteCount(header, threads: threads)
        guard hasAlphaChunk else { return payload }
        return payload.addingSaturated(AlphaPlane.byteCount(header.size))
            .addingSaturated(header.size.width.multipliedSaturated(by: 4))
    }

    /// The most memory that a lossy picture takes, without its first partition. Saturates.
    ///
    /// - Parameters:
    ///   - size: of the picture.
    ///   - hasAlpha: whether an ALPH chunk comes before it.
    ///   - threads: that may work on it.
    static func byteCount(lossy size: PixelSize, hasAlpha: Bool, threads: Int) -> Int {
        let payload = PayloadDecoder.byteCount(lossy: size, firstPartitionByteCount: 0, threads: threads)
        guard hasAlpha else { return payload }
        return payload.addingSaturated(AlphaPlane.byteCount(size))
            .addingSaturated(size.width.multipliedSaturated(by: 4))
    }

    /// The most memory that any picture takes. Saturates.
    ///
    /// - Parameters:
    ///   - size: of the picture.
    ///   - threads: that may work on it.
    static func largestByteCount(_ size: PixelSize, threads: Int) -> Int {
        let lossless = PayloadDecoder.byteCount(lossless: size)
        guard max(size.width, size.height) <= PictureHeader.largestLossySide else { return lossless }
        return max(
            lossless,
            byteCount(lossy: size, hasAlpha: true, threads: threads)
                .addingSaturated(PictureHeader.largestPartitionByteCount))
    }

    /// Makes the buffers this value's own, so that decoding does not copy them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    mutating func makeUnique() throws(ImageError) {
        if !alpha.isEmpty { try alpha[0].makeUnique() }
        try payload.makeUnique()
        try row?.makeUnique()
    }

    /// Whether every row came.
    var isWhole: Bool { header.map { rowCount == $0.size.height } ?? false }

    /// Begins an ALPH chunk; one before it does not count any more.
    ///
    /// - Parameter size: that the picture is to have.
    /// - Throws: `limitExceeded(.memory)`.
    mutating func beginAlpha(size: PixelSize) throws(ImageError) {
        alpha = []
        // The picture after it needs more: without that, nothing of the plane is decoded.
        try meter?.check(Self.byteCount(lossy: size, hasAlpha: true, threads: threads))
        alpha = [try AlphaPlane(size: size, meter: meter)]
    }

    /// Decodes what there is of an ALPH chunk.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes of its payload.
    ///   - offset: where they stand in the file.
    ///   - isFinal: whether the payload ends after them.
    ///   - work: asked while rows are decoded.
    /// - Returns: how many bytes are not needed again.
    mutating func decodeAlpha(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        guard !alpha.isEmpty else { return bytes.count }
        return try alpha[0].consume(bytes, offset: offset, isFinal: isFinal, work: &work)
    }

    /// Begins the chunk with the picture.
    ///
    /// - Parameter header: of its bitstream.
    /// - Throws: `limitExceeded(.memory)`.
    mutating func beginPicture(_ header: PictureHeader) throws(ImageError) {
        self.header = header
        if header.kind == .lossless { alpha = [] }
        payload = PayloadDecoder(header, threads: threads, meter: meter)
        if !alpha.isEmpty { row = try ScratchBuffer(byteCount: header.size.width * 4, meter: meter) }
    }

    /// Decodes what there is of the picture.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes of its payload.
    ///   - offset: where they stand in the file.
    ///   - isFinal: whether no more will come.
    ///   - byteCount: bytes of the whole payload.
    ///   - work: asked while rows are decoded.
    ///   - place: asked for each row of a lossy picture without alpha, from the top.
    ///   - take: gets each row for which there is no place, from the top.
    /// - Returns: how many bytes are not needed again.
    /// - Throws: `corrupt` also if a row has no alpha because its data are damaged.
    mutating func decode(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, byteCount: Int, work: inout WorkGuard,
        place: RowPlacing = { _, _ in false }, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        guard !isWhole else { return bytes.count }
        guard !alpha.isEmpty else {
            defer { rowCount = payload.rowCount }
            return try payload.consume(
                bytes, offset: offset, isFinal: isFinal, byteCount: byteCount, work: &work, place: place, take: take)
        }
        var count = rowCount
        defer { rowCount = count }
        return try decodeWithAlpha(
            bytes, offset: offset, isFinal: isFinal, byteCount: byteCount, work: &work, &count, take)
    }

    /// Ends the chunk with the picture.
    ///
    /// - Throws: `corrupt` if rows are missing.
    func end(_ chunk: RIFFChunk) throws(ImageError) {
        guard !isWhole else { return }
        throw .corrupt(
            .webP, .webpImageDataShort, offset: chunk.bodyEnd, reason: "the image data end in row \(rowCount)")
    }

    /// The same for rows that get the alpha of the ALPH chunk before.
    private mutating func decodeWithAlpha(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, byteCount: Int, work: inout WorkGuard,
        _ count: inout Int, _ take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        guard let alpha = alpha.first, var buffer = row.take() else { return bytes.count }
        defer { row = buffer }
        var (used, damage) = (bytes.count, ImageError?.none)
        do throws(ImageError) {
            used = try payload.consume(
                bytes, offset: offset, isFinal: isFinal, byteCount: byteCount, work: &work
            ) { row, y in
                guard y < alpha.rowCount else { return }
                buffer.withMutableBytes { pixels in
                    alpha.withRow(y) { AlphaKernels.merge($0, with: row, into: &pixels) }
                }
                buffer.withBytes { take($0, y) }
                count = y + 1
            }
        } catch {
            guard error.isDamage else { throw error }
            damage = error
        }
        // What comes first counts, however much of the payload was there.
        if count == alpha.rowCount, let earlier = alpha.damage { throw earlier }
        if let damage { throw damage }
        return used
    }
}
