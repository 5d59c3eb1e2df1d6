// The work of one step, in a task of its own.

internal import ImageCaching
internal import ImageCodecs
internal import ImageCodecsCore
internal import ImagePipeline
internal import Synchronization

/// Does what a step is for and says so to the loader.
struct LoadStep: Sendable {
    let loader: ImageLoader
    let id: WorkGraph.StepID
    let work: LoadWork
    /// What the step before made; `nil` if it still runs.
    let parent: LoadOutcome?
    /// The bytes of the step before, which still arrive.
    let incoming: TransferBuffer?

    private var job: LoadJob { work.job }
    private var request: ImageRequest { work.job.request }
    private var configuration: ImageLoader.Configuration { loader.configuration }

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
            loader.report(request.address, .failed(error), since: start)
            loader.fail(id, error)
            work.buffer?.end()
        }
        loader.state.withLock { $0.running[id] = nil }
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
        if request.cachePolicy.contains(.readsOriginals), let disk {
            let key = job.originalKey
            if let entry = try await onThread({ disk.entry(for: key) }) {
                buffer.append(entry.bytes)
                return .bytes(buffer, .original)
            }
        }
        let isNear = job.source?.isLocal == true
        guard isNear || !request.isOnlyFromCache else { throw job.error(.lookup, .notInCache) }
        guard let source = job.source else { throw job.error(.lookup, .noSource) }
        var attemptCount = 0
        while true {
            do throws(LoadError) {
                try await read(source, into: buffer)
                return .bytes(buffer, .source)
            } catch {
                attemptCount += 1
                // What somebody may have decoded cannot be taken back.
                guard error.isRetryable, attemptCount < configuration.retry.maxAttemptCount, buffer.byteCount == 0
                else {
                    throw error
                }
                let delay = configuration.retry.delay(afterAttempts: attemptCount) * Double.random(in: 0.75...1)
                try await wait(max(delay, error.retryAfter ?? .zero), error)
            }
        }
    }

    private func wait(_ delay: Duration, _ error: LoadError) async throws(LoadError) {
        guard delay <= configuration.retry.maxDelay else { throw error }
        loader.report(request.address, .retrying(after: delay))
        do { try await configuration.clock.sleep(delay) } catch { throw job.error(.transfer, .cancelled) }
    }

    private func read(_ source: any ImageSource, into buffer: TransferBuffer) async throws(LoadError) {
        do {
            let response = try await source.open(request.address)
            try check(response.byteCount ?? 0)
            work.response.set(response)
            while let piece = try await response.next() {
                try check(buffer.byteCount.addingSaturated(piece.count))
                buffer.append(piece)
                if Task.isCancelled { throw job.error(.transfer, .cancelled) }
            }
            if let wanted = response.byteCount, wanted != buffer.byteCount {
                let what = "\(buffer.byteCount) of \(wanted) bytes came"
                throw LoadError(stage: .transfer, address: request.address, reason: .unavailable(what))
            }
        } catch {
            throw loadError(error)
        }
    }

    private func check(_ byteCount: Int) throws(LoadError) {
        let limit = configuration.maxByteCount
        guard byteCount <= limit else { throw job.error(.transfer, .tooLarge(limit: limit)) }
    }

    private func loadError(_ error: any Error) -> LoadError {
        if Task.isCancelled || error is CancellationError { return job.error(work.stage, .cancelled) }
        switch error {
        case let error as LoadError:
            return LoadError(
                stage: work.stage, address: request.address, reason: error.reason, isRetryable: error.isRetryable,
                retryAfter: error.retryAfter)
        case let error as ImageError: return job.error(work.stage, .image(error))
        default: return job.error(work.stage, .other("\(error)"))
        }
    }

    // MARK: - Decode

    private func decode() async throws(LoadError) -> LoadOutcome {
        do throws(ImageError) {
            if let incoming, parent == nil {
                return .picture(try await decodeGradually(incoming), .source)
            }
            guard case .bytes(let buffer, let origin) = parent else { throw ImageError.cancelled }
            return .picture(try await decodeWhole(buffer.data), origin)
        } catch {
            throw await decodingError(error)
        }
    }

    /// What did not decode is not kept on the disk; if it came from there, trying again helps.
    private func decodingError(_ error: ImageError) async -> LoadError {
        guard error != .cancelled else { return job.error(.decode, .cancelled) }
        var isFromDisk = false
        if case .bytes(_, .original) = parent { isFromDisk = true }
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

    private func decodeWhole(_ data: ImageData) async throws(ImageError) -> LoadedImage {
        var options = request.options
        if request.frames != .preloaded { options.firstFrameOnly = true }
        let registry = configuration.registry
        let image = try await registry.decoded(from: data, options: options, budget: configuration.budget)
        return try await loaded(image, data)
    }

    /// The picture with its frames, if these are wanted later.
    private func loaded(_ image: RasterImage, _ data: ImageData) async throws(ImageError) -> LoadedImage {
        guard request.frames == .lazy, request.transformations.isEmpty, !request.options.firstFrameOnly,
            [.gif, .png, .apng, .webp].contains(image.format)
        else { return LoadedImage(image) }
        let (registry, options) = (configuration.registry, request.options)
        let animation = try await DecodingExecutor.shared.run { () throws(ImageError) -> (any AnimatedImageProvider)? in
            let info = try registry.readHeaders(of: data, options: options)
            guard info.animation != nil || info.format == .gif else { return nil }
            let animation = try registry.makeAnimation(from: data, options: options)
            return animation.frameCount > 1 ? animation : nil
        }
        return LoadedImage(image, animation: animation, fileByteCount: data.count)
    }

    /// Decodes while bytes arrive, and shows what there is.
    private func decodeGradually(_ buffer: TransferBuffer) async throws(ImageError) -> LoadedImage {
        let pieces = PacedPieces(buffer: buffer, interval: request.partialInterval, clock: configuration.clock)
        var whole: RasterImage?
        do {
            for try await image in pieces.partialImages(options: request.options, budget: configuration.budget) {
                if image.isPartial { loader.show(LoadedImage(image, isPreview: true), of: id) } else { whole = image }
            }
        } catch let error as ImageError {
            throw error
        } catch {
            throw .cancelled
        }
        // A transfer that ended early, and frames, need all bytes.
        guard let whole, request.frames == .first || whole.format == .jpeg else {
            return try await decodeWhole(buffer.data)
        }
        return LoadedImage(whole)
    }

    // MARK: - Transformations and results

    private func transform() async throws(LoadError) -> LoadOutcome {
        guard case .picture(let before, let origin) = parent else { throw job.error(.transformation, .cancelled) }
        let transformation = request.transformations[work.index - 2]
        do throws(ImageError) {
            let image = try await before.image.changed(budget: configuration.budget, transformation.change)
            return .picture(LoadedImage(image), origin)
        } catch {
            throw job.error(.transformation, error == .cancelled ? .cancelled : .image(error))
        }
    }

    private func findResult() async throws(LoadError) -> LoadOutcome {
        if request.cachePolicy.contains(.readsResults), let disk = configuration.disk {
            let key = job.pictureKey
            if let entry = try await onThread({ disk.entry(for: key) }) {
                var options = DecodingOptions.loading
                (options.pixelFormat, options.limits) = (request.options.pixelFormat, request.options.limits)
                let picture = try? await configuration.registry.decoded(
                    from: entry.bytes, options: options, budget: configuration.budget)
                if let picture { return .picture(LoadedImage(picture), .result) }
                if Task.isCancelled { throw job.error(.lookup, .cancelled) }
                try await onThread { disk.remove(key) }
            }
        }
        return .picture(try await loader.picture(job, job.chain(withResult: false)), .source)
    }

    // MARK: - Writing

    /// Keeps on the disk what callers want to be kept, after they were answered.
    private func store(_ outcome: LoadOutcome, _ writes: CachePolicy) async {
        switch outcome {
        case .bytes(let buffer, .source):
            guard writes.contains(.writesOriginals), let disk, let response = work.response.get(), response.isStorable
            else { return }
            let entry = DiskEntry(bytes: buffer.data, attributes: response.attributes, freshFor: response.freshFor)
            await store(entry, for: job.originalKey, in: disk, as: .original)
        case .picture(let picture, .source) where work.kind == .result:
            guard writes.contains(.writesResults), let disk = configuration.disk,
                let bytes = try? await configuration.serializer?(picture, job.pictureKey)
            else { return }
            await store(DiskEntry(bytes: bytes), for: job.pictureKey, in: disk, as: .result)
        default: return
        }
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

/// What a source said, kept for the disk.
final class ResponseRecord: Sendable {
    private let response = Mutex<SourceResponse?>(nil)

    func set(_ new: SourceResponse) { response.withLock { $0 = new } }
    func get() -> SourceResponse? { response.withLock { $0 } }
}
