import CodecTestSupport
import ImageCaching
import ImageLoading
import Testing

/// A graph that knows steps and callers by their numbers alone.
private typealias Graph = WorkGraph<Int, Int>

extension Graph {
    fileprivate mutating func join(
        _ caller: Int, _ chain: [WorkKey], priority: ImageRequest.Priority, wantsPreviews: Bool = false
    ) -> (steps: [StepID], isShared: Bool) {
        let joined = join(caller, caller, chain, priority: priority, wantsPreviews: wantsPreviews) { _, known in
            known ?? 0
        }
        for id in joined.steps { setWork(id, of: id) }
        return joined
    }
}

/// The graph alone: what it says is checked, and nothing is loaded.
@Suite struct WorkGraphTests {
    private func key(_ kind: WorkKey.Kind, _ source: String, _ variant: String = "") -> WorkKey {
        WorkKey(kind: kind, key: CacheKey(source: source, variant: variant))
    }

    private func chain(_ source: String, _ variant: String = "d") -> [WorkKey] {
        [key(.transfer, source), key(.decode, source, variant)]
    }

    @Test func callersOfOneKeyShareItsSteps() {
        var graph = Graph(transferCount: 4, decodeCount: 2)
        let first = graph.join(1, chain("a"), priority: .normal)
        let second = graph.join(2, chain("a"), priority: .normal)
        let third = graph.join(3, chain("a", "small"), priority: .normal)
        #expect(!first.isShared && second.isShared && !third.isShared)
        #expect(first.steps == second.steps && first.steps[0] == third.steps[0] && first.steps[1] != third.steps[1])
        #expect(graph.takeActions() == [.begin(first.steps[0])])
        graph.finish(first.steps[0])
        #expect(graph.takeActions() == [.begin(first.steps[1]), .begin(third.steps[1])])
        graph.finish(first.steps[1])
        #expect(graph.takeActions() == [.answer([1, 2], first.steps[1]), .release(first.steps[1])])
        graph.finish(third.steps[1])
        #expect(
            graph.takeActions() == [.answer([3], third.steps[1]), .release(third.steps[1]), .release(first.steps[0])])
        #expect(graph.stepCount == 0 && graph.callerCount == 0)
    }

    @Test func whoNeedsAStepThatIsThereNeedsNoneBeforeIt() {
        var graph = Graph(transferCount: 4, decodeCount: 4)
        // The first one has a picture from memory.
        let blurred = key(.transformation, "a", "d|blur")
        let first = graph.join(1, [blurred], priority: .normal)
        let second = graph.join(2, chain("a") + [blurred, key(.transformation, "a", "d|blur|tint")], priority: .high)
        #expect(!second.isShared && second.steps.count == 2 && second.steps[0] == first.steps[0])
        #expect(graph.join(3, chain("a") + [blurred], priority: .low) == (first.steps, true))
        #expect(graph.stepCount == 2)
        #expect(graph.takeActions() == [.begin(first.steps[0])])
        graph.finish(first.steps[0])
        #expect(graph.takeActions() == [.answer([1, 3], first.steps[0]), .begin(second.steps[1])])
        graph.finish(second.steps[1])
        _ = graph.takeActions()
        #expect(graph.stepCount == 0 && graph.callerCount == 0)
    }

    @Test func prefixesOfTransformationsAreShared() {
        var graph = Graph(transferCount: 4, decodeCount: 4)
        let blurred = chain("a") + [key(.transformation, "a", "d|blur")]
        let first = graph.join(1, blurred + [key(.transformation, "a", "d|blur|tint")], priority: .normal)
        let second = graph.join(2, blurred, priority: .normal)
        #expect(second.isShared && second.steps == Array(first.steps.prefix(3)))
        _ = graph.takeActions()
        graph.finish(first.steps[0])
        graph.finish(first.steps[1])
        _ = graph.takeActions()
        graph.finish(first.steps[2])
        #expect(graph.takeActions() == [.answer([2], first.steps[2]), .begin(first.steps[3])])
    }

    @Test func theLastCallerThatLeavesEndsTheWorkAndTheNextOneGetsNew() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let first = graph.join(1, chain("a"), priority: .normal)
        _ = graph.join(2, chain("a"), priority: .normal)
        _ = graph.takeActions()
        #expect(graph.leave(1) == 1)
        #expect(graph.leave(1) == nil)
        #expect(graph.takeActions() == [])
        #expect(graph.leave(2) == 2)
        #expect(graph.takeActions() == [.release(first.steps[1]), .cancel(first.steps[0])])
        let next = graph.join(3, chain("a"), priority: .normal)
        #expect(!next.isShared && next.steps[0] != first.steps[0])
        #expect(graph.takeActions() == [.begin(next.steps[0])])
        // What the old work says is of no interest.
        graph.finish(first.steps[0])
        graph.fail(first.steps[0])
        #expect(graph.takeActions() == [])
    }

    @Test func sharedWorkHasTheHighestPriorityAndItFallsWhenCallersLeave() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let busy = graph.join(0, chain("busy"), priority: .normal)
        let a = graph.join(1, chain("a"), priority: .low).steps[0]
        let b = graph.join(2, chain("b"), priority: .normal).steps[0]
        _ = graph.join(3, chain("a", "small"), priority: .veryHigh)
        #expect(graph.priority(of: a) == .veryHigh && graph.priority(of: b) == .normal)
        #expect(graph.leave(3) == 3)
        #expect(graph.priority(of: a) == .low)
        graph.setPriority(.high, of: 1)
        #expect(graph.priority(of: a) == .high)
        graph.setPriority(.veryLow, of: 1)
        _ = graph.takeActions()
        _ = graph.leave(0)
        // The older one has to wait now.
        #expect(graph.takeActions() == [.release(busy.steps[1]), .cancel(busy.steps[0]), .begin(b)])
    }

    @Test func aTransferKeepsItsPlaceUntilItsBytesAreDecoded() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let a = graph.join(1, chain("a"), priority: .normal).steps
        let b = graph.join(2, chain("b"), priority: .normal).steps
        #expect(graph.takeActions() == [.begin(a[0])])
        graph.finish(a[0])
        #expect(graph.takeActions() == [.begin(a[1])])
        graph.finish(a[1])
        #expect(graph.takeActions() == [.answer([1], a[1]), .release(a[1]), .release(a[0]), .begin(b[0])])
    }

    @Test func aFailureAnswersEverybodyBehindItOnce() {
        var graph = Graph(transferCount: 4, decodeCount: 4)
        let tinted = chain("a") + [key(.transformation, "a", "d|tint")]
        let steps = graph.join(1, tinted, priority: .normal).steps
        _ = graph.join(2, chain("a"), priority: .normal)
        _ = graph.join(3, [key(.transfer, "a")], priority: .normal)
        _ = graph.takeActions()
        graph.fail(steps[0])
        let answered = graph.takeActions().flatMap { action -> [Int] in
            if case .answer(let callers, steps[0]) = action { callers } else { [] }
        }
        #expect(answered.sorted() == [1, 2, 3])
        #expect(graph.stepCount == 0 && graph.callerCount == 0)
    }

    @Test func previewsBeginWhileTheTransferRuns() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let steps = graph.join(1, chain("a"), priority: .normal, wantsPreviews: true).steps
        #expect(graph.takeActions() == [.begin(steps[0]), .begin(steps[1])])
        #expect(graph.previewWaiters(of: steps[1]) == [1])
        // Somebody who comes later and wants none waits for the same decode.
        #expect(graph.join(2, chain("a"), priority: .normal).isShared == true)
        #expect(graph.previewWaiters(of: steps[1]) == [1])
        graph.finish(steps[0])
        #expect(graph.takeActions() == [])
        graph.finish(steps[1])
        #expect(graph.takeActions() == [.answer([1, 2], steps[1]), .release(steps[1]), .release(steps[0])])
    }

    @Test func equalPrioritiesAreServedInTheOrderInWhichTheyCame() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        var running = graph.join(0, [key(.transfer, "busy")], priority: .high).steps[0]
        let waiting = (1..<6).map { graph.join($0, [key(.transfer, "\($0)")], priority: .normal).steps[0] }
        for next in waiting {
            _ = graph.takeActions()
            graph.finish(running)
            #expect(graph.takeActions().contains(.begin(next)))
            running = next
        }
    }

    /// It has waited longer than those that had this priority from the beginning.
    @Test func whatBecomesLessUrgentIsTheFirstOfItsNewPriority() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let busy = graph.join(0, [key(.transfer, "busy")], priority: .normal).steps[0]
        _ = graph.join(1, [key(.transfer, "low")], priority: .low)
        let fallen = graph.join(2, [key(.transfer, "fallen")], priority: .high).steps[0]
        _ = graph.join(3, [key(.transfer, "raised")], priority: .veryLow)
        graph.setPriority(.low, of: 2)
        graph.setPriority(.low, of: 3)
        _ = graph.takeActions()
        graph.finish(busy)
        #expect(graph.takeActions().contains(.begin(fallen)))
    }

    @Test func whatBecomesMoreUrgentIsTheLastOfItsNewPriority() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        var running = graph.join(0, [key(.transfer, "busy")], priority: .normal).steps[0]
        let raised = graph.join(1, [key(.transfer, "raised")], priority: .low).steps[0]
        let high = (2..<4).map { graph.join($0, [key(.transfer, "\($0)")], priority: .high).steps[0] }
        let usual = graph.join(4, [key(.transfer, "usual")], priority: .normal).steps[0]
        let fallen = (5..<7).map { graph.join($0, [key(.transfer, "\($0)")], priority: .veryHigh).steps[0] }
        graph.setPriority(.high, of: 1)
        // Each that falls gets before those of its new priority.
        for caller in 5..<7 { graph.setPriority(.normal, of: caller) }
        for next in high + [raised, fallen[1], fallen[0], usual] {
            _ = graph.takeActions()
            graph.finish(running)
            #expect(graph.takeActions().contains(.begin(next)))
            running = next
        }
    }

    @Test func thePriorityOfWhatRunsChangesAndNothingIsToBeDone() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let steps = graph.join(1, chain("a"), priority: .low).steps
        _ = graph.join(2, chain("b"), priority: .normal)
        _ = graph.takeActions()
        graph.setPriority(.veryHigh, of: 1)
        #expect(graph.priority(of: steps[0]) == .veryHigh && graph.priority(of: steps[1]) == .veryHigh)
        graph.setPriority(.veryLow, of: 1)
        #expect(graph.takeActions() == [])
        graph.finish(steps[0])
        #expect(graph.takeActions() == [.begin(steps[1])])
    }

    @Test func asManyBeginAtOnceAsThereArePlaces() {
        var graph = Graph(transferCount: 2, decodeCount: 1)
        let steps = (0..<4).map { graph.join($0, [key(.transfer, "\($0)")], priority: .normal).steps[0] }
        #expect(graph.takeActions() == [.begin(steps[0]), .begin(steps[1])])
        graph.finish(steps[1])
        #expect(graph.takeActions() == [.answer([1], steps[1]), .release(steps[1]), .begin(steps[2])])
        graph.fail(steps[0])
        #expect(graph.takeActions() == [.answer([0], steps[0]), .release(steps[0]), .begin(steps[3])])
    }

    @Test func aPriorityThatGoesUpAndDownLeavesOnePlaceInLine() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let busy = graph.join(0, [key(.transfer, "busy")], priority: .normal).steps[0]
        let first = graph.join(1, [key(.transfer, "a")], priority: .low).steps[0]
        let second = graph.join(2, [key(.transfer, "b")], priority: .veryLow).steps[0]
        for round in 0..<1000 {
            graph.setPriority(round % 2 == 0 ? .veryHigh : .low, of: 1)
            _ = graph.join(10 + round, [key(.transfer, "b")], priority: .high)
            _ = graph.leave(10 + round)
        }
        _ = graph.takeActions()
        graph.finish(busy)
        #expect(graph.takeActions() == [.answer([0], busy), .release(busy), .begin(first)])
        graph.finish(first)
        #expect(graph.takeActions() == [.answer([1], first), .release(first), .begin(second)])
        graph.finish(second)
        #expect(graph.takeActions() == [.answer([2], second), .release(second)])
        #expect(graph.stepCount == 0 && graph.callerCount == 0)
    }

    @Test func aFailureGivesItsPlaceToTheNext() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let first = graph.join(1, chain("a"), priority: .normal).steps
        let second = graph.join(2, chain("b"), priority: .normal).steps
        _ = graph.takeActions()
        graph.fail(first[0])
        #expect(graph.takeActions().last == .begin(second[0]))
        graph.finish(second[0])
        _ = graph.takeActions()
        let third = graph.join(3, chain("c"), priority: .normal).steps
        #expect(graph.takeActions() == [])
        graph.fail(second[1])
        #expect(graph.takeActions().last == .begin(third[0]))
    }

    @Test func whatLeavesBeforeItsTurnIsPassedOver() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let busy = graph.join(0, [key(.transfer, "busy")], priority: .normal).steps[0]
        let waiting = (1..<4).map { graph.join($0, [key(.transfer, "\($0)")], priority: .normal).steps[0] }
        #expect(graph.leave(1) == 1 && graph.leave(2) == 2)
        graph.setPriority(.high, of: 2)
        _ = graph.takeActions()
        graph.finish(busy)
        #expect(graph.takeActions() == [.answer([0], busy), .release(busy), .begin(waiting[2])])
    }

    @Test func ifAllLeaveWhatRunsEndsAndNothingBegins() {
        var graph = Graph(transferCount: 1, decodeCount: 1)
        let running = graph.join(1, chain("a"), priority: .normal).steps
        let waiting = graph.join(2, chain("b"), priority: .normal).steps
        _ = graph.join(3, chain("a"), priority: .normal)
        _ = graph.takeActions()
        #expect(graph.leaveAll() == [1, 2, 3])
        #expect(
            graph.takeActions() == [
                .release(waiting[1]), .release(waiting[0]), .release(running[1]), .cancel(running[0]),
            ])
        #expect(graph.leaveAll() == [])
        let next = graph.join(4, chain("b"), priority: .normal).steps
        #expect(graph.takeActions() == [.begin(next[0])])
    }

    @Test func afterTenThousandAtOnceTheNextOneIsServedAsBefore() {
        var graph = Graph(transferCount: 2, decodeCount: 2)
        for round in 0..<2 {
            for number in 0..<10_000 { _ = graph.join(number, chain("\(number)"), priority: .normal) }
            _ = graph.takeActions()
            for number in 0..<10_000 { #expect(graph.leave(number) == number) }
            #expect(graph.stepCount == 0 && graph.callerCount == 0)
            _ = graph.takeActions()
            let steps = graph.join(20_000 + round, chain("next"), priority: .low).steps
            #expect(graph.takeActions() == [.begin(steps[0])])
            graph.finish(steps[0])
            graph.finish(steps[1])
            #expect(graph.takeActions().contains(.answer([20_000 + round], steps[1])))
        }
    }

    @Test func onlyWhoWantsTheSourceToBeAskedSharesWithWhoDoes() {
        func key(_ kind: WorkKey.Kind, _ policy: CachePolicy) -> WorkKey {
            WorkKey(kind: kind, key: CacheKey(source: "a"), policy: policy)
        }
        for kind in WorkKey.Kind.allCases {
            #expect(key(kind, .all) != key(kind, .all.union(.revalidates)))
            #expect(key(kind, .all) != key(kind, .reload))
            #expect(key(kind, .all) == key(kind, .all.subtracting([.writesMemory, .writesOriginals])))
            // Bytes are the same for those who look for finished pictures before.
            #expect((key(kind, .all) == key(kind, .all.subtracting(.readsResults))) == (kind != .result))
        }
    }

    /// What the owner of a graph would see, and what has to hold whatever the order of events.
    private struct Model {
        var graph = Graph(transferCount: 2, decodeCount: 2)
        var waiting: Set<Int> = []
        var running: Set<Int> = []
        /// Steps that were not released or cancelled yet.
        var kept: Set<Int> = []
        var kinds: [Int: WorkKey.Kind] = [:]
        var nextCaller = 0

        mutating func perform() {
            for action in graph.takeActions() {
                switch action {
                case .begin(let id):
                    #expect(running.insert(id).inserted)
                    kinds[id] = graph.key(of: id)?.kind
                case .cancel(let id):
                    #expect(running.remove(id) != nil)
                    #expect(kept.remove(id) != nil)
                case .answer(let callers, _): for caller in callers { #expect(waiting.remove(caller) != nil) }
                case .release(let id): #expect(kept.remove(id) != nil)
                }
            }
            #expect(running.count { kinds[$0] == .transfer } <= 2)
            #expect(running.count { kinds[$0] == .transformation } <= 2)
            #expect(graph.callerCount == waiting.count)
            #expect(graph.stepCount == kept.count)
        }
    }

    @Test(arguments: 0..<200)
    func whateverTheOrderEachCallerIsAnsweredOnceAndNothingStays(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var model = Model()
        for _ in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                model.nextCaller += 1
                var wanted = chain(
                    "\(Int.random(in: 0..<3, using: &random))", "\(Int.random(in: 0..<2, using: &random))")
                let extra = Int.random(in: 0..<3, using: &random)
                for count in 0..<extra {
                    wanted.append(key(.transformation, wanted[1].key.source, wanted[1].key.variant + "|\(count)"))
                }
                model.waiting.insert(model.nextCaller)
                let joined = model.graph.join(
                    model.nextCaller, wanted, priority: .allCases.randomElement(using: &random) ?? .normal,
                    wantsPreviews: extra == 0 && Bool.random(using: &random))
                model.kept.formUnion(joined.steps)
            case 4..<6:
                guard let caller = model.waiting.sorted().randomElement(using: &random) else { continue }
                #expect(model.graph.leave(caller) == caller)
                model.waiting.remove(caller)
            case 6:
                guard let caller = model.waiting.sorted().randomElement(using: &random) else { continue }
                model.graph.setPriority(.allCases.randomElement(using: &random) ?? .low, of: caller)
            default:
                guard let id = model.running.sorted().randomElement(using: &random) else { continue }
                model.running.remove(id)
                if Int.random(in: 0..<8, using: &random) == 0 { model.graph.fail(id) } else { model.graph.finish(id) }
            }
            model.perform()
        }
        while let id = model.running.min() {
            model.running.remove(id)
            model.graph.finish(id)
            model.perform()
        }
        #expect(model.waiting.isEmpty)
        #expect(model.graph.stepCount == 0)
    }
}
