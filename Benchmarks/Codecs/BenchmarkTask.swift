// What is timed.

import ImageCodecs

/// One way of using the package, by the name it has on the command line.
enum BenchmarkTask: String {
    case decode, incremental, thumbnail, encode
}

/// How pictures are encoded.
struct BenchmarkEncoding {
    let format: ImageFormat
    let effort: EncodingOptions.Effort
    /// Colours at most, of PNG and GIF files.
    let colorCount: Int?
}

/// A task with everything that is made before the clock starts.
struct PreparedTask {
    private static let pieceSize = 65_536

    let task: BenchmarkTask
    let data: ImageData
    let info: ImageInfo
    private var bitmap: Bitmap
    private let picture: RasterImage?
    private let encoding: BenchmarkEncoding

    init(_ task: BenchmarkTask, _ encoding: BenchmarkEncoding, path: String) throws(ImageError) {
        (self.task, self.encoding) = (task, encoding)
        data = try ImageData(contentsOfFile: path)
        info = try ImageInfo(data)
        bitmap = .empty
        picture = task == .encode ? try Self.straightPicture(data, info) : nil
    }

    /// The pixels an encoder starts from: what the C encoders it is compared with get.
    private static func straightPicture(_ data: ImageData, _ info: ImageInfo) throws(ImageError) -> RasterImage {
        var options = DecodingOptions()
        options.pixelFormat = info.hasAlpha ? .rgba : .rgb
        return try RasterImage(data, options: options)
    }

    /// Does the task once.
    ///
    /// - Returns: what was written, by encoders.
    mutating func run() throws(ImageError) -> [UInt8]? {
        switch task {
        case .decode:
            try CoderRegistry.shared.decode(data, into: &bitmap, options: .default)
        case .incremental:
            try decodeInPieces()
        case .thumbnail:
            try CoderRegistry.shared.decode(data, into: &bitmap, options: .thumbnail(width: 400, height: 300))
        case .encode:
            var options = EncodingOptions()
            options.effort = encoding.effort
            options.png.colorCount = encoding.colorCount
            if let count = encoding.colorCount { options.gif.colorCount = count }
            return try picture.map { (picture) throws(ImageError) in
                try picture.encoded(as: encoding.format, options: options)
            }
        }
        return nil
    }

    private func decodeInPieces() throws(ImageError) {
        var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: .default)
        try data.withBytes { (bytes) throws(ImageError) in
            var start = 0
            while start < bytes.count {
                let end = min(start + Self.pieceSize, bytes.count)
                _ = try decoder.append(bytes.extracting(start..<end))
                start = end
            }
        }
        _ = try decoder.finish()
        _ = try decoder.image()
    }
}
