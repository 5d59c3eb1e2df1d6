// A picture while it loads: previews, then the whole one.

import ImageCodecsCore
import Synchronization

extension ImageLoader {
    /// The picture as it can be shown while its bytes arrive: previews, each in place of the last one, then the whole picture.
    ///
    ///     for try await picture in loader.pictures(for: request) { view.show(picture) }
    ///
    /// At most one preview comes in ``ImageRequest/partialInterval``; a slow consumer gets the newest. A picture that is in memory
    /// comes alone, and one with transformations too. Previews are in the size that the request asks for, and never cached.
    ///
    /// Loading begins with the first iterator's first element, and ends with the iterator: whoever shows another picture lets go of
    /// the sequence of the last one. Iterating throws ``LoadError``.
    public func pictures(for request: ImageRequest) -> LoadedPictures { LoadedPictures(self, request) }
}

/// The pictures that ``ImageLoader/pictures(for:)`` delivers.
public struct LoadedPictures: AsyncSequence, Sendable {
    /// The picture so far, or the whole one.
    public typealias Element = LoadedImage

    private let loader: ImageLoader
    private let request: ImageRequest
    private let urgency = Urgency()

    fileprivate init(_ loader: ImageLoader, _ request: ImageRequest) { (self.loader, self.request) = (loader, request) }

    /// Begins to load with the first element.
    public func makeAsyncIterator() -> Iterator { Iterator(loader, request, urgency) }

    /// Changes how soon the picture is served, also while an iterator waits for it: a picture that comes into view, or leaves it.
    public func setPriority(_ priority: ImageRequest.Priority) {
        for caller in urgency.change(to: priority) { loader.setPriority(priority, of: caller) }
    }

    /// Waits for pictures.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Stage {
            case new
            case waiting(LoadJob, Subscription)
            case ended
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private let urgency: Urgency
        private var stage = Stage.new
        private var hasTriedAgain = false

        fileprivate init(_ loader: ImageLoader, _ request: ImageRequest, _ urgency: Urgency) {
            (self.loader, self.request, self.urgency) = (loader, request, urgency)
        }

        /// The next picture, `nil` after the whole one.
        public mutating func next() async throws(LoadError) -> LoadedImage? {
            if case .new = stage {
                let job = LoadJob(request, loader)
                if let picture = loader.cachedImage(job) {
                    stage = .ended
                    return picture
                }
                stage = .waiting(job, loader.subscribe(job, urgency))
            }
            while case .waiting(let job, let subscription) = stage {
                switch await subscription.next() {
                case .preview(let picture): return picture
                case .end(.failure(let error)) where error.wasDamagedOnDisk && !hasTriedAgain:
                    hasTriedAgain = true
                    stage = .waiting(job, loader.subscribe(job, urgency))
                case .end(let outcome):
                    stage = .ended
                    return try outcome.picture(job)
                }
            }
            return nil
        }
    }
}

extension ImageLoader {
    /// Has a feed wait for a picture.
    fileprivate func subscribe(_ job: LoadJob, _ urgency: Urgency) -> Subscription {
        let hasPreviews = job.request.transformations.isEmpty
        let subscription = Subscription(
            loader: self, caller: newCaller(), feed: PictureFeed(wantsPreviews: hasPreviews), urgency: urgency)
        join(
            subscription.caller, .feed(subscription.feed), job,
            keepsResults && !hasPreviews ? job.resultChain : job.chain(self))
        // It may have changed before the caller was there.
        if let priority = urgency.priority { setPriority(priority, of: subscription.caller) }
        return subscription
    }
}

/// How urgent the pictures of a sequence have become, and who waits for them.
private final class Urgency: Sendable {
    private let state = Mutex<(priority: ImageRequest.Priority?, callers: Set<CallerID>)>((nil, []))

    /// `nil` while it is that of the request.
    var priority: ImageRequest.Priority? { state.withLock { $0.priority } }

