// What the graph says is done: tasks are made under the lock, everything else after it.

internal import ImageCaching
internal import ImageCodecsCore
internal import Synchronization

extension ImageLoader {
    /// Begins the steps that the graph says, and collects what is to be done once the lock is open.
    func takeEffects(_ state: inout LoaderState, _ effects: inout LoadEffects) {
        for action in state.graph.takeActions() {
            switch action {
            case .begin(let id):
                begin(id, &state)
            case .cancel(let work):
                if let task = work.task { effects.cancelled.append(task) }
                note(.cancelled(work.stage), work.job, &effects)
                effects.released.append(work)
            case .answer(let waiters, let work):
                if let outcome = work.outcome { effects.answers.append((waiters, outcome)) }
            case .release(let work):
                effects.released.append(work)
            }
        }
    }

    private func begin(_ id: StepID, _ state: inout LoaderState) {
        guard var work = state.graph.work(of: id) else { return }
        let parent = state.graph.parent(of: id).flatMap { state.graph.work(of: $0) }
        if work.kind == .transfer { work.buffer = TransferBuffer() }
        let before = parent?.outcome ?? work.start.map { .picture($0, .memory) }
        let step = LoadStep(loader: self, id: id, work: work, parent: before, incoming: parent?.buffer)
        runningCount.add(1, ordering: .relaxed)
        work.task = Task.detached { await step.run() }
        state.graph.setWork(work, of: id)
    }

    func perform(_ effects: LoadEffects) {
        for task in effects.cancelled { task.cancel() }
        for (waiters, outcome) in effects.answers { for waiter in waiters { waiter.answer(outcome) } }
        for (address, kind) in effects.events { report(address, kind) }
        for work in effects.storedLate {
            let step = LoadStep(loader: self, id: 0, work: work, parent: nil, incoming: nil)
            Task.detached { await step.storeLate() }
        }
    }

    /// Notes what a step made, and begins what comes after it.
    ///
    /// - Returns: what its callers want to be written.
    @inline(never)
    func finish(_ id: StepID, _ outcome: LoadOutcome) -> CachePolicy {
        let (effects, writes) = state.withLock { state -> (LoadEffects, CachePolicy) in
            var effects = LoadEffects()
            guard var work = state.graph.work(of: id) else { return (effects, []) }
            if case .picture(let picture, _) = outcome {
                state.failures.forget(work.job.originalKey.source)
                if let memory = configuration.memory, work.writes.contains(.writesMemory),
                    picture.description.isStorable, isFresh(picture)
                {
                    memory.insert(picture, for: work.pictureKey, cost: picture.byteCount) { effects.evicted.append($0) }
                }
            }
            work.outcome = outcome
            work.buffer = nil
            state.graph.setWork(work, of: id)
            state.graph.finish(id)
            takeEffects(&state, &effects)
            return (effects, work.writes)
        }
        perform(effects)
        return writes
    }

    /// Notes that a step failed: whoever waits for it or what comes after it is answered so.
    @inline(never)
    func fail(_ id: StepID, _ error: LoadError) {
        let now = configuration.clock.now()
        let effects = state.withLock { state in
            var effects = LoadEffects()
            guard var work = state.graph.work(of: id) else { return effects }
            // What is on the disk may still be delivered to others if nobody knows whether it holds.
            let isRemembered =
                (work.kind == .transfer || work.kind == .decode) && !error.wasDamagedOnDisk
                && !work.job.request.cachePolicy.contains(.revalidates)
            if isRemembered { state.failures.record(error, work.job.originalKey.source, now: now) }
            work.outcome = .failure(error)
            state.graph.setWork(work, of: id)
            state.graph.fail(id)
            takeEffects(&state, &effects)
            return effects
        }
        perform(effects)
    }

    /// Shows a preview to those who wait for a step.
    func show(_ picture: LoadedImage, of id: StepID) {
        for case .feed(let feed) in state.withLock({ $0.graph.previewWaiters(of: id) }) { feed.show(picture) }
    }
}

extension LoadWork {
    var stage: LoadError.Stage {
        switch kind {
        case .result: .lookup
        case .transfer: .transfer
        case .decode: .decode
        case .transformation: .transformation
        }
    }

    /// What caches know the picture of this step by.
    var pictureKey: CacheKey {
        kind == .transformation || kind == .decode
            ? job.originalKey.with(variant: job.request.variant(transformationCount: index - 1)) : job.pictureKey
    }
}
