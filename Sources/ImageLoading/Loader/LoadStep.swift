// The work of one step, in a task of its own.

internal import ImageCaching
internal import ImageCodecs
internal import ImageCodecsCore
internal import ImagePipeline
internal import Synchronization

/// Does what a step is for and says so to the loader.
struct LoadStep: Sendable {
    let loader: ImageLoader
    let id: StepID
    let work: LoadWork
    /// What the step before made; `nil` if it still runs.
    let parent: LoadOutcome?
    /// The bytes of the step before, which still arrive.
    let incoming: TransferBuffer?

    private var job: LoadJob { work.job }
    // Lent, not copied: both are large, and what a task needs after it waited is kept in its memory.
    private var request: ImageRequest { @inline(__always) _read { yield work.job.request } }
    private var configuration: ImageLoader.Configuration { @inline(__always) _read { yield loader.configuration } }

    func run() async {
        let start = configuration.clock.now()
        loader.report(request.address, .began(work.stage))
        do throws(LoadError) {
            let outcome = try await outcome()
            loader.report(request.address, .ended(work.stage, outcome.origin), since: start)
            let writes = loader.finish(id, outcome)
            // Readers see the end only now: the graph has to know of it first.
            work.buffer?.end()
            await store(outcome, writes)
        } catch {
            // Whoever gave it up has reported that.
            if error.reason != .cancelled { loader.report(request.address, .failed(error), since: start) }
            loader.fail(id, error)
            work.buffer?.end()
        }
        loader.noteEnd()
    }

    private func outcome() async throws(LoadError) -> LoadOutcome {
        switch work.kind {
        case .result: try await findResult()
        case .transfer: try await transfer()
        case .decode: try await decode()
        case .transformation: try await transform()
        }
    }

    /// Runs `body`, which waits for the disk, on one of the package's threads.
    private func onThread<R: Sendable>(_ body: @Sendable () -> R) async throws(LoadError) -> R {
        do throws(ImageError) {
            return try await DecodingExecutor.shared.run { () throws(ImageError) in body() }
        } catch {
            throw job.error(work.stage, error == .cancelled ? .cancelled : .image(error))
        }
    }

    /// Whether the disk keeps copies of what the source delivers.
    private var disk: DiskCache? { job.source?.isLocal == true ? nil : configuration.disk }

    // MARK: - Transfer

    private func transfer() async throws(LoadError) -> LoadOutcome {
        guard let buffer = work.buffer else { throw job.error(.transfer, .cancelled) }
        let stored = try await stored()
        if let stored, let origin = deliver(stored, buffer) { return .bytes(buffer, origin) }
        let isNear = job.source?.isLocal == true
        guard isNear || !request.isOnlyFromCache else { throw job.error(.lookup, .notInCache) }
        guard let source = job.source else { throw job.error(.lookup, .noSource) }
        var attemptCount = 0
        while true {
            // A clock need not notice that the task was cancelled while it waited for the next attempt.
            if Task.isCancelled { throw job.error(.transfer, .cancelled) }
            do throws(LoadError) {
                return .bytes(buffer, try await read(source, replacing: stored, into: buffer))
            } catch {
                // What somebody may have decoded cannot be taken back.
                guard buffer.byteCount == 0 else { throw error }
                if let stored, source.mayUse(stored, after: error, at: configuration.wallClock.now()) {
                    return .bytes(buffer, append(stored, to: buffer, until: .zero, as: .stale))
                }
                attemptCount += 1
                guard error.isRetryable, attemptCount < configuration.retry.maxAttemptCount else { throw error }
                let delay = configuration.retry.delay(afterAttempts: attemptCount) * Double.random(in: 0.75...1)
                try await wait(max(delay, error.retryAfter ?? .zero), error)
            }
        }
    }

    /// The bytes on the disk, if they may be read.
    private func stored() async throws(LoadError) -> DiskEntry? {
        guard request.cachePolicy.contains(.readsOriginals), let disk else { return nil }
        let key = job.originalKey
        return try await onThread { disk.entry(for: key) }
    }

    /// Delivers bytes from the disk if they stand for their source, or may do so while it is asked.
    @inline(never)
    private func deliver(_ stored: DiskEntry, _ buffer: TransferBuffer) -> LoadOrigin? {
        let isToBeAsked = request.cachePolicy.contains(.revalidates) && !request.isOnlyFromCache
        let now = configuration.wallClock.now()
        switch job.source?.use(of: stored, for: request.address, at: now) ?? .fresh(until: nil) {
        case .unchanging(let end):
            return append(stored, to: buffer, until: end, as: .original)
        case .fresh(let end) where !isToBeAsked:
            return append(stored, to: buffer, until: end, as: .original)
        case .whileRevalidating where !isToBeAsked:
            if !request.isOnlyFromCache { loader.revalidate(request) }
            return append(stored, to: buffer, until: .zero, as: .stale)
        case .fresh, .whileRevalidating, .stale: return nil
        }
    }

