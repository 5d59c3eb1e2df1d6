// Who waits for which work: the state of all loading, without doing any of it.
//
//   transfer ──▶ decode, 400 x 300 ──▶ round corners   ◀── caller 1
//          │                                    └──▶ blur   ◀── caller 2
//          └───▶ decode, full size   ◀── callers 3 and 4
//
// A step waits for its parent, is ready, runs, and is done; it is done for good when nobody waits for it or for what comes after it.
// Each step counts the callers that need it, by priority: the highest is its own. When the last one leaves, the step is gone at
// once, and who asks for the same comes to a new one.
//
// The graph is a plain value. Whoever holds it does what `takeActions` says, after it has let go of the lock.

/// Callers, steps, and what is to be done next.
package struct WorkGraph: Sendable {
    package typealias StepID = Int
    package typealias CallerID = Int

    /// What the owner of the graph has to do.
    package enum Action: Equatable, Sendable {
        /// The step's work is to begin. A decode whose parent still runs shows previews, and waits for bytes itself.
        case begin(StepID)
        /// The step's work is to end; nobody needs it.
        case cancel(StepID)
        /// The callers are to be answered with what the step made, or with its failure.
        case answer([CallerID], StepID)
        /// The step is gone, and what it made, if it made anything, is not needed any more.
        case release(StepID)
    }

    enum Phase: Sendable, Equatable {
        case waiting, ready, running, done
    }

    struct Step: Sendable {
        let key: WorkKey
        let parent: StepID?
        var children: [StepID] = []
        /// Those that want what this step makes, in the order in which they came.
        var callers: [CallerID] = []
        /// Callers that need it, its own and those of steps after it, by priority.
        var counts = SIMD8<Int32>()
        var previewCount = 0
        var phase: Phase
        /// Whether it counts among the steps of its kind that run at once.
        var holdsPlace = false

        var priority: ImageRequest.Priority? {
            ImageRequest.Priority.allCases.last { counts[$0.rawValue] > 0 }
        }
    }

    private struct Caller: Sendable {
        let step: StepID
        var priority: ImageRequest.Priority
        let wantsPreviews: Bool
    }

    private var steps: [StepID: Step] = [:]
    private var stepIDs: [WorkKey: StepID] = [:]
    private var callers: [CallerID: Caller] = [:]
    private var nextID = 0
    private var queues = [ReadyQueue](repeating: ReadyQueue(), count: 3)
    private var freePlaces: [Int]
    private var actions: [Action] = []

    /// - Parameters:
    ///   - transferCount: transfers that run or whose bytes are needed, at most.
    ///   - decodeCount: decodes and transformations that run at once, at most.
    package init(transferCount: Int, decodeCount: Int) {
        // Looking for a finished picture waits for other steps most of the time, so that it needs no place.
        freePlaces = [max(1, transferCount), max(1, decodeCount), .max]
    }

    private static func queueIndex(_ kind: WorkKey.Kind) -> Int {
        switch kind {
        case .transfer: 0
        case .decode, .transformation: 1
        case .result: 2
        }
    }

    // MARK: - Callers

    /// Adds a caller.
    ///
    /// - Parameters:
    ///   - chain: the steps to what it wants; the first one has no parent.
    ///   - wantsPreviews: whether the last step, a decode, is to show pictures while bytes arrive.
    /// - Returns: the steps of the chain, and whether the last one was there.
    package mutating func join(
        _ caller: CallerID, _ chain: [WorkKey], priority: ImageRequest.Priority, wantsPreviews: Bool = false
    ) -> (steps: [StepID], isShared: Bool) {
        guard let last = chain.last else { return ([], false) }
        let isShared = stepIDs[last] != nil
        var ids: [StepID] = []
        for key in chain { ids.append(stepID(key, parent: ids.last)) }
        let id = ids[ids.count - 1]
        callers[caller] = Caller(step: id, priority: priority, wantsPreviews: wantsPreviews)
        steps[id]?.callers.append(caller)
        if wantsPreviews { steps[id]?.previewCount += 1 }
        changeCounts(from: id) { $0[priority.rawValue] += 1 }
        if steps[id]?.phase == .done { answer(id) } else { beginPreviews(id) }
        beginReady()
        return (ids, isShared)
    }

    /// The step of a key, a new one if there is none.
    private mutating func stepID(_ key: WorkKey, parent: StepID?) -> StepID {
        if let id = stepIDs[key] { return id }
        nextID += 1
        let id = nextID
        let isReady = parent.map { steps[$0]?.phase == .done } ?? true
        steps[id] = Step(key: key, parent: parent, phase: isReady ? .ready : .waiting)
        stepIDs[key] = id
        if let parent { steps[parent]?.children.append(id) }
        return id
    }

    /// Removes a caller that does not wait any more; it is not answered.
    ///
    /// - Returns: whether it waited.
    package mutating func leave(_ caller: CallerID) -> Bool {
        guard let entry = callers.removeValue(forKey: caller) else { return false }
        steps[entry.step]?.callers.removeAll { $0 == caller }
        if entry.wantsPreviews { steps[entry.step]?.previewCount -= 1 }
        changeCounts(from: entry.step) { $0[entry.priority.rawValue] -= 1 }
        removeUnneeded(from: entry.step)
        beginReady()
        return true
    }

    /// Gives a caller another priority.
    package mutating func setPriority(_ priority: ImageRequest.Priority, of caller: CallerID) {
        guard let entry = callers[caller], entry.priority != priority else { return }
        callers[caller]?.priority = priority
        changeCounts(from: entry.step) { counts in
            counts[entry.priority.rawValue] -= 1
            counts[priority.rawValue] += 1
        }
    }

    /// Changes who needs a step and those before it; what is ready gets in the line of its priority.
    private mutating func changeCounts(from id: StepID, _ change: (inout SIMD8<Int32>) -> Void) {
        var next: StepID? = id
        while let id = next {
            guard var step = steps[id] else { return }
            let before = step.priority
            change(&step.counts)
            steps[id]?.counts = step.counts
            if step.phase == .ready, let priority = step.priority, priority != before {
                queues[Self.queueIndex(step.key.kind)].append(id, priority)
            }
            next = step.parent
        }
    }

    /// Removes a step that nobody needs, and those before it.
    private mutating func removeUnneeded(from id: StepID) {
        var next: StepID? = id
        while let id = next, let step = steps[id], step.priority == nil {
            remove(id, step)
            next = step.parent
        }
    }

    private mutating func remove(_ id: StepID, _ step: Step) {
        steps[id] = nil
        if stepIDs[step.key] == id { stepIDs[step.key] = nil }
        if let parent = step.parent { steps[parent]?.children.removeAll { $0 == id } }
        if step.holdsPlace { freePlaces[Self.queueIndex(step.key.kind)] += 1 }
        switch step.phase {
        case .running: actions.append(.cancel(id))
        case .waiting, .ready, .done: actions.append(.release(id))
        }
    }

    // MARK: - Steps

    /// Begins what is ready, as long as there are places.
    private mutating func beginReady() {
        for index in freePlaces.indices {
            while freePlaces[index] > 0, let (id, priority) = queues[index].popFirst() {
                guard let step = steps[id], step.phase == .ready, step.priority == priority else { continue }
                freePlaces[index] -= 1
                steps[id]?.holdsPlace = true
                begin(id)
            }
        }
    }

    private mutating func begin(_ id: StepID) {
        guard let step = steps[id] else { return }
        steps[id]?.phase = .running
        actions.append(.begin(id))
        if step.key.kind == .transfer { for child in step.children { beginPreviews(child) } }
    }

    /// Begins a decode that is to show previews while its parent runs. It waits for bytes most of the time, and so has no place.
    private mutating func beginPreviews(_ id: StepID) {
        guard let step = steps[id], step.phase == .waiting, step.previewCount > 0, let parent = step.parent,
            steps[parent]?.phase == .running
        else { return }
        begin(id)
    }

    /// The step's work is done.
    package mutating func finish(_ id: StepID) {
        guard let step = steps[id], step.phase == .running else { return }
        steps[id]?.phase = .done
        if step.holdsPlace, step.key.kind != .transfer {
            steps[id]?.holdsPlace = false
            freePlaces[Self.queueIndex(step.key.kind)] += 1
        }
        for child in step.children { makeReady(child) }
        answer(id)
        beginReady()
    }

    private mutating func makeReady(_ id: StepID) {
        guard let step = steps[id], step.phase == .waiting, let priority = step.priority else { return }
        steps[id]?.phase = .ready
        queues[Self.queueIndex(step.key.kind)].append(id, priority)
    }

    /// Has all callers of a step that is done answered, and lets go of what they needed.
    private mutating func answer(_ id: StepID) {
        guard let step = steps[id], !step.callers.isEmpty else { return removeUnneeded(from: id) }
        actions.append(.answer(step.callers, id))
        steps[id]?.callers = []
        steps[id]?.previewCount = 0
        var gone = SIMD8<Int32>()
        for caller in step.callers {
            if let entry = callers.removeValue(forKey: caller) { gone[entry.priority.rawValue] += 1 }
        }
        changeCounts(from: id) { $0 &-= gone }
        removeUnneeded(from: id)
    }

    /// The step's work failed: so does what comes after it.
    package mutating func fail(_ id: StepID) {
        guard steps[id]?.phase == .running else { return }
        steps[id]?.phase = .done
        failAll(id, id)
        beginReady()
    }

    /// Fails a step and those after it, with the failure of step `cause`.
    private mutating func failAll(_ id: StepID, _ cause: StepID) {
        guard let step = steps[id] else { return }
        for child in step.children { failAll(child, cause) }
        guard let step = steps[id] else { return }
        if !step.callers.isEmpty { actions.append(.answer(step.callers, cause)) }
        var gone = SIMD8<Int32>()
        for caller in step.callers {
            if let entry = callers.removeValue(forKey: caller) { gone[entry.priority.rawValue] += 1 }
        }
        steps[id]?.callers = []
        changeCounts(from: id) { $0 &-= gone }
        removeUnneeded(from: id)
    }

    // MARK: - For the owner

    /// What is to be done, in order.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// All callers, and all steps that run.
    package var everybody: [CallerID] { callers.keys.sorted() }

    package func key(of id: StepID) -> WorkKey? { steps[id]?.key }
    package func parent(of id: StepID) -> StepID? { steps[id]?.parent }
    package func priority(of id: StepID) -> ImageRequest.Priority? { steps[id]?.priority }
    package var stepCount: Int { steps.count }
    package var callerCount: Int { callers.count }

    /// Whether a step is to show previews while bytes arrive.
    package func wantsPreviews(_ id: StepID) -> Bool { steps[id].map { $0.previewCount > 0 } ?? false }

    /// The callers that a preview of a step is for.
    package func previewCallers(of id: StepID) -> [CallerID] {
        guard let step = steps[id], step.phase == .running, step.previewCount > 0 else { return [] }
        return step.callers.filter { callers[$0]?.wantsPreviews ?? false }
    }
}
