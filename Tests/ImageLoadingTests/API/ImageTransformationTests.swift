import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Testing

@Suite struct ImageTransformationTests {
    @Test func callersShareWhatTheirRequestsBeginWith() async throws {
        let (source, log, changes) = (SteppedSource(), EventLog(), CountedTransformations())
        let loader = ImageLoader.make(source) { $0.observe = log.observe }
        var tasks: [Task<LoadedImage, any Error>] = []
        // What is asked for, and how many then have joined others at least. Of two alike the later one has.
        let asked: [([String], Int)] = [
            (["a", "b"], 0), (["a", "b"], 1), (["b"], 1), (["b"], 2), (["a"], 3), (["a"], 4), ([], 5),
        ]
        for (names, joinedCount) in asked {
            let request = ImageRequest("test:a", transformations: names.map { changes[$0] })
            tasks.append(Task { try await loader.image(for: request) })
            await source.waitUntilOpen()
            await log.waitUntilJoined(joinedCount)
        }
        source.send(try Picture.png(5))
        source.end()
        var pictures: [LoadedImage] = []
        for task in tasks { pictures.append(try await task.value) }
        // One is the first of two requests and the only one of another; the other is done on what that made, and alone.
        #expect(changes.done == ["a": 1, "b": 2])
        #expect(pictures[0] === pictures[1] && pictures[2] === pictures[3] && pictures[4] === pictures[5])
        #expect(Set(pictures.map { ObjectIdentifier($0) }).count == 4)
        #expect(source.openCount == 1)
        #expect(log.all.count { if case .began(.decode) = $0.kind { true } else { false } } == 1)
    }

    @Test func aPictureInMemoryIsNotMadeAgain() async throws {
        let changes = CountedTransformations()
        let loader = ImageLoader.make(CountingSource(try Picture.png(5)), memory: true)
        let request = ImageRequest("test:a", transformations: [changes["a"], changes["b"]])
        let picture = try await loader.image(for: request)
        #expect(try await loader.image(for: request) === picture)
        let other = ImageRequest("test:a", transformations: [changes["b"], changes["a"]])
        #expect(loader.cachedImage(for: other) == nil)
        #expect(changes.done == ["a": 1, "b": 1])
    }
}
