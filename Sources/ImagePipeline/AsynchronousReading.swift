// Any image file or any bytes to pixels, for tasks that have other things to do.

import ImageCodecs
public import ImageCodecsCore

extension RasterImage {
    /// Decodes the bytes of an image file without blocking the threads that tasks share.
    ///
    /// The task waits for its share of the budget and is then decoded on threads of this package's own; cancelling it ends
    /// either. See `CoderRegistry.decoded(from:options:budget:)`.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - options: Size, pixel format, strictness and limits of the decode.
    ///   - budget: Memory that decodes share; `DecodingBudget.shared`, 1 GiB, if nothing is said.
    /// - Throws: `cancelled` when the task is, else what `RasterImage.init(_:options:)` throws.
    @concurrent
    public static func decoded(
        from data: ImageData, options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        try await CoderRegistry.shared.decoded(from: data, options: options, budget: budget)
    }

    /// Decodes the bytes of an image file without blocking the threads that tasks share; see
    /// ``decoded(from:options:budget:)-(ImageData,_,_)``.
    @concurrent
    public static func decoded(
        from bytes: some Sequence<UInt8> & Sendable, options: DecodingOptions = .default,
        budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        try await decoded(from: ImageData(bytes), options: options, budget: budget)
    }

    /// Decodes the image file at `path` without blocking the threads that tasks share.
    ///
    /// A regular file is read twice: its headers in pieces, and the whole of it when the budget has room for its bytes and
    /// the decode. What a pipe, a device or standard input delivers is read first, so those bytes are there beyond the
    /// budget. Reading happens on the same threads as decoding: a pipe that delivers nothing keeps one of them waiting,
    /// whatever becomes of the task.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - options: Size, pixel format, strictness and limits of the decode.
    ///   - budget: Memory that decodes share; `DecodingBudget.shared`, 1 GiB, if nothing is said.
    /// - Throws: `cancelled` when the task is, else what `RasterImage.init(contentsOfFile:options:)` throws.
    @concurrent
    public static func decoded(
        contentsOfFile path: String, options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        let options = options.scaled(by: path)
        let executor = DecodingExecutor.shared
        let opened = try await executor.run { () throws(ImageError) -> OpenedFile in
            var reader = try FileReader(imageFile: path, limits: options.limits)
            guard path != "-", let size = reader.regularFileSize else { return .pipe(try reader.readToEnd()) }
            var options = options
            let byteCount = try reader.reservedByteCount(fileByteCount: size, options: &options)
            return .regular(byteCount: byteCount, options: options)
        }
        switch opened {
        case .pipe(let data):
            return try await decoded(from: data, options: options, budget: budget)
        case .regular(let byteCount, let options):
            return try await budget.withBytes(byteCount) { () async throws(ImageError) in
                try await executor.run { () throws(ImageError) in
                    try RasterImage(contentsOfFile: path, options: options)
                }
            }
        }
    }

    /// What is known of a file before it is decoded.
    private enum OpenedFile: Sendable {
        /// What to reserve for a decode, and options with the time that is left for it.
        case regular(byteCount: Int, options: DecodingOptions)
        case pipe(ImageData)
    }
}
