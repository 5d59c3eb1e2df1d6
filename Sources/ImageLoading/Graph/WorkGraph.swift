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
// has let go of the lock. Steps and callers stand at places in arrays, are found there by tables, and stand in queues through them:
// nothing that a caller or a step does takes longer when there are more of them, and nothing stays of those that are gone.

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
        /// 0 if the step is gone.
        let id: StepID
        let key: WorkKey
        var work: Work?
        /// The place of the step before; -1 for none.
        let parent: Int32
        var phase: Phase
        /// Whether it counts among the steps of its kind that run at once.
        var holdsPlace = false
        var previewCount: Int32 = 0
        /// Callers that need it, its own and those of steps after it, by priority.
        var counts = SIMD8<Int32>()
        var children = SlotLinks.Queue()
        /// Those that want what this step makes, in the order in which they came.
        var callers = SlotLinks.Queue()

        var priority: ImageRequest.Priority? {
            for value in stride(from: ImageRequest.Priority.veryHigh.rawValue, through: 0, by: -1)
            where counts[value] > 0 {
                return ImageRequest.Priority(rawValue: value)
            }
            return nil
        }
    }

    private struct Caller: Sendable {
        let id: CallerID
        let step: Int32
        /// `nil` if the caller is gone.
        let waiter: Waiter?
        var priority: ImageRequest.Priority
        let wantsPreviews: Bool
    }

    private var steps = Slots<Step>()
    private var stepTable = SlotTable()
    private var siblings = SlotLinks()
    private var lastStepID = 0
    private var callers = Slots<Caller>()
    private var callerTable = SlotTable()
    private var neighbours = SlotLinks()
    /// Steps that could begin: for each kind of place, a line for each priority.
    private var lines: [[SlotLinks.Queue]]
    private var lineLinks = SlotLinks()
    private var freePlaces: [Int]
    private var actions: [Action] = []

    private static var noStep: Step { Step(id: 0, key: .none, work: nil, parent: -1, phase: .done) }
    private static var noCaller: Caller {
        Caller(id: 0, step: -1, waiter: nil, priority: .normal, wantsPreviews: false)
    }
    /// Places that are kept for later steps and callers when there are none.
    private static var keptPlaceCount: Int { 1024 }

    /// - Parameters:
    ///   - transferCount: transfers that run or whose bytes are needed, at most.
    ///   - decodeCount: decodes and transformations that run at once, at most.
    package init(transferCount: Int, decodeCount: Int) {
        // Looking for a finished picture waits for other steps most of the time, so that it needs no place.
        freePlaces = [max(1, transferCount), max(1, decodeCount), .max]
        let line = [SlotLinks.Queue](repeating: SlotLinks.Queue(), count: ImageRequest.Priority.allCases.count)
        lines = freePlaces.map { _ in line }
    }

    private static func lineIndex(_ kind: WorkKey.Kind) -> Int {
        switch kind {
        case .transfer: 0
        case .decode, .transformation: 1
        case .result: 2
        }
    }

    /// Where a step stands; `nil` if it is gone. The lower half of its number says so.
    private func place(_ id: StepID) -> Int32? {
        let place = Int32(truncatingIfNeeded: id)
        return steps.hasPlace(place) && steps[place].id == id ? place : nil
    }

    /// Where the step of a key stands; `nil` if there is none.
    private func place(_ key: WorkKey) -> Int32? { stepTable.find(key.hash) { steps[$0].key == key } }

    /// Where a caller stands; `nil` if it does not wait.
    private func callerPlace(_ id: CallerID) -> Int32? { callerTable.find(Self.hash(id)) { callers[$0].id == id } }

    /// Numbers that follow one another would stand side by side in a table, and those that leave it would be looked for in all of them.
    private static func hash(_ caller: CallerID) -> Int {
        Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: caller) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    // MARK: - Callers

    /// Adds a caller.
    ///
    /// - Parameters:
    ///   - chain: the steps to what it wants; the first one has no parent.
    ///   - wantsPreviews: whether the last step, a decode, is to show pictures while bytes arrive.
    ///   - work: what the owner knows of a step of the chain, given its place there, and what it knew before if the step was there.
    /// - Returns: the steps of the chain that are there now, and whether the last one was there before.
    @discardableResult
    package mutating func join(
        _ caller: CallerID, _ waiter: Waiter, _ chain: [WorkKey], priority: ImageRequest.Priority,
        wantsPreviews: Bool = false, work: (_ index: Int, _ known: Work?) -> Work
    ) -> (steps: [StepID], isShared: Bool) {
        var (ids, last, isShared): ([StepID], Int32, Bool) = ([], -1, false)
        ids.reserveCapacity(chain.count)
        // A step that is there needs none of those before it: it may have begun with a picture in memory.
        let start = chain.lastIndex { place($0) != nil } ?? 0
        for (index, key) in chain.enumerated() {
            let known = place(key)
            guard known != nil || index >= start else { continue }
            isShared = known != nil
            if let known {
                steps[known].work = work(index, steps[known].work)
                last = known
            } else {
                last = addStep(key, parent: last, work(index, nil))
            }
            ids.append(steps[last].id)
        }
        guard last >= 0 else { return ([], false) }
        addCaller(Caller(id: caller, step: last, waiter: waiter, priority: priority, wantsPreviews: wantsPreviews))
        if steps[last].phase == .done { answer(last) } else { beginPreviews(last) }
        beginReady()
        return (ids, isShared)
    }

    /// Whether there is a step of a key.
    package func hasStep(_ key: WorkKey) -> Bool { place(key) != nil }

    private mutating func addStep(_ key: WorkKey, parent: Int32, _ work: Work) -> Int32 {
        lastStepID += 1
        let isReady = parent < 0 || steps[parent].phase == .done
        let place = steps.nextPlace
        steps.insert(
            Step(
                id: lastStepID << 32 | Int(place), key: key, work: work, parent: parent,
                phase: isReady ? .ready : .waiting))
        stepTable.insert(place, key.hash)
        siblings.addSlot(place)
        lineLinks.addSlot(place)
        if parent >= 0 { steps[parent].children.append(place, in: &siblings) }
        return place
    }

    private mutating func addCaller(_ caller: Caller) {
        let place = callers.insert(caller)
        callerTable.insert(place, Self.hash(caller.id))
        neighbours.addSlot(place)
        steps[caller.step].callers.append(place, in: &neighbours)
        if caller.wantsPreviews { steps[caller.step].previewCount += 1 }
        changeCounts(from: caller.step) { $0[caller.priority.rawValue] &+= 1 }
    }

    /// Removes a caller that does not wait any more; it is not answered.
    ///
    /// - Returns: what would have answered it; `nil` if it did not wait.
    package mutating func leave(_ caller: CallerID) -> Waiter? {
        guard let place = callerPlace(caller) else { return nil }
        let waiter = remove(callerAt: place)
        beginReady()
        return waiter
    }

    /// Removes all callers; none of them is answered, and nothing begins.
    ///
    /// - Returns: what would have answered them, in the order in which they came.
    package mutating func leaveAll() -> [Waiter] {
        let places = callers.elements.indices.filter { callers.elements[$0].waiter != nil }
        return places.sorted { callers.elements[$0].id < callers.elements[$1].id }
            .compactMap { remove(callerAt: Int32($0)) }
    }

    private mutating func remove(callerAt place: Int32) -> Waiter? {
        let caller = callers[place]
        steps[caller.step].callers.remove(place, in: &neighbours)
        if caller.wantsPreviews { steps[caller.step].previewCount -= 1 }
        forget(callerAt: place)
        changeCounts(from: caller.step) { $0[caller.priority.rawValue] &-= 1 }
        removeUnneeded(from: caller.step)
        return caller.waiter
    }

    private mutating func forget(callerAt place: Int32) {
        callerTable.remove(place, Self.hash(callers[place].id))
        callers.remove(place, leaving: Self.noCaller)
        // What a rush needed is given back after it.
        if callers.count == 0, callers.elements.count > Self.keptPlaceCount {
            (callers, callerTable, neighbours) = (Slots(), SlotTable(), SlotLinks())
        }
    }

    /// Gives a caller another priority.
    package mutating func setPriority(_ priority: ImageRequest.Priority, of caller: CallerID) {
        guard let place = callerPlace(caller), callers[place].priority != priority else { return }
        let before = callers[place].priority
        callers[place].priority = priority
        changeCounts(from: callers[place].step) { counts in
            counts[before.rawValue] &-= 1
            counts[priority.rawValue] &+= 1
        }
    }

    /// Changes who needs a step and those before it; what is ready gets in the line of its priority.
    private mutating func changeCounts(from place: Int32, _ change: (inout SIMD8<Int32>) -> Void) {
        var place = place
        while place >= 0 {
            let before = steps[place].priority
            change(&steps[place].counts)
            let after = steps[place].priority
            if steps[place].phase == .ready, before != after { moveInLine(place, from: before, to: after) }
            place = steps[place].parent
        }
    }

    /// Puts a step that is ready into another line, or takes it out of all. What becomes less urgent has waited longer than what is in
    /// the line it comes to, and is the first there.
    private mutating func moveInLine(
        _ place: Int32, from before: ImageRequest.Priority?, to after: ImageRequest.Priority?
    ) {
        let index = Self.lineIndex(steps[place].key.kind)
        if let before { lines[index][before.rawValue].remove(place, in: &lineLinks) }
        guard let after else { return }
        if let before, after < before {
            lines[index][after.rawValue].prepend(place, in: &lineLinks)
        } else {
            lines[index][after.rawValue].append(place, in: &lineLinks)
        }
    }

    /// Removes a step that nobody needs, and those before it.
    private mutating func removeUnneeded(from place: Int32) {
        var place = place
        while place >= 0, steps[place].id != 0, steps[place].priority == nil, let work = steps[place].work {
            let (key, parent) = (steps[place].key, steps[place].parent)
            if parent >= 0 { steps[parent].children.remove(place, in: &siblings) }
            if steps[place].holdsPlace { freePlaces[Self.lineIndex(key.kind)] += 1 }
            actions.append(steps[place].phase == .running ? .cancel(work) : .release(work))
            stepTable.remove(place, key.hash)
            steps.remove(place, leaving: Self.noStep)
            place = parent
        }
        if steps.count == 0, steps.elements.count > Self.keptPlaceCount {
            (steps, stepTable, siblings, lineLinks) = (Slots(), SlotTable(), SlotLinks(), SlotLinks())
        }
    }

    // MARK: - Steps

    /// Begins what is ready, as long as there are places.
    private mutating func beginReady() {
        for index in lines.indices {
            while freePlaces[index] > 0, let place = takeFirst(index) {
                freePlaces[index] -= 1
                steps[place].holdsPlace = true
                begin(place)
            }
        }
    }

    /// Takes the step out of the lines of one kind whose turn it is.
    private mutating func takeFirst(_ index: Int) -> Int32? {
        guard let line = lines[index].lastIndex(where: { $0.count > 0 }) else { return nil }
        let place = lines[index][line].first
        lines[index][line].remove(place, in: &lineLinks)
        return place
    }

    private mutating func begin(_ place: Int32) {
        steps[place].phase = .running
        actions.append(.begin(steps[place].id))
        if steps[place].key.kind == .transfer { forEachChild(of: place) { $0.beginPreviews($1) } }
    }

    /// Begins a decode that is to show previews while its parent runs. It waits for bytes most of the time, and so has no place.
    private mutating func beginPreviews(_ place: Int32) {
        let parent = steps[place].parent
        guard steps[place].phase == .waiting, steps[place].previewCount > 0, parent >= 0,
            steps[parent].phase == .running
        else { return }
        begin(place)
    }

    /// Calls `body` for each step that comes after one; it may remove that one.
    private mutating func forEachChild(of place: Int32, _ body: (inout Self, Int32) -> Void) {
        var next: Int32? = steps[place].children.count > 0 ? steps[place].children.first : nil
        while let child = next {
            next = siblings.next(after: child)
            body(&self, child)
        }
    }

    /// The step's work is done.
    package mutating func finish(_ id: StepID) {
        guard let place = place(id), steps[place].phase == .running else { return }
        let kind = steps[place].key.kind
        steps[place].phase = .done
        if steps[place].holdsPlace, kind != .transfer {
            steps[place].holdsPlace = false
            freePlaces[Self.lineIndex(kind)] += 1
        }
        forEachChild(of: place) { $0.makeReady($1) }
        answer(place)
        beginReady()
    }

    private mutating func makeReady(_ place: Int32) {
        guard steps[place].phase == .waiting else { return }
        steps[place].phase = .ready
        moveInLine(place, from: nil, to: steps[place].priority)
    }

    /// The step's work failed: so does what comes after it.
    package mutating func fail(_ id: StepID) {
        guard let place = place(id), steps[place].phase == .running, let work = steps[place].work else { return }
        steps[place].phase = .done
        failAll(place, work)
        beginReady()
    }

    /// Has the callers of a step and of those after it answered with a failure.
    private mutating func failAll(_ place: Int32, _ work: Work) {
        let id = steps[place].id
        forEachChild(of: place) { $0.failAll($1, work) }
        // It is gone with the last one after it that somebody waited for, if nobody waited for itself.
        if self.place(id) != nil { answer(place, with: work) }
    }

    /// Has all callers of a step that is done answered, and lets go of what they needed.
    private mutating func answer(_ place: Int32, with failed: Work? = nil) {
        let queue = steps[place].callers
        guard let work = failed ?? steps[place].work else { return }
        if queue.count > 0 {
            var (waiters, gone) = ([Waiter](), SIMD8<Int32>())
            waiters.reserveCapacity(queue.count)
            var next: Int32? = queue.first
            while let caller = next {
                next = neighbours.next(after: caller)
                if let waiter = callers[caller].waiter { waiters.append(waiter) }
                gone[callers[caller].priority.rawValue] &+= 1
                forget(callerAt: caller)
            }
            actions.append(.answer(waiters, work))
            steps[place].callers = SlotLinks.Queue()
            steps[place].previewCount = 0
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

    package func key(of id: StepID) -> WorkKey? { place(id).map { steps[$0].key } }
    package func parent(of id: StepID) -> StepID? {
        guard let place = place(id), steps[place].parent >= 0 else { return nil }
        return steps[steps[place].parent].id
    }
    package func priority(of id: StepID) -> ImageRequest.Priority? { place(id).flatMap { steps[$0].priority } }
    package var stepCount: Int { steps.count }
    package var callerCount: Int { callers.count }

    /// What the owner knows of a step; `nil` if it is gone.
    package func work(of id: StepID) -> Work? { place(id).flatMap { steps[$0].work } }

    /// Changes what the owner knows of a step.
    package mutating func setWork(_ work: Work, of id: StepID) {
        if let place = place(id) { steps[place].work = work }
    }

    /// The callers that a preview of a step is for.
    package func previewWaiters(of id: StepID) -> [Waiter] {
        guard let place = place(id), steps[place].phase == .running, steps[place].previewCount > 0 else { return [] }
        var waiters: [Waiter] = []
        var next: Int32? = steps[place].callers.first
        while let caller = next {
            next = neighbours.next(after: caller)
            if callers[caller].wantsPreviews, let waiter = callers[caller].waiter { waiters.append(waiter) }
        }
        return waiters
    }
}

extension WorkGraph.Action: Equatable where Work: Equatable, Waiter: Equatable {}
