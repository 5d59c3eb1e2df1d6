// Keeps several decodes that run at once from adding up their memory peaks.

public import ImageCodecsCore

/// A budget of bytes that concurrent decodes share.
///
/// A decode asks for the memory that its headers let expect (`ImageInfo.estimatedPeakByteCount`) and waits, without
/// blocking a thread, until that much is free. Decodes are served in the order in which they ask, so that small pictures
/// do not overtake large ones forever. A decode that needs more than the whole budget runs alone.
///
/// <!-- snippet: Tests/ImagePipelineTests/DecodingBudgetTests.swift budget -->
/// ```swift
/// let budget = DecodingBudget(byteCount: 256 << 20)
/// let info = try registry.inspect(data, options: options)
/// let image = try await budget.withBytes(info.estimatedPeakByteCount) { () throws(ImageError) in
///     try registry.decode(data, options: options)
/// }
/// ```
///
/// `CoderRegistry.decoded(from:options:budget:)` does this, and decodes on threads of its own.
public final class DecodingBudget: Sendable {
    /// The budget that asynchronous decodes share unless another is given: 1 GiB.
    public static let shared = DecodingBudget(byteCount: 1 << 30)

    private let queue: AdmissionQueue

    /// Creates a budget; below one byte it serves one decode at a time.
    public init(byteCount: Int) { queue = AdmissionQueue(placeCount: byteCount) }

    /// Bytes that may be in use at once.
    public var byteCount: Int { queue.placeCount }

    /// Bytes in use now.
    public var bytesInUse: Int { queue.usedCount }

    /// Decodes that wait for their turn.
    public var waitingCount: Int { queue.waitingCount }

    /// Runs `body` once `byteCount` bytes of the budget are free, and gives them back afterwards.
    ///
    /// Several bodies run at once.
    ///
    /// - Throws: `cancelled` when the task is cancelled while it waits, and whatever `body` throws.
    public func withBytes<R: Sendable>(
        _ byteCount: Int, _ body: @Sendable () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        try await queue.withPlaces(byteCount, body)
    }

    /// Waits until `byteCount` bytes of the budget are free; they are given back when the last reference to them is gone.
    ///
    /// - Throws: `cancelled` when the task is cancelled while it waits.
    func hold(_ byteCount: Int) async throws(ImageError) -> AdmissionQueue.Share { try await queue.hold(byteCount) }

    /// Runs `body` once `byteCount` bytes of the budget are free, and gives them back afterwards; blocks the calling thread
    /// until then.
    ///
    /// For programs with threads of their own. In a task, use ``withBytes(_:_:)``: the threads that tasks share must not
    /// be blocked.
    ///
    /// - Throws: Whatever `body` throws.
    @available(*, noasync, message: "Tasks wait with withBytes(_:_:), which blocks no thread")
    public func withBytes<R>(
        blockingFor byteCount: Int, _ body: () throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try queue.withPlaces(blockingFor: byteCount, body)
    }
}
