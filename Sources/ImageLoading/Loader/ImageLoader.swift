// Requests in, pictures out: everything that waits for the same is done once.
//
//   request ──▶ memory cache ──▶ remembered failures ──▶ graph of shared work ──▶ answer
//                at once            at once                transfer, decode, transformations
//
// The graph (Graph/WorkGraph.swift) decides under one lock; what it says is done here, after the lock is open.

public import ImageCaching
import ImageCodecs
public import ImageCodecsCore
public import ImagePipeline
import Synchronization

/// Loads pictures: equal requests share their work, and what was loaded is kept.
///
/// ```swift
/// let loader = ImageLoader(
///     memory: MemoryCache(byteCount: 256 << 20),
///     disk: try DiskCache(path: "/var/cache/pictures", byteCount: 20 << 30))
/// let thumbnail = try await loader.image(for: ImageRequest(path, options: .thumbnail(width: 400, height: 300)))
/// ```
///
/// - Each source is read once for all who wait for it, each size decoded once, each transformation done once.
/// - Each caller is answered once. Cancelling its task ends its wait at once, and the work when nobody else waits for it.
/// - Work has the highest priority of those who wait for it.
/// - Bytes that are being loaded or decoded belong to at most ``Configuration/maxTransferCount`` transfers; pixels are bounded by the
///   budget of decodes.
public final class ImageLoader: Sendable {
    /// What a loader is made of.
    public struct Configuration: Sendable {
        /// Pictures in memory; `nil` for none.
        public var memory: MemoryCache<LoadedImage>?
        /// Bytes on the disk; `nil` for none.
        public var disk: DiskCache?
        /// Who delivers bytes: the first that knows an address is asked.
        public var sources: [any ImageSource] = [FileSource()]
        /// Decodes.
        public var registry = CoderRegistry.shared
        /// Memory that decodes share.
        public var budget = DecodingBudget.shared
        /// Transfers at once; one counts until its bytes are decoded.
        public var maxTransferCount = 6
        /// Decodes and transformations at once; the threads of the package by default.
        public var maxDecodeCount = DecodingExecutor.shared.threadCount
        /// The most bytes of one source.
        public var maxByteCount = 64 << 20
        /// How often a transfer that failed is tried again.
        public var retry = RetryPolicy()
        /// How long failures are remembered.
        public var failures = FailureLifetimes()
        /// What caches know an address by: takes out what changes from request to request, such as signatures.
        public var sourceKey: (@Sendable (_ address: String) -> String)?
        /// Changes each request before anything else is done with it: sets what all have in common.
        public var adjust: (@Sendable (_ request: ImageRequest) -> ImageRequest)?
        /// Makes the bytes by which finished pictures are kept on the disk; `nil` if they are not kept there, or for a picture that is
        /// not to be.
        public var serializer: (@Sendable (_ picture: LoadedImage, _ key: CacheKey) async throws -> ImageData?)?
        /// Is called with whatever happens, from any thread. Should return soon.
        public var observe: (@Sendable (LoadEvent) -> Void)?
        /// The shortest time between two events that say how many bytes came.
        public var progressInterval = Duration.milliseconds(100)
        /// For waiting and for ages of failures.
        public var clock = LoadClock.continuous
        /// For freshness: that of the disk cache.
        public var wallClock = WallClock.system

        /// Creates a configuration without caches.
        public init() {}
    }

    let configuration: Configuration
    let state: Mutex<LoaderState>
    /// Callers so far: each gets a number of its own.
    private let callerCount = Atomic<CallerID>(0)
    /// Steps whose tasks are not over, cancelled ones too.
    let runningCount = Atomic<Int>(0)

