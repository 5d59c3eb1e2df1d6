// `Data` in, `Data` out.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageCodecs
public import ImagePipeline

extension ImageData {
    /// Wraps the bytes of an image file that a `Data` holds, without copying them.
    public init(_ data: Data) { self.init(borrowing: data) { data, body in body(data.span) } }
}

extension RasterImage {
    /// Decodes the bytes of an image file; see `RasterImage.init(_:options:)` for what it throws.
    public init(data: Data, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(data), options: options)
    }

    /// Decodes the bytes of an image file without blocking the threads that tasks share; see
    /// `RasterImage.decoded(from:options:budget:)`.
    @concurrent
    public static func decoded(
        from data: Data, options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        try await decoded(from: ImageData(data), options: options, budget: budget)
    }

    /// The bytes of an image file.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image.
    ///   - options: quality, background and size of the file.
    /// - Throws: `unsupported` when no coder writes the format.
    public func data(
        as format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) -> Data {
        try Data(encoded(as: format, options: options))
    }

    /// The bytes of an image file; ``data(as:options:)`` by the name that makes `[UInt8]` without Foundation.
    public func encodedData(
        as format: ImageFormat? = nil, options: EncodingOptions = .default
    ) throws(ImageError) -> Data {
        try data(as: format, options: options)
    }

    /// The bytes of an image file of this quality; see `RasterImage.encoded(as:quality:)`.
    public func encodedData(as format: ImageFormat? = nil, quality: Double) throws(ImageError) -> Data {
        try data(as: format, options: EncodingOptions(quality: quality))
    }
}

extension AnimatedImage {
    /// Opens the bytes of an image file; decodes no frame. See `AnimatedImage.init(_:options:)` for what it throws.
    public init(data: Data, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(data), options: options)
    }
}

extension ImageInfo {
    /// Reads the headers of an image file in memory; no pixel is allocated or decoded.
    public init(data: Data, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(data), options: options)
    }
}

extension Bitmap {
    /// The pixels without row padding: `width * height * format.bytesPerPixel` bytes, top row first.
    ///
    /// That is a second picture in memory, but not a third one.
    public var packedData: Data {
        var (data, packed) = (Data(capacity: height * width * format.bytesPerPixel), [UInt8]())
        for y in 0..<height {
            packed.removeAll(keepingCapacity: true)
            withRow(y) { packed.append($0) }
            data.append(contentsOf: packed)
        }
        return data
    }
}
