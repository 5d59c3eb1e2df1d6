// The decoder of the VP8L bitstream: bits in, rows out. The pipeline, in order:
//
//   bits ──▶ header ──▶ transforms, each with a small image ──▶ entropy image ──▶ prefix codes (PrefixCodes/)
//        ──▶ pixels: literals, copies, colors of the cache (Pixels/, Kernels/PixelKernel)
//        ──▶ transforms undone, rows (Transforms/, Kernels/)

package import ImageCodecsCore

/// One bitstream from its first byte to its last row.
///
/// A value: a copy is a checkpoint. Decoding stops and goes on at any byte, between two symbols of a code length code or two
/// pixels; what is not whole is read again, which is at most eight bytes.
///
/// Source: RFC 9649 section 3 "Specification for WebP Lossless Bitstream".
package struct VP8LStream: Sendable {
    /// What the bitstream is.
    package enum Role: Hashable, Sendable {
        /// A picture, with a header.
        case picture
        /// The alpha plane of a lossy picture of this size: no header, and the green channel is the plane.
        case alpha(PixelSize)
    }

    /// How much of it is wanted.
    package enum Extent: Hashable, Sendable {
        case rows
        /// What ``VP8LStream/imageInfo`` says: the bitstream is complete after the prefix codes, and pixels are not decoded.
        case headers
    }

    private enum Phase: Sendable {
        case header
        /// Whether there is a transform more, and its header.
        case transforms
        case transformImage(TransformHeader)
        case colorCache
        /// Whether there is an entropy image, and the size of its blocks.
        case metaPrefixCodes
        case entropyImage(sizeBits: Int)
        case prefixCodes
        case pixels
        case ended
    }

    /// Size and flags, once they are read; for an alpha plane from the start.
    package private(set) var header: VP8LHeader?
    /// Rows that were handed over.
    package private(set) var rowCount = 0
    /// How the bitstream is coded, as far as it was read.
    package private(set) var imageInfo = VP8LImageInfo()

    private let role: Role
    private let extent: Extent
    private let meter: MemoryMeter?
    private let windowSlack: Int
    private var phase: Phase
    /// Bits of the first unread byte that are read.
    private var bitOffset = 0
    private var buffer: CodeLengthBuffer?
    private var headers: [TransformHeader] = []
    private var transforms: [Transform] = []
    /// An image of a transform, or the entropy image.
    private var small: CodedImage?
    private var image: CodedImage?
    private var inverse: InverseTransforms?

    /// - Parameters:
    ///   - role: what the bitstream is.
    ///   - extent: how much of it is wanted.
    ///   - meter: counts what is held.
    ///   - windowSlack: pixels that are held of a large picture besides those that a copy can reach; for tests, which have
    ///     smaller pictures.
    package init(_ role: Role, extent: Extent = .rows, meter: MemoryMeter?, windowSlack: Int = largeWindowSlack) {
        self.role = role
        self.extent = extent
        self.meter = meter
        self.windowSlack = windowSlack
        phase = .header
        if case .alpha(let size) = role {
            header = VP8LHeader(planeSize: size)
            phase = .transforms
        }
    }

    /// Pixels besides those that a copy can reach, about: as many again.
    package static let largeWindowSlack = PixelWindow.usualSlack

    /// Whether everything that is wanted is decoded.
    package var isComplete: Bool { if case .ended = phase { true } else { false } }

    /// Makes every buffer this value's own, so that decoding on does not copy it.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    package mutating func makeUnique() throws(ImageError) {
        try buffer?.makeUnique()
        try small?.makeUnique()
        try image?.makeUnique()
        try inverse?.makeUnique()
    }

    /// Decodes as far as the bytes go.
    ///
    /// After the header it returns once before anything is allocated, so that a caller can see whether the size is
    /// within its limits.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes.
    ///   - offset: where they begin in the file.
    ///   - isFinal: whether no more bytes will come; what is missing then is the caller's to report.
    ///   - work: asked in every loop whose length the bytes decide.
    ///   - take: gets each finished row once, from top to bottom: of a picture four bytes a pixel, blue, green, red and
    ///     straight alpha; of an alpha plane one byte a pixel.
    /// - Returns: how many bytes are not needed again. The rest comes again, with more after it.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard,
        take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        if case .header = phase {
            guard let header = try VP8LHeader(bytes, offset: offset) else { return 0 }
            self.header = header
            phase = .transforms
            return VP8LHeader.byteCount
        }
        guard !isComplete else { return 0 }
        var reader = VP8LBitReader(position: bitOffset, fileOffset: offset)
        try bytes.withRawSpan { (bytes) throws(ImageError) in
            while !isComplete, try advance(&reader, bytes, work: &work, take) {}
        }
        bitOffset = isComplete ? 0 : reader.position % 8
        return isComplete ? (reader.position + 7) / 8 : reader.position / 8
    }

    /// Takes one step.
    ///
    /// - Returns: `false` if more bytes are needed.
    private mutating func advance(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, work: inout WorkGuard, _ take: (RawSpan, Int) -> Void
    ) throws(ImageError) -> Bool {
        guard let header else { return false }
        var buffer = try handedOverBuffer()
        defer { self.buffer = buffer }
        switch phase {
        case .header, .ended: return false
        case .transforms: return try readTransform(&reader, bytes, header.size, work: &work)
        case .transformImage(let header):
            guard try small?.readWhole(&reader, bytes, &buffer, work: &work) == true else { return false }
            try add(header, work: &work)
        case .colorCache:
            guard try image?.readColorCache(&reader, bytes) == true else { return false }
            imageInfo.colorCacheBits = image?.cacheBits ?? 0
            phase = .metaPrefixCodes
        case .metaPrefixCodes: return try readMetaPrefixCodes(&reader, bytes)
        case .entropyImage(let sizeBits):
            guard try small?.readWhole(&reader, bytes, &buffer, work: &work) == true else { return false }
            try beginPrefixCodes(sizeBits: sizeBits, work: &work)
        case .prefixCodes:
            guard try image?.readPrefixCodes(&reader, bytes, &buffer, work: &work) == true else { return false }
            try beginPixels()
        case .pixels: return try decodeRows(&reader, bytes, work: &work, take)
        }
        return true
    }

    /// The buffer for code lengths, moved out so that nothing else of this value is in use with it.
    private mutating func handedOverBuffer() throws(ImageError) -> CodeLengthBuffer {
        if let kept = buffer {
            buffer = nil
            return kept
        }
        return try CodeLengthBuffer(meter: meter)
    }

    // MARK: Transforms

    private mutating func readTransform(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ size: PixelSize, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let start = reader
        let size = headers.last?.codedSize ?? size
        guard let isThere = reader.read(1, bytes) else { return false }
        guard isThere == 1 else {
            image = CodedImage(size: size, windowSlack: windowSlack, meter: meter)
            phase = .colorCache
            return true
        }
        guard let header = try TransformHeader.read(&reader, bytes, size: size, seen: headers) else {
            reader = start
            return false
        }
        headers.append(header)
        imageInfo.transforms.append(header.info)
        guard let imageSize = header.imageSize else {
            try add(header, work: &work)
            return true
        }
        small = CodedImage(size: imageSize, meter: meter)
        phase = .transformImage(header)
        return true
    }

    /// Adds a transform whose image is decoded.
    private mutating func add(_ header: TransformHeader, work: inout WorkGuard) throws(ImageError) {
        transforms.append(try Transform(header, image: small, meter: meter, work: &work))
        small = nil
        phase = .transforms
    }

    // MARK: Prefix codes

    private mutating func readMetaPrefixCodes(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan
    ) throws(ImageError) -> Bool {
        let start = reader
        guard let isThere = reader.read(1, bytes), let image else { return false }
        guard isThere == 1 else {
            try self.image?.beginPrefixCodes(nil)
            phase = .prefixCodes
            return true
        }
        guard let bits = reader.read(3, bytes) else {
            reader = start
            return false
        }
        imageInfo.metaPrefixBlockSize = 4 << bits
        small = CodedImage(size: image.size.reduced(by: 4 << bits), meter: meter)
        phase = .entropyImage(sizeBits: bits + 2)
        return true
    }

    private mutating func beginPrefixCodes(sizeBits: Int, work: inout WorkGuard) throws(ImageError) {
        guard let entropyImage = small, let pixels = entropyImage.pixels else { return }
        let blocks = try MetaPrefixCodes(
            pixels, size: entropyImage.size, sizeBits: sizeBits, meter: meter, work: &work)
        small = nil
        try image?.beginPrefixCodes(blocks)
        phase = .prefixCodes
    }

    // MARK: Pixels

    private mutating func beginPixels() throws(ImageError) {
        imageInfo.prefixCodeGroupCount = image?.codes?.groupCount ?? 0
        imageInfo.declaredPrefixCodeGroupCount = image?.declaredGroupCount ?? 0
        imageInfo.tableByteCount = image?.codes?.byteCount ?? 0
        guard extent == .rows, let size = header?.size else {
            phase = .ended
            image = nil
            transforms = []
            return
        }
        try image?.beginPixels(wantsOnlyGreen: headers.last?.kind == .colorIndexing)
        inverse = try InverseTransforms(
            transforms, size: size, codedAsBytes: image?.keepsOnlyGreen == true, isPlane: role != .picture,
            meter: meter)
        transforms = []
        phase = .pixels
    }

    /// Decodes some rows and finishes them.
    private mutating func decodeRows(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, work: inout WorkGuard, _ take: (RawSpan, Int) -> Void
    ) throws(ImageError) -> Bool {
        guard let size = image?.size, let bandHeight = inverse?.bandHeight else { return false }
        let runHeight = max(bandHeight, CodedImage.runPixelCount / size.width / bandHeight * bandHeight)
        let stop = min(rowCount + runHeight, size.height)
        let pause = try image?.decodePixels(
            to: stop * size.width, finishedRowCount: rowCount, &reader, bytes, work: &work)
        let decoded = (image?.position ?? 0) / size.width
        let firstHeldRow = image?.firstHeldRow ?? 0
        while rowCount < decoded, let pixels = image?.pixels {
            let band = rowCount..<min(rowCount + bandHeight, decoded)
            inverse?.finish(pixels, from: firstHeldRow, rows: band, take: take)
            rowCount = band.upperBound
            try work.spend(band.count * size.width)
        }
        if rowCount == size.height { phase = .ended }
        // After the rows before it.
        if pause == .outside { throw CodedImage.copyDamage(reader) }
        return pause == .reachedStop
    }
}