    /// Creates a loader.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        state = Mutex(
            LoaderState(
                graph: WorkGraph(
                    transferCount: configuration.maxTransferCount, decodeCount: configuration.maxDecodeCount),
                failures: FailureMemory(configuration.failures)))
    }

    /// Creates a loader of some caches and sources.
    ///
    /// - Parameters:
    ///   - memory: pictures in memory.
    ///   - disk: bytes on the disk.
    ///   - source: is asked before files are looked for.
    public convenience init(
        memory: MemoryCache<LoadedImage>? = nil, disk: DiskCache? = nil, source: (any ImageSource)? = nil
    ) {
        var configuration = Configuration()
        (configuration.memory, configuration.disk) = (memory, disk)
        if let source { configuration.sources.insert(source, at: 0) }
        self.init(configuration)
    }

    // MARK: - Pictures

    /// The picture, from memory, from the disk or from its source.
    ///
    /// - Throws: why it could not be loaded; `LoadError.Reason.cancelled` as soon as the task is cancelled.
    @concurrent
    public func image(for request: ImageRequest) async throws(LoadError) -> LoadedImage {
        switch try look(for: request) {
        case .found(let picture): return picture
        case .missing(let job, let chain): return try await picture(job, chain)
        }
    }

    private enum Look {
        case found(LoadedImage)
        case missing(LoadJob, LoadChain)
    }

    /// Looks into memory. Not inlined, like the other functions here that do not wait: what they need would be part of each task for as
    /// long as it waits.
    @inline(never)
    private func look(for request: ImageRequest) throws(LoadError) -> Look {
        // Whoever scrolls fast cancels most requests before their tasks begin: keys would be made in vain.
        if Task.isCancelled { throw LoadError(stage: .lookup, address: request.address, reason: .cancelled) }
        let job = LoadJob(request, self)
        if let picture = cachedImage(job) { return .found(picture) }
        return .missing(job, keepsResults ? job.resultChain : job.chain(self))
    }

    /// Whether the disk may have finished pictures.
    var keepsResults: Bool { configuration.serializer != nil && configuration.disk != nil }

    /// The picture if it is in memory and fresh; at once, and on the calling thread.
    public func cachedImage(for request: ImageRequest) -> LoadedImage? { cachedImage(LoadJob(request, self)) }

    func cachedImage(_ job: LoadJob) -> LoadedImage? {
        guard let memory = configuration.memory, job.readsMemory, let picture = memory.value(for: job.pictureKey),
            isFresh(picture)
        else { return nil }
        report(job.request.address, .hit)
        return picture
    }

    /// A picture that may be in memory, or what leads to it; one that is not there is no miss.
    func picture(_ job: LoadJob, _ key: CacheKey) -> LoadedImage? {
        guard let memory = configuration.memory, job.readsMemory, memory.contains(key),
            let picture = memory.value(for: key)
        else { return nil }
        return isFresh(picture) ? picture : nil
    }

    /// Whether a picture stands for its source now.
    func isFresh(_ picture: LoadedImage) -> Bool {
        guard let end = picture.freshUntil else { return true }
        return configuration.wallClock.now() < end
    }

    /// Waits for the last step of a chain.
    func picture(_ job: LoadJob, _ chain: LoadChain) async throws(LoadError) -> LoadedImage {
        try (await pictureOutcome(job, chain)).picture(job)
    }

    /// The same with where the bytes came from.
    func pictureOutcome(_ job: LoadJob, _ chain: LoadChain) async -> LoadOutcome {
        let first = await outcome(job, chain)
        // What was on the disk was no picture: it is gone, and the source is asked.
        return first.wasDamagedOnDisk ? await outcome(job, chain) : first
    }

    /// The bytes of the source, from the disk or from the source, without decoding them. Who asks for a picture of the same source
    /// shares the transfer.
    ///
    /// - Throws: why they could not be loaded; `LoadError.Reason.cancelled` as soon as the task is cancelled.
    @concurrent
    public func original(for request: ImageRequest) async throws(LoadError) -> LoadedOriginal {
        try await original(LoadJob(request, self))
    }

    private func original(_ job: LoadJob) async throws(LoadError) -> LoadedOriginal {
        switch await outcome(job, job.transferChain) {
        case .bytes(let buffer, let origin):
            let description = buffer.description
            return LoadedOriginal(
                bytes: buffer.data, attributes: description.attributes, freshUntil: description.freshUntil,
                origin: origin)
        case let outcome:
            _ = try outcome.picture(job)
            throw job.error(.lookup, .other("a picture, not bytes"))
        }
    }

    /// Asks the source whether bytes on the disk still hold, while nobody waits for it.
    func revalidate(_ request: ImageRequest) {
        guard request.cachePolicy.contains(.writesOriginals) else { return }
        var request = request
        request.cachePolicy = [.readsOriginals, .writesOriginals, .revalidates]
        request.priority = .low
        let job = LoadJob(request, self, isAdjusted: true)
        Task.detached { _ = try? await self.original(job) }
    }

    private func outcome(_ job: LoadJob, _ chain: LoadChain) async -> LoadOutcome {
        let caller = newCaller()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Decided under the lock: a cancellation either is seen there or finds the caller in the graph.
                join(caller, .single(continuation), job, chain)
            }
        } onCancel: {
            leave(caller)
        }
    }

    // MARK: - Callers

    func newCaller() -> CallerID { callerCount.add(1, ordering: .relaxed).newValue }

    /// Has somebody wait for the last step of a chain, or answers at once.
    @inline(never)
    func join(_ caller: CallerID, _ waiter: LoadWaiter, _ job: LoadJob, _ chain: LoadChain) {
        let now = configuration.clock.now()
        let effects = state.withLock { state in
            var effects = LoadEffects()
            if let error = state.refusal(job, now: now) {
                effects.answers.append(([waiter], .failure(error)))
                return effects
            }
            // What ended after the caller looked is in memory now, and not in the graph any more.
            if chain.keys.last?.kind != .transfer, let picture = picture(job, job.pictureKey) {
                effects.answers.append(([waiter], .picture(picture, .memory)))
                note(.hit, job, &effects)
                return effects
            }
            let joined = state.graph.join(
                caller, waiter, chain.keys, priority: job.request.priority, wantsPreviews: waiter.wantsPreviews
            ) { index, known in
                let work = LoadWork(job, chain, index, known: known)
                if work.isToBeStoredLate(known) {
                    runningCount.add(1, ordering: .relaxed)
                    effects.storedLate.append(work)
                }
                return work
            }
            takeEffects(&state, &effects)
            if joined.isShared { note(.joined, job, &effects) }
            return effects
        }
        perform(effects)
    }

    /// Gives a caller that waits another priority.
    func setPriority(_ priority: ImageRequest.Priority, of caller: CallerID) {
        state.withLock { $0.graph.setPriority(priority, of: caller) }
    }

    /// Ends a caller's wait; it is answered that it was cancelled, if it was not answered before.
    @inline(never)
    func leave(_ caller: CallerID) {
        let effects = state.withLock { state in
            var effects = LoadEffects()
            guard let waiter = state.graph.leave(caller) else { return effects }
            takeEffects(&state, &effects)
            effects.answers.append(([waiter], .left))
            return effects
        }
        perform(effects)
    }

    // MARK: - Ending

    /// Answers all callers that they were cancelled, and ends all work.
    public func cancelAll() {
        let effects = state.withLock { state in
            var effects = LoadEffects()
            effects.answers.append((state.graph.leaveAll(), .left))
            takeEffects(&state, &effects)
            return effects
        }
        perform(effects)
    }

    /// Cancels everything, refuses what is asked for from now on, and waits until files are written and nothing runs any more;
    /// then closes the disk cache.
    ///
    /// - Parameter limit: how long it waits at most, by the loader's clock: a source that ignores that it is cancelled, or a disk that
    ///   does not answer, does not hold it up longer. What still runs then goes on, and nobody gets what it makes.
    /// - Returns: whether nothing runs any more.
    @discardableResult
    public func shutDown(waitingAtMost limit: Duration = .seconds(10)) async -> Bool {
        state.withLock { $0.isShutDown = true }
        cancelAll()
        let isIdle = await waitUntilIdle(atMost: limit)
        configuration.disk?.close()
        return isIdle
    }

    /// Waits until no step runs; `false` if that takes too long.
    private func waitUntilIdle(atMost limit: Duration) async -> Bool {
        let number = newCaller()
        return await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if runningCount.load(ordering: .acquiring) == 0 { return true }
                // It cannot give up before the waiter is there: that is done under the lock.
                let timer = Task.detached {
                    try? await self.configuration.clock.sleep(limit)
                    self.state.withLock { $0.idleWaiters.removeValue(forKey: number) }?.answer.resume(returning: false)
                }
                state.idleWaiters[number] = IdleWaiter(answer: continuation, timer: timer)
                return false
            }
            if isIdle { continuation.resume(returning: true) }
        }
    }

    /// Notes that the task of a step is over.
    @inline(never)
    func noteEnd() {
        guard runningCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        let waiters = state.withLock { state in
            defer { state.idleWaiters = [:] }
            return state.idleWaiters
        }
        for waiter in waiters.values {
            waiter.timer.cancel()
            waiter.answer.resume(returning: true)
        }
    }

    /// Has an event reported once the lock is open, if anybody wants to know.
    func note(_ kind: LoadEvent.Kind, _ job: LoadJob, _ effects: inout LoadEffects) {
        if configuration.observe != nil { effects.events.append((job.request.address, kind)) }
    }

    @inline(never)
    func report(_ address: String, _ kind: LoadEvent.Kind, since start: Duration? = nil) {
        guard let observe = configuration.observe else { return }
        let now = configuration.clock.now()
        observe(
            LoadEvent(
                address: LoadError.withoutCredentials(address), kind: kind, time: now, duration: start.map { now - $0 })
        )
    }
}
