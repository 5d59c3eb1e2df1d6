// Ends what takes too long.

import ImageLoading

/// Runs `body`, and cancels it after a time.
///
/// - Throws: `error` if time was up; what `body` throws.
func withDeadline<R: Sendable>(
    _ limit: Duration, _ clock: LoadClock, _ error: LoadError, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    guard limit > .zero else { throw error }
    return try await withThrowingTaskGroup(of: R?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw error }
        return result
    }
}
