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
// The graph is a plain value, which carries what its owner knows of steps and callers. The owner does what `takeActions` says, after it
// has let go of the lock. Steps and callers stand at places in arrays, and in queues through them: nothing that a caller or a step
// does takes longer when there are more of them.

internal import ImageCaching

/// The number of a step; no other step of the graph ever has it.
package typealias StepID = Int
/// The number of a caller, which the owner gives it.
package typealias CallerID = Int

/// Callers, steps, and what is to be done next.
///
/// - `Work` is what the owner knows of a step, `Waiter` what it needs to answer a caller.
package struct WorkGraph<Work: Sendable, Waiter: Sendable>: Sendable {
    /// What the owner of the graph has to do.
    package enum Action: Sendable {
        /// The step's work is to begin. A decode whose parent still runs shows previews, and waits for bytes itself.
        case begin(StepID)
        /// The step's work is to end; nobody needs it.
        case cancel(Work)
        /// The callers are to be answered with what the step made, or with its failure.
        case answer([Waiter], Work)
        /// The step is gone, and what it made, if it made anything, is not needed any more.
        case release(Work)
    }

    private enum Phase: Sendable {
        case waiting, ready, running, done
    }

    private struct Step: Sendable {
        let id: StepID
        let key: WorkKey
        var work: Work
        let parent: Int32?
        var children = SlotLinks.Queue()
        /// Those that want what this step makes, in the order in which they came.
        var callers = SlotLinks.Queue()
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
        let id: CallerID
        let step: Int32
        let waiter: Waiter
        var priority: ImageRequest.Priority
        let wantsPreviews: Bool
    }

    private var steps = Slots<Step?>()
    private var stepPlaces: [WorkKey: Int32] = [:]
    private var siblings = SlotLinks()
    private var lastStepID = 0
    private var callers = Slots<Caller?>()
    private var callerPlaces: [CallerID: Int32] = [:]
    private var neighbours = SlotLinks()
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

    /// Where a step stands; `nil` if it is gone. The lower half of its number says so.
    private func place(_ id: StepID) -> Int32? {
        let place = Int32(truncatingIfNeeded: id)
        return steps.hasPlace(place) && steps[place]?.id == id ? place : nil
    }

    // MARK: - Callers

    /// Adds a caller.
    ///
    /// - Parameters:
    ///   - chain: the steps to what it wants; the first one has no parent.
    ///   - wantsPreviews: whether the last step, a decode, is to show pictures while bytes arrive.
    ///   - work: what the owner knows of a step of the chain, given its place there, and what it knew before if the step was there.
    /// - Returns: the steps of the chain, and whether the last one was there.
    @discardableResult
    package mutating func join(
        _ caller: CallerID, _ waiter: Waiter, _ chain: [WorkKey], priority: ImageRequest.Priority,
        wantsPreviews: Bool = false, work: (_ index: Int, _ known: Work?) -> Work
    ) -> (steps: [StepID], isShared: Bool) {
        var (places, isShared): ([Int32], Bool) = ([], false)
        for (index, key) in chain.enumerated() {
            isShared = false
            if let place = stepPlaces[key] {
                isShared = true
                let work = work(index, steps[place]?.work)
                steps[place]?.work = work
                places.append(place)
            } else {
                places.append(addStep(key, parent: places.last, work(index, nil)))
            }
        }
        guard let place = places.last else { return ([], false) }
        addCaller(
            Caller(id: caller, step: place, waiter: waiter, priority: priority, wantsPreviews: wantsPreviews))
        if steps[place]?.phase == .done { answer(place) } else { beginPreviews(place) }
        let ids = places.compactMap { steps[$0]?.id }
        beginReady()
        return (ids, isShared)
    }

    private mutating func addStep(_ key: WorkKey, parent: Int32?, _ work: Work) -> Int32 {
        let place = steps.nextPlace
        lastStepID += 1
        let isReady = parent.map { steps[$0]?.phase == .done } ?? true
        steps.insert(
            Step(
                id: lastStepID << 32 | Int(place), key: key, work: work, parent: parent,
                phase: isReady ? .ready : .waiting))
        stepPlaces[key] = place
        siblings.addSlot(place)
        if let parent { steps[parent]?.children.append(place, in: &siblings) }
        return place
    }

    private mutating func addCaller(_ caller: Caller) {
        let place = callers.insert(caller)
        callerPlaces[caller.id] = place
        neighbours.addSlot(place)
        steps[caller.step]?.callers.append(place, in: &neighbours)
        if caller.wantsPreviews { steps[caller.step]?.previewCount += 1 }
        changeCounts(from: caller.step) { $0[caller.priority.rawValue] += 1 }
    }

    /// Removes a caller that does not wait any more; it is not answered.
    ///
    /// - Returns: what would have answered it; `nil` if it did not wait.
    package mutating func leave(_ caller: CallerID) -> Waiter? {
        guard let place = callerPlaces.removeValue(forKey: caller), let entry = callers[place] else { return nil }
        callers.remove(place, leaving: nil)
        steps[entry.step]?.callers.remove(place, in: &neighbours)
        if entry.wantsPreviews { steps[entry.step]?.previewCount -= 1 }
        changeCounts(from: entry.step) { $0[entry.priority.rawValue] -= 1 }
        removeUnneeded(from: entry.step)
        beginReady()
        return entry.waiter
    }

    /// Gives a caller another priority.
    package mutating func setPriority(_ priority: ImageRequest.Priority, of caller: CallerID) {
        guard let place = callerPlaces[caller], let entry = callers[place], entry.priority != priority else { return }
        callers[place]?.priority = priority
        changeCounts(from: entry.step) { counts in
            counts[entry.priority.rawValue] -= 1
            counts[priority.rawValue] += 1
        }
    }

    /// Changes who needs a step and those before it; what is ready gets in the line of its priority.
    private mutating func changeCounts(from place: Int32, _ change: (inout SIMD8<Int32>) -> Void) {
        var next: Int32? = place
        while let place = next {
            let before = steps[place]?.priority
            if let counts = steps[place]?.counts {
                var counts = counts
                change(&counts)
                steps[place]?.counts = counts
            }
            if steps[place]?.phase == .ready, let priority = steps[place]?.priority, priority != before {
                line(place, priority)
            }
            next = steps[place]?.parent
        }
    }

    private mutating func line(_ place: Int32, _ priority: ImageRequest.Priority) {
        guard let id = steps[place]?.id, let kind = steps[place]?.key.kind else { return }
        queues[Self.queueIndex(kind)].append(id, priority)
    }

    /// Removes a step that nobody needs, and those before it.
    private mutating func removeUnneeded(from place: Int32) {
        var next: Int32? = place
        while let place = next, let step = steps[place], step.priority == nil {
            steps.remove(place, leaving: nil)
            stepPlaces[step.key] = nil
            if let parent = step.parent { steps[parent]?.children.remove(place, in: &siblings) }
            if step.holdsPlace { freePlaces[Self.queueIndex(step.key.kind)] += 1 }
            actions.append(step.phase == .running ? .cancel(step.work) : .release(step.work))
            next = step.parent
        }
    }

    // MARK: - Steps

    /// Begins what is ready, as long as there are places.
    private mutating func beginReady() {
        for index in freePlaces.indices {
            while freePlaces[index] > 0, let (id, priority) = queues[index].popFirst() {
                guard let place = place(id), steps[place]?.phase == .ready, steps[place]?.priority == priority else {
                    continue
                }
                freePlaces[index] -= 1
                steps[place]?.holdsPlace = true
                begin(place)
            }
        }
    }

    private mutating func begin(_ place: Int32) {
        guard let id = steps[place]?.id else { return }
        steps[place]?.phase = .running
        actions.append(.begin(id))
        if steps[place]?.key.kind == .transfer { forEachChild(of: place) { $0.beginPreviews($1) } }
    }

    /// Begins a decode that is to show previews while its parent runs. It waits for bytes most of the time, and so has no place.
    private mutating func beginPreviews(_ place: Int32) {
        guard steps[place]?.phase == .waiting, let count = steps[place]?.previewCount, count > 0,
            let parent = steps[place]?.parent, steps[parent]?.phase == .running
        else { return }
        begin(place)
    }

    /// Calls `body` for each step that comes after one; it may remove that one.
    private mutating func forEachChild(of place: Int32, _ body: (inout Self, Int32) -> Void) {
        var next = steps[place]?.children.first
        while let child = next, child >= 0 {
            next = siblings.next(after: child)
            body(&self, child)
        }
    }

    /// The step's work is done.
    package mutating func finish(_ id: StepID) {
        guard let place = place(id), steps[place]?.phase == .running, let kind = steps[place]?.key.kind else { return }
        steps[place]?.phase = .done
        if steps[place]?.holdsPlace == true, kind != .transfer {
            steps[place]?.holdsPlace = false
            freePlaces[Self.queueIndex(kind)] += 1
        }
        forEachChild(of: place) { $0.makeReady($1) }
        answer(place)
        beginReady()
    }

    private mutating func makeReady(_ place: Int32) {
        guard steps[place]?.phase == .waiting, let priority = steps[place]?.priority else { return }
        steps[place]?.phase = .ready
        line(place, priority)
    }

    /// The step's work failed: so does what comes after it.
    package mutating func fail(_ id: StepID) {
        guard let place = place(id), steps[place]?.phase == .running, let work = steps[place]?.work else { return }
        steps[place]?.phase = .done
        failAll(place, work)
        beginReady()
    }

    /// Has the callers of a step and of those after it answered with a failure.
    private mutating func failAll(_ place: Int32, _ work: Work) {
        forEachChild(of: place) { $0.failAll($1, work) }
        answer(place, with: work)
    }

    /// Has all callers of a step that is done answered, and lets go of what they needed.
    private mutating func answer(_ place: Int32, with failed: Work? = nil) {
        guard let queue = steps[place]?.callers, let work = failed ?? steps[place]?.work else { return }
        if queue.count > 0 {
            var (waiters, gone) = ([Waiter](), SIMD8<Int32>())
            waiters.reserveCapacity(queue.count)
            var next: Int32? = queue.first
            while let caller = next, let entry = callers[caller] {
                next = neighbours.next(after: caller)
                waiters.append(entry.waiter)
                gone[entry.priority.rawValue] += 1
                callerPlaces[entry.id] = nil
                callers.remove(caller, leaving: nil)
            }
            actions.append(.answer(waiters, work))
            steps[place]?.callers = SlotLinks.Queue()
            steps[place]?.previewCount = 0
            changeCounts(from: place) { $0 &-= gone }
        }
        removeUnneeded(from: place)
    }

    // MARK: - For the owner

    /// What is to be done, in order.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// All callers, the first one first.
    package var everybody: [CallerID] { callerPlaces.keys.sorted() }

    package func key(of id: StepID) -> WorkKey? { place(id).flatMap { steps[$0]?.key } }
    package func parent(of id: StepID) -> StepID? { place(id).flatMap { steps[$0]?.parent }.flatMap { steps[$0]?.id } }
    package func priority(of id: StepID) -> ImageRequest.Priority? { place(id).flatMap { steps[$0]?.priority } }
    package var stepCount: Int { steps.count }
    package var callerCount: Int { callers.count }

    /// What the owner knows of a step; `nil` if it is gone.
    package func work(of id: StepID) -> Work? { place(id).flatMap { steps[$0]?.work } }

    /// Changes what the owner knows of a step.
    package mutating func setWork(_ work: Work, of id: StepID) {
        if let place = place(id) { steps[place]?.work = work }
    }

    /// The callers that a preview of a step is for.
    package func previewWaiters(of id: StepID) -> [Waiter] {
        guard let place = place(id), steps[place]?.phase == .running, let queue = steps[place]?.callers else {
            return []
        }
        var waiters: [Waiter] = []
        var next: Int32? = queue.count > 0 ? queue.first : nil
        while let caller = next, let entry = callers[caller] {
            next = neighbours.next(after: caller)
            if entry.wantsPreviews { waiters.append(entry.waiter) }
        }
        return waiters
    }
}

extension WorkGraph.Action: Equatable where Work: Equatable, Waiter: Equatable {}
