// What the graph says is done: tasks are made under the lock, everything else after it.

internal import ImageCaching
internal import ImageCodecsCore
internal import Synchronization

extension ImageLoader {
    /// Begins the steps that the graph says, and collects what is to be done once the lock is open.
    func takeEffects(_ state: inout LoaderState) -> LoadEffects {
        var effects = LoadEffects()
        for action in state.graph.takeActions() {
            switch action {
            case .begin(let id):
                begin(id, &state)
            case .cancel(let id):
                guard let work = state.works.removeValue(forKey: id) else { continue }
                if let task = work.task { effects.cancelled.append(task) }
                effects.events.append((work.job.request.address, .cancelled(work.stage)))
                effects.released.append(work)
            case .answer(let callers, let id):
                guard let outcome = state.works[id]?.outcome else { continue }
                for caller in callers {
                    if let waiter = state.waiters.removeValue(forKey: caller) {
                        effects.answers.append((waiter, outcome))
                    }
                }
            case .release(let id):
                if let work = state.works.removeValue(forKey: id) { effects.released.append(work) }
            }
        }
        return effects
    }

    private func begin(_ id: WorkGraph.StepID, _ state: inout LoaderState) {
        guard var work = state.works[id], let kind = state.graph.key(of: id)?.kind else { return }
        let parent = state.graph.parent(of: id).flatMap { state.works[$0] }
        work.kind = kind
        if kind == .transfer { work.buffer = TransferBuffer() }
        let step = LoadStep(loader: self, id: id, work: work, parent: parent?.outcome, incoming: parent?.buffer)
        let task = Task.detached { await step.run() }
        work.task = task
        state.works[id] = work
        state.running[id] = task
    }

    func perform(_ effects: LoadEffects) {
        for task in effects.cancelled { task.cancel() }
        for (waiter, outcome) in effects.answers { waiter.answer(outcome) }
        for (address, kind) in effects.events { report(address, kind) }
    }

    /// Notes what a step made, and begins what comes after it.
    ///
    /// - Returns: what its callers want to be written.
    func finish(_ id: WorkGraph.StepID, _ outcome: LoadOutcome) -> CachePolicy {
        let (effects, writes) = state.withLock { state in
            let writes = state.works[id]?.writes ?? []
            if case .picture = outcome, let work = state.works[id] {
                state.failures.forget(work.job.originalKey.source)
            }
            if case .picture(let picture, _) = outcome, writes.contains(.writesMemory), picture.description.isStorable,
                let work = state.works[id]
            {
                configuration.memory?.insert(picture, for: work.pictureKey, cost: picture.byteCount)
            }
            state.works[id]?.outcome = outcome
            state.works[id]?.buffer = nil
            state.graph.finish(id)
            return (takeEffects(&state), writes)
        }
        perform(effects)
        return writes
    }

    /// Notes that a step failed: whoever waits for it or what comes after it is answered so.
    func fail(_ id: WorkGraph.StepID, _ error: LoadError) {
        let now = configuration.clock.now()
        let effects = state.withLock { state in
            guard let work = state.works[id] else { return LoadEffects() }
            // What is on the disk may still be delivered to others if nobody knows whether it holds.
            let isRemembered =
                (work.kind == .transfer || work.kind == .decode) && !error.wasDamagedOnDisk
                && !work.job.request.cachePolicy.contains(.revalidates)
            if isRemembered { state.failures.record(error, work.job.originalKey.source, now: now) }
            state.works[id]?.outcome = .failure(error)
            state.graph.fail(id)
            return takeEffects(&state)
        }
        perform(effects)
    }

    /// Shows a preview to those who wait for a step.
    func show(_ picture: LoadedImage, of id: WorkGraph.StepID) {
        let waiters = state.withLock { state in
            state.graph.previewCallers(of: id).compactMap { state.waiters[$0] }
        }
        for case .feed(let feed) in waiters { feed.show(picture) }
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
