import ImageCaching
import ImageCodecs
import ImageLoading
import PictureWall
import Synchronization
import Testing

/// Delivers a file when it is told to, and counts.
private final class HeldSource: ImageSource {
    private let state = Mutex((opened: 0, isOpen: false))
    private let file: ImageData

    init(_ file: ImageData) { self.file = file }

    var openedCount: Int { state.withLock { $0.opened } }

    func handles(_ address: String) -> Bool { true }

    func deliver() { state.withLock { $0.isOpen = true } }

    func open(_ address: String) async throws -> SourceResponse {
        state.withLock { $0.opened += 1 }
        while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(1)) }
        return SourceResponse(file)
    }
}

@Suite struct PictureWallTests {
    private let box = PixelSize(width: 8, height: 8)

    private func file(_ side: Int) throws -> ImageData {
        ImageData(
            try RasterImage(bitmap: Bitmap(size: PixelSize(width: side, height: side), format: .rgba)).encoded(as: .png)
        )
    }

    private func wall(_ source: some ImageSource) -> PictureWall {
        var configuration = ImageLoader.Configuration()
        configuration.sources = [source]
        configuration.memory = MemoryCache(byteCount: 1 << 20)
        return PictureWall(
            (0..<100).map { "\($0)" }, loader: ImageLoader(configuration), pixelFormat: .bgraPremultiplied, wake: {})
    }

    /// What arrives until `count` pictures are there.
    private func arrivals(_ wall: PictureWall, _ count: Int) async throws -> [Int: PictureWall.Arrival] {
        var all: [Int: PictureWall.Arrival] = [:]
        while all.count < count {
            all.merge(wall.arrivals(atMost: 3)) { $1 }
            try await Task.sleep(for: .milliseconds(1))
        }
        return all
    }

    @Test(.timeLimit(.minutes(1))) func whatIsSeenArrivesInItsBox() async throws {
        let source = HeldSource(try file(40))
        source.deliver()
        let wall = wall(source)
        wall.show(10..<20, ahead: 10..<20, box: box)
        let arrivals = try await arrivals(wall, 10)
        #expect(Set(arrivals.keys) == Set(10..<20))
        for case .bitmap(let bitmap) in arrivals.values { #expect(bitmap.size == box) }
        #expect(wall.counts.loaded == 10 && wall.counts.failed == 0)
        #expect(wall.loadingCount == 0)
    }

    @Test(.timeLimit(.minutes(1))) func whatLeavesIsGivenUpAndDoesNotArrive() async throws {
        let source = HeldSource(try file(40))
        let wall = wall(source)
        wall.show(0..<10, ahead: 0..<0, box: box)
        while source.openedCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        wall.show(8..<12, ahead: 0..<0, box: box)
        #expect(wall.counts.givenUp == 8)
        #expect(wall.loadingCount == 4)
        source.deliver()
        let arrivals = try await arrivals(wall, 4)
        #expect(Set(arrivals.keys) == Set(8..<12))
        #expect(wall.counts.begun == 12)
    }

    @Test(.timeLimit(.minutes(1))) func anotherBoxLoadsAnew() async throws {
        let source = HeldSource(try file(40))
        source.deliver()
        let wall = wall(source)
        wall.show(0..<1, ahead: 0..<0, box: box)
        _ = try await arrivals(wall, 1)
        let larger = PixelSize(width: 20, height: 20)
        wall.show(0..<1, ahead: 0..<0, box: larger)
        guard case .bitmap(let bitmap) = try await arrivals(wall, 1)[0] else {
            Issue.record("no bitmap")
            return
        }
        #expect(bitmap.size == larger)
    }

    @Test(.timeLimit(.minutes(1))) func whatIsNoPictureFailsWithItsReason() async throws {
        let source = HeldSource(ImageData(Array("no picture".utf8)))
        source.deliver()
        let wall = wall(source)
        wall.show(0..<1, ahead: 0..<0, box: box)
        guard case .failure(let reason) = try await arrivals(wall, 1)[0] else {
            Issue.record("no failure")
            return
        }
        #expect(!reason.isEmpty)
        #expect(wall.counts.failed == 1 && wall.loadingCount == 0)
    }
}
