// Pictures loaded before somebody asks for them.

import Synchronization

extension ImageLoader {
    /// Loads pictures that may be needed soon, a few at a time and after those that somebody waits for.
    ///
    /// - Parameters:
    ///   - requests: what may be needed, in this order. Their priority is not used: it is ``ImageRequest/Priority/low``.
    ///   - destination: how far they are loaded.
    ///   - atOnce: how many at a time.
    /// - Returns: what loads them, until the last reference to it is gone.
    public func prefetch(
        _ requests: [ImageRequest], to destination: ImagePrefetcher.Destination = .memory, atOnce: Int = 2
    ) -> ImagePrefetcher {
        ImagePrefetcher(self, requests, destination, atOnce: max(1, atOnce))
    }
}

/// Loads a list of pictures ahead; made by ``ImageLoader/prefetch(_:to:atOnce:)``.
public final class ImagePrefetcher: Sendable {
    /// How far pictures are loaded.
    public enum Destination: String, Hashable, Sendable, CaseIterable {
        /// Decoded and transformed, in the memory cache.
        case memory
        /// The bytes of the source, in the disk cache.
        case disk
    }

    /// How many requests there were, and what became of them.
    public struct Progress: Hashable, Sendable {
        /// Requests.
        public let count: Int
        /// Those that are loaded.
        public fileprivate(set) var loadedCount = 0
        /// Those that failed, but not by being cancelled.
        public fileprivate(set) var failedCount = 0

        fileprivate init(count: Int) { self.count = count }
    }

    /// The list, which the task goes through without holding the prefetcher.
    private final class List: Sendable {
        let requests: [ImageRequest]
        let state: Mutex<(next: Int, progress: Progress)>

        init(_ requests: [ImageRequest]) {
            self.requests = requests
            state = Mutex((0, Progress(count: requests.count)))
        }

        func next() -> ImageRequest? {
            let index = state.withLock { state in
                defer { state.next += 1 }
                return state.next
            }
            return index < requests.count ? requests[index] : nil
        }
    }

    private let list: List
    private let task: Task<Void, Never>

    init(_ loader: ImageLoader, _ requests: [ImageRequest], _ destination: Destination, atOnce: Int) {
        let list = List(requests)
        self.list = list
        task = Task.detached(priority: .utility) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<min(atOnce, requests.count) {
                    group.addTask {
                        while !Task.isCancelled, let request = list.next() {
                            await Self.load(request, destination, loader, list)
                        }
                    }
                }
            }
        }
    }

    deinit { task.cancel() }

    private static func load(
        _ request: ImageRequest, _ destination: Destination, _ loader: ImageLoader, _ list: List
    ) async {
        var request = request
        request.priority = .low
        do throws(LoadError) {
            switch destination {
            case .memory: _ = try await loader.image(for: request)
            case .disk: _ = try await loader.original(for: request)
            }
            list.state.withLock { $0.progress.loadedCount += 1 }
        } catch {
            if error.reason != .cancelled { list.state.withLock { $0.progress.failedCount += 1 } }
        }
    }

    /// How far it has come.
    public var progress: Progress { list.state.withLock { $0.progress } }

    /// Ends loading; what nobody else waits for is given up.
    public func cancel() { task.cancel() }

    /// Waits until everything is loaded or failed, or until it was cancelled.
    public func waitUntilDone() async { await task.value }
}