    @inline(never)
    private func append(
        _ stored: DiskEntry, to buffer: TransferBuffer, until end: Duration?, as origin: LoadOrigin
    ) -> LoadOrigin {
        buffer.description = SourceDescription(attributes: stored.attributes, freshUntil: end)
        buffer.origin = origin
        buffer.append(stored.bytes)
        return origin
    }

    private func wait(_ delay: Duration, _ error: LoadError) async throws(LoadError) {
        guard delay <= configuration.retry.maxDelay else { throw error }
        loader.report(request.address, .retrying(after: delay))
        do { try await configuration.clock.sleep(delay) } catch { throw job.error(.transfer, .cancelled) }
    }

    /// Reads what the source delivers; answers where the bytes came from in the end.
    private func read(
        _ source: any ImageSource, replacing stored: DiskEntry?, into buffer: TransferBuffer
    ) async throws(LoadError) -> LoadOrigin {
        do {
            let address = request.address
            let response =
                if let stored { try await source.open(address, replacing: stored) } else {
                    try await source.open(address)
                }
            try check(response.byteCount ?? 0)
            buffer.description = SourceDescription(
                attributes: response.attributes,
                freshUntil: response.freshFor.map { configuration.wallClock.now() + $0 },
                isStorable: response.isStorable)
            if response.isUnchanged, let stored {
                buffer.origin = .revalidated
                buffer.append(stored.bytes)
                return .revalidated
            }
            var (count, reported, next) = (0, 0, configuration.clock.now())
            while let piece = try await response.next() {
                try check(count.addingSaturated(piece.count))
                buffer.append(piece)
                count += piece.count
                if Task.isCancelled { throw job.error(.transfer, .cancelled) }
                guard configuration.observe != nil, configuration.clock.now() >= next else { continue }
                loader.report(address, .received(byteCount: count, of: response.byteCount))
                (reported, next) = (count, configuration.clock.now() + configuration.progressInterval)
            }
            // Some sequences end when their task is cancelled.
            if Task.isCancelled { throw job.error(.transfer, .cancelled) }
            if count > reported { loader.report(address, .received(byteCount: count, of: response.byteCount)) }
            if let wanted = response.byteCount, wanted != buffer.byteCount {
                let what = "\(buffer.byteCount) of \(wanted) bytes came"
                throw LoadError(stage: .transfer, address: address, reason: .unavailable(what))
            }
            return .source
        } catch {
            throw loadError(error)
        }
    }

    @inline(never)
    private func check(_ byteCount: Int) throws(LoadError) {
        let limit = configuration.maxByteCount
        guard byteCount <= limit else { throw job.error(.transfer, .tooLarge(limit: limit)) }
    }

    @inline(never)
    private func loadError(_ error: any Error) -> LoadError {
        if Task.isCancelled || error is CancellationError { return job.error(work.stage, .cancelled) }
        switch error {
        case let error as LoadError:
            return LoadError(
                stage: work.stage, address: request.address, reason: error.reason, isRetryable: error.isRetryable,
                retryAfter: error.retryAfter, detail: error.detail)
        case let error as ImageError: return job.error(work.stage, .image(error))
        default: return job.error(work.stage, .other("\(error)"))
        }
    }

    // MARK: - Decode

    private func decode() async throws(LoadError) -> LoadOutcome {
        do throws(ImageError) {
            if let incoming, parent == nil {
                let picture = try await decodeGradually(incoming)
                return .picture(picture, incoming.origin)
            }
            guard case .bytes(let buffer, let origin) = parent else { throw ImageError.cancelled }
            return .picture(try await decodeWhole(buffer), origin)
        } catch {
            throw await decodingError(error)
        }
    }

    /// What did not decode is not kept on the disk; if it came from there, trying again helps.
    private func decodingError(_ error: ImageError) async -> LoadError {
        guard error != .cancelled else { return job.error(.decode, .cancelled) }
        // A decode that shows previews begins before its parent ends.
        let isFromDisk = (parent?.origin ?? incoming?.origin ?? .source) != .source
        let isDamaged =
            switch error {
            case .corrupt, .truncated, .unknownFormat: true
            default: false
            }
        if isDamaged, let disk {
            let key = job.originalKey
            _ = try? await onThread { disk.remove(key) }
        }
        return LoadError(
            stage: .decode, address: request.address, reason: .image(error), isRetryable: isFromDisk && isDamaged)
    }

    private func decodeWhole(_ buffer: TransferBuffer) async throws(ImageError) -> LoadedImage {
        let data = buffer.data
        var options = request.options
        if request.frames != .preloaded { options.firstFrameOnly = true }
        let registry = configuration.registry
        let image = try await registry.decoded(from: data, options: options, budget: configuration.budget)
        return try await loaded(image, data, buffer.description)
    }

    /// The picture with its frames, if these are wanted later.
    private func loaded(
        _ image: RasterImage, _ data: ImageData, _ description: SourceDescription
    ) async throws(ImageError) -> LoadedImage {
        guard request.frames == .lazy, request.transformations.isEmpty, !request.options.firstFrameOnly,
            [.gif, .png, .apng, .webp].contains(image.format)
        else { return LoadedImage(image, description: description) }
        let (registry, options) = (configuration.registry, request.options)
        let animation = try await DecodingExecutor.shared.run { () throws(ImageError) -> (any AnimatedImageProvider)? in
            let info = try registry.readHeaders(of: data, options: options)
            guard info.animation != nil || info.format == .gif else { return nil }
            let animation = try registry.makeAnimation(from: data, options: options)
            return animation.frameCount > 1 ? animation : nil
        }
        return LoadedImage(image, animation: animation, fileByteCount: data.count, description: description)
    }

