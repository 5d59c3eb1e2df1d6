import CodecTestSupport
import ImageCodecsCore

/// A decoder of a made-up format: `STRM`, a width, a height, an orientation, as many rows of gray samples, and `E`.
///
/// A row that begins with 254 is damaged; one that begins with 253 uses a feature nobody has.
struct StubStream: StreamDecoder {
    static let format = ImageFormat(rawValue: "test.stream")
    static let damage = DamageCode(rawValue: "test.damage")
    static let headerByteCount = 7

    let request: DecodingRequest
    /// What the headers promise besides the pixels.
    var extraPromise = 0
    var hasCostlyPartialPictures = false
    /// Whether each row is also a frame of an animation.
    var isMovie = false
    /// Reports made of what is real.
    var reports = SharedCounter()
    /// Partial pictures made.
    var pictures = SharedCounter()
    /// Those for which a copy of the decoder was around, so that buffers had to be copied.
    var sharedPictures = SharedCounter()

    private(set) var info: ImageInfo?
    private(set) var isComplete = false
    private(set) var trailingByteCount: Int?
    private var bitmap = Bitmap.empty
    private var rowCount = 0
    private var changed: Range<Int>?
    private var damage: ImageError?

    init(_ request: DecodingRequest) { self.request = request }

    /// A sound file whose samples are the numbers of their rows.
    static func file(width: Int, height: Int, orientation: Orientation = .up) -> [UInt8] {
        let header = Array("STRM".utf8) + [UInt8(width), UInt8(height), UInt8(orientation.rawValue)]
        return header + (0..<height).flatMap { Array(repeating: UInt8($0), count: width) } + Array("E".utf8)
    }

    mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        while !isComplete {
            try work.spend(1)
            let rest = bytes.extracting(droppingFirst: position)
            let used = try advance(rest, offset: offset + position)
            guard used > 0 else { break }
            position += used
        }
        return position
    }

    private mutating func advance(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) -> Int {
        guard let info else { return try readHeader(bytes) }
        guard rowCount < info.size.height else {
            guard !bytes.isEmpty else { return 0 }
            guard bytes[0] == UInt8(ascii: "E") else {
                throw .corrupt(Self.format, Self.damage, offset: offset, reason: "no end")
            }
            isComplete = true
            return 1
        }
        guard bytes.count >= info.size.width else { return 0 }
        if bytes[0] == 254 { throw .corrupt(Self.format, Self.damage, offset: offset, reason: "damage") }
        if bytes[0] == 253 { throw .unsupported(Self.format, feature: "row") }
        if request.purpose != .inspection {
            bitmap.withMutableRowBytes(rowCount) { row in
                for x in 0..<info.size.width { row.storeBytes(of: bytes[x], toByteOffset: x, as: UInt8.self) }
            }
            changed = (changed ?? rowCount..<rowCount).union(rowCount..<rowCount + 1)
        }
        rowCount += 1
        return info.size.width
    }

    private mutating func readHeader(_ bytes: Span<UInt8>) throws(ImageError) -> Int {
        for (index, byte) in "STRM".utf8.enumerated() where index < bytes.count {
            guard bytes[index] == byte else { throw .unknownFormat }
        }
        guard bytes.count >= Self.headerByteCount else { return 0 }
        let size = PixelSize(width: Int(bytes[4]), height: Int(bytes[5]))
        guard !size.isEmpty else { throw .corrupt(Self.format, Self.damage, offset: 4, reason: "empty") }
        let byteCount = Bitmap.byteCount(size: size, format: .gray) ?? .max
        let info = ImageInfo(
            format: Self.format, size: size,
            animation: isMovie ? ImageInfo.Animation(frameCount: size.height, loopCount: 3) : nil, hasAlpha: false,
            bitDepth: 8, colorDescription: "gray",
            orientation: Orientation(rawValue: Int(bytes[6])) ?? .up, decodedSize: size,
            decodedFormat: .gray, estimatedPeakByteCount: byteCount.addingSaturated(extraPromise))
        try request.admit(info.estimatedPeakByteCount)
        self.info = info
        if request.purpose != .inspection {
            bitmap = try Bitmap(uninitialized: size, format: .gray, meter: request.meter)
        }
        return Self.headerByteCount
    }

    var hasPicture: Bool { rowCount > 0 }
    var metadata: ImageMetadata {
        var metadata = ImageMetadata()
        metadata.orientation = info?.orientation ?? .up
        return metadata
    }

    mutating func makeUnique() throws(ImageError) { try bitmap.makeUnique() }
    mutating func recordTrailing(byteCount: Int) { trailingByteCount = byteCount }

    mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = damage
        if request.purpose != .inspection { try bitmap.clearRows(rowCount..<bitmap.height, work: work) }
    }

    func finalPicture(work: WorkGuard) -> Bitmap { bitmap }

    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        pictures.increment()
        if !bitmap.isUniquelyReferenced() { sharedPictures.increment() }
        var picture = bitmap
        try picture.makeUnique()
        try picture.clearRows(rowCount..<picture.height, work: work)
        return picture
    }

    func animation(work: WorkGuard) throws(ImageError) -> (any AnimatedImageProvider)? {
        guard let info, rowCount > 0 else { return nil }
        return StubMovie(info: info, rows: bitmap, frameCount: rowCount)
    }

    func partialReport(isEnded: Bool) -> PartialReport? {
        reports.increment()
        guard info != nil, !isComplete else { return nil }
        return PartialReport(rows: [0..<rowCount], cause: damage)
    }

    mutating func drainChanges() -> PixelRect? {
        guard let rows = changed.take(), let info else { return nil }
        return PixelRect(x: 0, y: rows.lowerBound, width: info.size.width, height: rows.count)
    }
}

