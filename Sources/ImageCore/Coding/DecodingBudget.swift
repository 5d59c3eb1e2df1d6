// Keeps several decodes that run at once from adding up their memory peaks.

/// A budget of bytes that concurrent decodes share.
///
/// A decode asks for what its headers say it needs at most (``ImageInfo/peakByteCount``) and waits, without
/// blocking a thread, until that much is free. Whoever asks first is served first, so that large pictures are
/// not overtaken for ever by small ones. A decode that needs more than the whole budget runs alone.
///
/// <!-- snippet: Tests/ImageCoreTests/Coding/DecodingBudgetTests.swift budget -->
/// ```swift
/// let budget = DecodingBudget(byteCount: 256 << 20)
/// let info = try registry.inspect(data, options: options)
/// let image = try await budget.withBytes(info.peakByteCount) { () throws(ImageError) in
///     try registry.decode(data, options: options)
/// }
/// ```
///
/// ``CoderRegistry/decoded(from:options:budget:)`` does this, and decodes on threads of its own.
public actor DecodingBudget {
    /// The budget of asynchronous decodes that are given no other: 1 GiB.
    public static let shared = DecodingBudget(byteCount: 1 << 30)

    /// Bytes that may be in use at once.
    public nonisolated let byteCount: Int
    private var usedByteCount = 0
    private var waiting: [Request] = []
    private var nextNumber = 0

    private struct Request {
        let number: Int
        let byteCount: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Creates a budget; below one byte it serves one decode at a time.
    public init(byteCount: Int) { self.byteCount = max(1, byteCount) }

    /// Bytes in use now.
    public var bytesInUse: Int { usedByteCount }

    /// Decodes that wait for their turn.
    public var waitingCount: Int { waiting.count }

    /// Runs `body` once `byteCount` bytes of the budget are free, and gives them back afterwards.
    ///
    /// The body runs outside the actor, so several run at once.
    ///
    /// - Throws: `cancelled` when the task is cancelled while it waits, and whatever `body` throws.
    public nonisolated func withBytes<R: Sendable>(
        _ byteCount: Int, _ body: @Sendable () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let share = min(max(0, byteCount), self.byteCount)
        guard await acquire(share) else { throw .cancelled }
        do throws(ImageError) {
            let result = try await body()
            await release(share)
            return result
        } catch {
            await release(share)
            throw error
        }
    }

    /// Waits for `share` bytes; `false` when the task was cancelled instead.
    private func acquire(_ share: Int) async -> Bool {
        if Task.isCancelled { return false }
        if waiting.isEmpty && share <= byteCount - usedByteCount {
            usedByteCount += share
            return true
        }
        let number = nextNumber
        nextNumber += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiting.append(Request(number: number, byteCount: share, continuation: continuation))
                }
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func release(_ share: Int) {
        usedByteCount -= share
        serve()
    }

    private func cancel(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
        serve()
    }

    private func serve() {
        while let first = waiting.first, first.byteCount <= byteCount - usedByteCount {
            usedByteCount += first.byteCount
            waiting.removeFirst().continuation.resume(returning: true)
        }
    }
}