    /// Decodes while bytes arrive, and shows what there is.
    private func decodeGradually(_ buffer: TransferBuffer) async throws(ImageError) -> LoadedImage {
        let pieces = PacedPieces(buffer: buffer, interval: request.partialInterval, clock: configuration.clock)
        var whole: RasterImage?
        do {
            for try await image in pieces.partialImages(options: request.options, budget: configuration.budget) {
                guard image.isPartial else {
                    whole = image
                    continue
                }
                loader.show(LoadedImage(image, isPreview: true, description: buffer.description), of: id)
            }
        } catch let error as ImageError {
            throw error
        } catch {
            throw .cancelled
        }
        // A transfer that ended early, and frames, need all bytes.
        guard let whole, request.frames == .first || whole.format == .jpeg else {
            return try await decodeWhole(buffer)
        }
        return LoadedImage(whole, description: buffer.description)
    }

    // MARK: - Transformations and results

    private func transform() async throws(LoadError) -> LoadOutcome {
        guard case .picture(let before, let origin) = parent else { throw job.error(.transformation, .cancelled) }
        let transformation = request.transformations[work.index - 2]
        do throws(ImageError) {
            let image = try await before.image.changed(budget: configuration.budget, transformation.change)
            return .picture(LoadedImage(image, description: before.description), origin)
        } catch {
            throw job.error(.transformation, error == .cancelled ? .cancelled : .image(error))
        }
    }

    private func findResult() async throws(LoadError) -> LoadOutcome {
        let readsResults = request.cachePolicy.contains(.readsResults) && !request.cachePolicy.contains(.revalidates)
        if readsResults, let disk = configuration.disk {
            let key = job.pictureKey
            let now = configuration.wallClock.now()
            if let entry = try await onThread({ disk.entry(for: key) }), entry.freshFor == nil || entry.isFresh(at: now)
            {
                var options = DecodingOptions.loading
                (options.pixelFormat, options.limits) = (request.options.pixelFormat, request.options.limits)
                let picture = try? await configuration.registry.decoded(
                    from: entry.bytes, options: options, budget: configuration.budget)
                let description = SourceDescription(
                    attributes: entry.attributes, freshUntil: entry.freshFor.map { entry.storedAt + $0 })
                if let picture { return .picture(LoadedImage(picture, description: description), .result) }
                if Task.isCancelled { throw job.error(.lookup, .cancelled) }
                try await onThread { disk.remove(key) }
            }
        }
        let outcome = await loader.pictureOutcome(job, job.chain(loader))
        return .picture(try outcome.picture(job), outcome.origin ?? .source)
    }

    // MARK: - Writing

    /// Keeps the bytes of a transfer that had ended before somebody wanted them to be kept.
    func storeLate() async {
        if let outcome = work.outcome { await store(outcome, work.writes) }
        loader.noteEnd()
    }

    /// Keeps on the disk what callers want to be kept, after they were answered.
    private func store(_ outcome: LoadOutcome, _ writes: CachePolicy) async {
        switch outcome {
        case .bytes(let buffer, .source), .bytes(let buffer, .revalidated):
            guard writes.contains(.writesOriginals), let disk else { return }
            let key = job.originalKey
            guard let entry = entry(buffer.data, buffer.description) else {
                // What was kept before holds no more.
                _ = try? await onThread { disk.remove(key) }
                return
            }
            await store(entry, for: key, in: disk, as: .original)
        case .picture(let picture, let origin) where work.kind == .result && origin != .result:
            guard writes.contains(.writesResults), let disk = configuration.disk, picture.description.isStorable,
                let bytes = try? await configuration.serializer?(picture, job.pictureKey),
                let entry = entry(bytes, picture.description)
            else { return }
            await store(entry, for: job.pictureKey, in: disk, as: .result)
        default: return
        }
    }

    /// An entry for the disk; `nil` for what may not be kept.
    @inline(never)
    private func entry(_ bytes: ImageData, _ description: SourceDescription) -> DiskEntry? {
        guard description.isStorable else { return nil }
        let now = configuration.wallClock.now()
        return DiskEntry(
            bytes: bytes, attributes: description.attributes,
            freshFor: description.freshUntil.map { max(.zero, $0 - now) })
    }

    private func store(_ entry: DiskEntry, for key: CacheKey, in disk: DiskCache, as origin: LoadOrigin) async {
        let isStored = try? await onThread { (try? disk.insert(entry, for: key)) != nil }
        if isStored == true { loader.report(request.address, .stored(origin)) }
    }
}

extension LoadOutcome {
    var origin: LoadOrigin? {
        switch self {
        case .bytes(_, let origin), .picture(_, let origin): origin
        case .failure: nil
        }
    }
}
