// Coders that write whole images only: their rows are collected, and what they write goes to the sink as one piece.

import ImageCodecsCore
import ImagePhotoMetadata

/// A coder of another package as one of this package's, which does all but encoding rows.
protocol ForeignCoder: RowEncodingCoder {
    /// The coder.
    var foreign: any ImageCoder { get }
}

extension ForeignCoder {
    func canDecode(_ header: Span<UInt8>) -> Bool { foreign.canDecode(header) }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try foreign.inspect(data, options: options)
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try foreign.decode(data, options: options)
    }

    func canEncode(to format: ImageFormat) -> Bool { foreign.canEncode(to: format) }
}

/// A coder of another package as one that takes rows.
struct ForeignEncodingCoder: ForeignCoder {
    let foreign: any ImageCoder
    /// What the coder is asked for.
    let options: EncodingOptions

    /// What is left for the session to do: to watch memory and time, and to keep metadata back.
    static func sessionOptions(_ options: EncodingOptions) -> EncodingOptions {
        var left = EncodingOptions()
        left.limits = options.limits
        left.metadata = options.metadata
        left.losses = options.losses
        left.memoryMeter = options.memoryMeter
        return left
    }

    /// Laying pictures over a colour is the coder's own business, like all options and what is left out.
    func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        EncoderTraits(metadataPlaces: .unknown)
    }

    func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        ForeignEncoder(coder: foreign, options: options, format: format, picture: picture, meter: request.meter)
    }
}

/// Collects rows and gives them to a coder as an image.
private struct ForeignEncoder: RowEncoder {
    let coder: any ImageCoder
    let options: EncodingOptions
    let format: ImageFormat
    let picture: EncodedPicture
    let meter: MemoryMeter
    private var bitmap = Bitmap.empty
    private var rowCount = 0

    init(
        coder: any ImageCoder, options: EncodingOptions, format: ImageFormat, picture: EncodedPicture,
        meter: MemoryMeter
    ) {
        self.coder = coder
        self.options = options
        self.format = format
        self.picture = picture
        self.meter = meter
    }

    var rowFormat: PixelFormat { picture.format }
    var fixedByteCount: Int { 0 }
    var estimatedByteCount: Int { Bitmap.byteCount(size: picture.size, format: picture.format) ?? .max }

    mutating func write(_ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        if rowCount == 0 {
            bitmap = try Bitmap(uninitialized: picture.size, format: picture.format, meter: meter)
        }
        bitmap.withMutableRowBytes(rowCount) { $0.copy(row) }
        rowCount += 1
    }

    mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        var image = RasterImage(bitmap: bitmap, orientation: picture.orientation, metadata: picture.metadata)
        image.isLossy = picture.isLossy
        let bytes = try coder.encode(image, to: format, options: options)
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
    }
}
