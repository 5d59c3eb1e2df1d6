// Decodes for tasks: on threads of their own, and no more of them at once than memory allows.
//
//   headers are read ──▶ the task waits for its share of the budget ──▶ pixels are decoded ──▶ the share is free again
//   (own threads)        (no thread)                                    (own threads)

public import ImageCodecsCore

extension CoderRegistry {
    /// Decodes with the first coder that can, without blocking the threads that tasks share.
    ///
    /// Headers are read first, with the same options, and the frames of what may be an animation counted; then the task waits
    /// until there is room in the budget for what the decode takes (`ImageInfo.estimatedPeakByteCount`), the input and the
    /// frames that it will hold, and keeps that share until the decode is done. Reading and decoding happen on threads made for
    /// it, one for each processor. When the task is cancelled, waiting ends at once and decoding within a row.
    /// `DecodingLimits.maxTime` does not count the waiting.
    ///
    /// If that first reading is refused, the file is decoded all the same, for a tolerant decode may stop at damage before what
    /// was refused; all of `DecodingLimits.maxMemoryByteCount` is reserved then.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - options: Size, pixel format, strictness and limits of the decode.
    ///   - budget: Shared by all decodes that are not to add up; by default ``DecodingBudget/shared``, 1 GiB.
    /// - Throws: `cancelled` when the task is, else what `decode(_:options:)` throws.
    @concurrent
    public func decoded(
        from data: ImageData, options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) async throws(ImageError) -> RasterImage {
        let executor = DecodingExecutor.shared
        let (byteCount, options) = try await executor.run { () throws(ImageError) in
            var work = WorkGuard(options)
            work.begin()
            let byteCount = try self.reservedByteCount(for: data, options: options)
            return (byteCount, work.remaining(of: options))
        }
        return try await budget.withBytes(byteCount) { () async throws(ImageError) in
            try await executor.run { () throws(ImageError) in try self.decode(data, options: options) }
        }
    }
}
