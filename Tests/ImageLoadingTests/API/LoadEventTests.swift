import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization
import Testing

@Suite struct LoadEventTests {
    private func text(_ kind: LoadEvent.Kind) -> String {
        switch kind {
        case .hit: "hit"
        case .joined: "joined"
        case .began(let stage): "began \(stage.rawValue)"
        case .received(byteCount: let count, of: let total): "received \(count) of \(total ?? -1)"
        case .ended(let stage, let origin): "ended \(stage.rawValue) \(origin?.rawValue ?? "")"
        case .failed(let error): "failed \(error.stage.rawValue)"
        case .cancelled(let stage): "cancelled \(stage.rawValue)"
        case .retrying: "retrying"
        case .stored(let origin): "stored \(origin.rawValue)"
        }
    }

    @Test func eventsComeInTheOrderOfTheSteps() async throws {
        let (log, clock, bytes) = (EventLog(), JumpingClock(), try Picture.png(5))
        let loader = ImageLoader.make(CountingSource(bytes), memory: true) { configuration in
            (configuration.observe, configuration.clock) = (log.observe, clock.clock)
        }
        for _ in 0..<2 { _ = try await loader.image(for: ImageRequest("test:a")) }
        #expect(
            log.all.map { text($0.kind) } == [
                "began transfer", "received \(bytes.count) of \(bytes.count)", "ended transfer source", "began decode",
                "ended decode source", "hit",
            ])
        #expect(log.all.allSatisfy { $0.address == "test:a" && $0.time == .zero })
        // What ends says how long it took.
        for event in log.all {
            if case .ended = event.kind { #expect(event.duration == .zero) } else { #expect(event.duration == nil) }
        }
    }

    @Test func whatFailsSaysSoInPlaceOfItsEnd() async throws {
        let log = EventLog()
        let loader = ImageLoader.make(CountingSource([1, 2, 3, 4])) { $0.observe = log.observe }
        await #expect(throws: LoadError.self) { try await loader.image(for: ImageRequest("test:a")) }
        #expect(
            log.all.map { text($0.kind) } == [
                "began transfer", "received 4 of 4", "ended transfer source", "began decode", "failed decode",
            ])
    }

    @Test func whatIsGivenUpIsReportedOnce() async throws {
        let (source, log) = (SteppedSource(), EventLog())
        let loader = ImageLoader.make(source) { $0.observe = log.observe }
        let tasks = (0..<2).map { _ in Task { try await loader.image(for: ImageRequest("test:a")) } }
        await source.waitUntilOpen()
        await log.waitUntilJoined(1)
        let isGivenUp = { (event: LoadEvent) -> Bool in if case .cancelled = event.kind { true } else { false } }
        tasks[0].cancel()
        _ = await tasks[0].result
        #expect(!log.all.contains(where: isGivenUp))
        tasks[1].cancel()
        _ = await tasks[1].result
        while await loader.shutDown() == false { await Task.yield() }
        // The decode had not begun.
        #expect(log.all.filter(isGivenUp).map { text($0.kind) } == ["cancelled transfer"])
        // Though the sequence of its bytes ended, it neither ended nor failed.
        #expect(Set(log.all.map { text($0.kind) }) == ["began transfer", "joined", "cancelled transfer"])
    }

    /// Its owner may end a step when it hears that it begins.
    @Test func aStepThatIsCancelledAsItBeginsOpensNoSource() async throws {
        let source = CountingSource(try Picture.png(2))
        let owner = Mutex<ImageLoader?>(nil)
        let loader = ImageLoader.make(source) { configuration in
            configuration.observe = { event in
                if case .began(.transfer) = event.kind { owner.withLock { $0 }?.cancelAll() }
            }
        }
        owner.withLock { $0 = loader }
        await #expect(throws: LoadError(stage: .lookup, address: "test:a", reason: .cancelled)) {
            try await loader.image(for: ImageRequest("test:a"))
        }
        while await loader.shutDown() == false { await Task.yield() }
        owner.withLock { $0 = nil }
        #expect(source.total == 0)
    }
}