/// Rows as frames; row `n` is shown for `n + 1` seconds.
struct StubMovie: AnimatedImageProvider {
    let info: ImageInfo
    let rows: Bitmap
    let frameCount: Int

    func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return .seconds(index + 1)
    }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        let duration = try duration(at: index)
        var bitmap = try Bitmap(size: PixelSize(width: info.size.width, height: 1), format: .gray)
        rows.withRowBytes(index) { source in bitmap.withMutableRowBytes(0) { $0.copy(source) } }
        return ImageFrame(bitmap: bitmap, duration: duration)
    }
}

/// The coder of such animations: it opens whole files.
struct StubMovieCoder: AnimatedImageCoder {
    /// Told about each frame and each picture decoded.
    var decoded = SharedCounter()

    func canDecode(_ header: Span<UInt8>) -> Bool { StubStreamCoder().canDecode(header) }

    private func stream(_ data: ImageData, _ options: DecodingOptions) throws(ImageError) -> DecodingSession<StubStream>
    {
        let request = DecodingRequest(options: options, purpose: .oneShot)
        var stream = StubStream(request)
        stream.isMovie = true
        var session = DecodingSession(request, stream)
        _ = try session.decodeAll(data)
        return session
    }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        guard let info = try stream(data, options).info else { throw .unknownFormat }
        return info
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        decoded.increment()
        var session = try stream(data, options)
        guard let image = try session.image() else { throw .unknownFormat }
        return image
    }

    func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider {
        var options = options
        options.limits = .unlimited
        var session = try stream(data, options)
        guard let animation = try session.animation() else { throw .unsupported(StubStream.format, feature: "stills") }
        return animation
    }
}

/// The coder of that format.
struct StubStreamCoder: SessionCoder {
    /// Told about each decoder and inspector made.
    var made = SharedCounter()

    func canDecode(_ header: Span<UInt8>) -> Bool {
        StubCoder(name: 0, signature: Array("STRM".utf8)).canDecode(header)
    }

    func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> StubStream {
        made.increment()
        return StubStream(request)
    }
}
