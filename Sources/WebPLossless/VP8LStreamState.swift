// What a VP8L stream knows between two pieces: the steps of a bitstream, from header to rows.

import ImageCodecsCore

/// A bitstream while it is decoded.
struct VP8LStreamState: Sendable {
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
    private(set) var header: VP8LHeader?
    /// Rows that were handed over.
    private(set) var rowCount = 0
    private var info = VP8LImageInfo()

    private let role: VP8LStream.Role
    private let extent: VP8LStream.Extent
    private let meter: MemoryMeter?
    private let windowSlack: Int
    private var phase: Phase
    /// Bits of the first unread byte that are read.
    private var bitOffset = 0
    private var workspace: VP8LWorkspace?
    private var headers: [TransformHeader] = []
    private var transforms: [Transform] = []
    /// An image of a transform, or the entropy image.
    private var small: CodedImage?
    private var image: CodedImage?
    private var inverse: InverseTransforms?

    /// See ``VP8LStream``.
    init(_ role: VP8LStream.Role, extent: VP8LStream.Extent, meter: MemoryMeter?, windowSlack: Int) {
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

    /// Whether everything that is wanted is decoded.
    var isComplete: Bool { if case .ended = phase { true } else { false } }

    /// How the bitstream is coded, as far as it was read.
    var imageInfo: VP8LImageInfo {
        var info = info
        info.transforms = headers.map(\.info)
        return info
    }

    mutating func makeUnique() throws(ImageError) {
        try workspace?.makeUnique()
        try small?.makeUnique()
        try image?.makeUnique()
        try inverse?.makeUnique()
    }

    /// See ``VP8LStream/consume(_:offset:isFinal:work:take:)``.
    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, work: inout WorkGuard, take: (_ row: RawSpan, _ y: Int) -> Void
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
        if workspace == nil { workspace = try VP8LWorkspace(meter: meter) }
        guard var workspace = workspace.take() else { return false }
        defer { self.workspace = workspace }
        switch phase {
        case .header, .ended: return false
        case .transforms: return try readTransform(&reader, bytes, header.size, work: &work)
        case .transformImage(let header):
            guard try small?.readWhole(&reader, bytes, &workspace, work: &work) == true else { return false }
            try add(header, work: &work)
        case .colorCache:
            guard try image?.readColorCache(&reader, bytes) == true else { return false }
            info.colorCacheBits = image?.cacheBits ?? 0
            phase = .metaPrefixCodes
        case .metaPrefixCodes: return try readMetaPrefixCodes(&reader, bytes)
        case .entropyImage(let sizeBits):
            guard try small?.readWhole(&reader, bytes, &workspace, work: &work) == true else { return false }
            try beginPrefixCodes(sizeBits: sizeBits, work: &work)
        case .prefixCodes:
            guard try image?.readPrefixCodes(&reader, bytes, &workspace, work: &work) == true else { return false }
            try beginPixels(&workspace)
        case .pixels: return try decodeRows(&reader, bytes, &workspace, work: &work, take)
        }
        return true
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
        info.metaPrefixBlockSize = 4 << bits
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

    private mutating func beginPixels(_ workspace: inout VP8LWorkspace) throws(ImageError) {
        info.prefixCodeGroupCount = image?.codes?.groupCount ?? 0
        info.declaredPrefixCodeGroupCount = image?.declaredGroupCount ?? 0
        info.tableByteCount = image?.codes?.byteCount ?? 0
        guard extent == .rows, let size = header?.size else {
            phase = .ended
            image = nil
            transforms = []
            return
        }
        try image?.beginPixels(&workspace, wantsOnlyGreen: headers.last?.kind == .colorIndexing)
        inverse = try InverseTransforms(transforms, size: size, isPlane: role != .picture, meter: meter)
        transforms = []
        phase = .pixels
    }

    /// Decodes some rows and finishes them.
    private mutating func decodeRows(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace, work: inout WorkGuard,
        _ take: (RawSpan, Int) -> Void
    ) throws(ImageError) -> Bool {
        guard let size = image?.size, let bandHeight = inverse?.bandHeight else { return false }
        let runHeight = max(bandHeight, CodedImage.runPixelCount / size.width / bandHeight * bandHeight)
        let stop = min(rowCount + runHeight, size.height)
        let pause = try image?.decodePixels(
            to: stop * size.width, finishedRowCount: rowCount, &reader, bytes, &workspace, work: &work)
        let decoded = (image?.position ?? 0) / size.width
        let (firstHeldRow, areBytes) = (image?.firstHeldRow ?? 0, image?.keepsOnlyGreen == true)
        while rowCount < decoded, let pixels = image?.pixels {
            let band = rowCount..<min(rowCount + bandHeight, decoded)
            inverse?.finish(pixels, areBytes: areBytes, from: firstHeldRow, rows: band, take: take)
            rowCount = band.upperBound
            try work.spend(band.count * size.width)
        }
        if rowCount == size.height { phase = .ended }
        // After the rows before it.
        if pause == .outside { throw CodedImage.copyDamage(reader) }
        return pause == .reachedStop
    }
}
