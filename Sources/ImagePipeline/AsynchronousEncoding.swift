// Pictures written and changed for tasks that have other things to do.

import ImageCodecs
public import ImageCodecsCore
import ImageEncoding

extension RasterImage {
    /// The bytes of an image file, made without blocking the threads that tasks share.
    ///
    /// The task waits until there is room in the budget for what the encoder takes
    /// (`EncodingSession.estimatedPeakByteCount`), and the picture is then encoded on threads of this package's own; cancelling
    /// the task ends either. In an asynchronous function, with this module imported, this is what `encoded(as:options:)` means. At the
    /// top level of a `main.swift` the compiler chooses the synchronous one (and warns that nothing is waited for): write
    /// ``encodedConcurrently(as:options:budget:)`` there.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image.
    ///   - options: quality, effort, background, metadata and size of the file.
    ///   - budget: Memory that decodes and encodes share; `DecodingBudget.shared`, 1 GiB, if nothing is said.
    /// - Throws: `cancelled` when the task is, else what the synchronous `encoded(as:options:)` throws.
    @concurrent
    public func encoded(
        as format: ImageFormat? = nil, options: EncodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> [UInt8] {
        try await encodedConcurrently(as: format, options: options, budget: budget)
    }

    /// The bytes of an image file, made without blocking the threads that tasks share: `encoded(as:options:budget:)` by a name that
    /// no synchronous function has.
    ///
    /// - Parameters:
    ///   - format: the format to write; `nil` is the format that suits the image.
    ///   - options: quality, effort, background, metadata and size of the file.
    ///   - budget: Memory that decodes and encodes share; `DecodingBudget.shared`, 1 GiB, if nothing is said.
    /// - Throws: `cancelled` when the task is, else what the synchronous `encoded(as:options:)` throws.
    @concurrent
    public func encodedConcurrently(
        as format: ImageFormat? = nil, options: EncodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> [UInt8] {
        let registry = CoderRegistry.shared
        let chosen = format ?? registry.formatToWrite(self)
        let options = format == nil ? registry.qualityUsed(options, writing: chosen) : options
        let executor = DecodingExecutor.shared
        let byteCount = try await executor.run { () throws(ImageError) in
            try registry.estimatedByteCount(of: self, to: chosen, options: options)
        }
        return try await budget.withBytes(byteCount) { () async throws(ImageError) in
            try await executor.run { () throws(ImageError) in
                try registry.encode(self, to: chosen, options: options)
            }
        }
    }

    /// The picture as `change` makes it, on threads of this package's own, without blocking those that tasks share.
    ///
    /// <!-- snippet: Tests/ImageCodecsTests/ServerExampleTests.swift changed -->
    /// ```swift
    /// func avatar(_ photo: RasterImage) async throws(ImageError) -> RasterImage {
    ///     try await photo.changed { (photo) throws(ImageError) in
    ///         let square = PixelSize(width: 96, height: 96)
    ///         return try photo.scaled(toFill: square).croppedToCenter(square).roundingCorners(radius: 48)
    ///     }
    /// }
    /// ```
    ///
    /// The task waits until there is room in the budget for twice the bytes of the picture and its frames. When it is cancelled,
    /// waiting ends at once, and scaling, turning, converting and blurring within some rows.
    ///
    /// - Parameters:
    ///   - budget: Memory that decodes and changes share; `DecodingBudget.shared`, 1 GiB, if nothing is said.
    ///   - change: scales, crops, turns, converts or decorates; or does whatever else takes more than a millisecond.
    /// - Throws: `cancelled` when the task is, and what `change` throws.
    @concurrent
    public func changed(
        budget: DecodingBudget = .shared, _ change: @Sendable (RasterImage) throws(ImageError) -> RasterImage
    ) async throws(ImageError) -> RasterImage {
        let byteCount = frames.reduce(0) { $0.addingSaturated($1.bitmap.byteCount) }
        return try await budget.withBytes(byteCount.multipliedSaturated(by: 2)) { () async throws(ImageError) in
            try await DecodingExecutor.shared.run { () throws(ImageError) in try change(self) }
        }
    }
}