    func insert(_ caller: CallerID) { state.withLock { _ = $0.callers.insert(caller) } }

    func remove(_ caller: CallerID) { state.withLock { _ = $0.callers.remove(caller) } }

    /// - Returns: those who wait.
    func change(to priority: ImageRequest.Priority) -> Set<CallerID> {
        state.withLock { state in
            state.priority = priority
            return state.callers
        }
    }
}

/// A feed and its place in the graph, left with the last reference.
private final class Subscription: Sendable {
    let loader: ImageLoader
    let caller: CallerID
    let feed: PictureFeed
    let urgency: Urgency

    init(loader: ImageLoader, caller: CallerID, feed: PictureFeed, urgency: Urgency) {
        (self.loader, self.caller, self.feed, self.urgency) = (loader, caller, feed, urgency)
        urgency.insert(caller)
    }

    deinit {
        urgency.remove(caller)
        loader.leave(caller)
    }

    /// What comes next. When the task is cancelled, the end comes at once.
    func next() async -> PictureFeed.Element {
        await withTaskCancellationHandler {
            await feed.next()
        } onCancel: {
            loader.leave(caller)
        }
    }
}

/// Hands pictures from the loader to one consumer: the newest preview, and the end once and after all previews.
final class PictureFeed: Sendable {
    enum Element: Sendable {
        case preview(LoadedImage)
        case end(LoadOutcome)
    }

    private struct State: Sendable {
        var newest: LoadedImage?
        var end: LoadOutcome?
        var consumer: CheckedContinuation<Element, Never>?

        /// What the consumer gets if it asks.
        mutating func takeNext() -> Element? {
            if let end { return .end(end) }
            return newest.take().map { .preview($0) }
        }
    }

    let wantsPreviews: Bool
    private let state = Mutex(State())

    init(wantsPreviews: Bool) { self.wantsPreviews = wantsPreviews }

    func show(_ picture: LoadedImage) { deliver(picture, nil) }

    func end(_ outcome: LoadOutcome) { deliver(nil, outcome) }

    private func deliver(_ picture: LoadedImage?, _ end: LoadOutcome?) {
        typealias Delivery = (CheckedContinuation<Element, Never>, Element)
        // A preview that nobody took is freed after the lock is open.
        let (delivery, _) = state.withLock { state -> (Delivery?, LoadedImage?) in
            guard state.end == nil else { return (nil, nil) }
            let old = state.newest
            (state.newest, state.end) = (picture, end)
            guard let consumer = state.consumer, let next = state.takeNext() else { return (nil, old) }
            state.consumer = nil
            return ((consumer, next), old)
        }
        if let (consumer, next) = delivery { consumer.resume(returning: next) }
    }

    /// What comes next; asked for by one task at a time.
    func next() async -> Element {
        await withCheckedContinuation { continuation in
            let next = state.withLock { state -> Element? in
                if let next = state.takeNext() { return next }
                state.consumer = continuation
                return nil
            }
            if let next { continuation.resume(returning: next) }
        }
    }
}

extension LoadOutcome {
    /// Whether bytes from the disk were no picture.
    var wasDamagedOnDisk: Bool {
        @inline(never) get { if case .failure(let error) = self { error.wasDamagedOnDisk } else { false } }
    }

    /// The picture, or why there is none.
    @inline(never)
    func picture(_ job: LoadJob) throws(LoadError) -> LoadedImage {
        switch self {
        case .picture(let picture, _): return picture
        case .failure(var error):
            // Who left was answered without an address.
            if error.address.isEmpty { error.address = LoadError.withoutCredentials(job.request.address) }
            throw error
        case .bytes: throw job.error(.lookup, .other("bytes, not a picture"))
        }
    }
}

extension LoadError {
    /// Whether bytes from the disk were no picture: they were removed, and the source may have better ones.
    var wasDamagedOnDisk: Bool {
        if case .image = reason { isRetryable && stage == .decode } else { false }
    }
}
