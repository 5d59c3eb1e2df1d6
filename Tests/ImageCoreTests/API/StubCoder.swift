import ImageCodecsCore

/// A coder of a made-up format: a signature, then one gray sample per byte.
struct StubCoder: ImageCoder {
    /// Tells stubs apart: the file name extension of the picture's format, and its gray value.
    let name: UInt8
    var signature: [UInt8] = Array("STUB".utf8)
    /// What decoding and inspecting throw.
    var failure: ImageError?
    /// What is missing from the picture.
    var partial: PartialReport?
    var formats: [ImageFormat] = []
    var writes: [ImageFormat] = []

    var decodableFormats: [ImageFormat] { formats }

    func canDecode(_ header: Span<UInt8>) -> Bool {
        guard header.count >= signature.count else { return false }
        for index in signature.indices where header[index] != signature[index] { return false }
        return true
    }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        if let failure { throw failure }
        return ImageInfo(
            format: .png, size: PixelSize(width: 1, height: 1), hasAlpha: false, bitDepth: Int(name),
            colorDescription: "gray", decodedSize: PixelSize(width: 1, height: 1), decodedFormat: .gray,
            estimatedPeakByteCount: 64)
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        if let failure { throw failure }
        var bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray)
        bitmap.withMutableRowBytes(0) { $0.storeBytes(of: name, toByteOffset: 0, as: UInt8.self) }
        return RasterImage(bitmap: bitmap, partial: partial)
    }

    func canEncode(to format: ImageFormat) -> Bool { writes.contains(format) }

    func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        [name]
    }
}

/// The same, decoding as bytes arrive: a row of as many pixels as there are bytes behind the signature.
struct StubProgressiveCoder: IncrementalImageCoder {
    let stub: StubCoder

    func canDecode(_ header: Span<UInt8>) -> Bool { stub.canDecode(header) }
    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try stub.inspect(data, options: options)
    }
    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try stub.decode(data, options: options)
    }
    func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        StubDecoder(skipped: stub.signature.count)
    }
}

struct StubDecoder: IncrementalImageDecoder {
    let skipped: Int
    var bytes: [UInt8] = []
    var info: ImageInfo? { nil }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        for index in newBytes.indices { bytes.append(newBytes[index]) }
        return DecodingProgress(consumedByteCount: bytes.count)
    }

    mutating func finish() throws(ImageError) -> DecodingProgress {
        DecodingProgress(isComplete: true, consumedByteCount: bytes.count)
    }

    func image() throws(ImageError) -> RasterImage? {
        let samples = bytes.dropFirst(skipped)
        guard !samples.isEmpty else { return nil }
        var bitmap = try Bitmap(size: PixelSize(width: samples.count, height: 1), format: .gray)
        bitmap.withMutableRowBytes(0) { row in
            for (x, sample) in samples.enumerated() { row.storeBytes(of: sample, toByteOffset: x, as: UInt8.self) }
        }
        return RasterImage(bitmap: bitmap)
    }
}
