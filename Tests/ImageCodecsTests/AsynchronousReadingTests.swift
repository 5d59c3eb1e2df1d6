import CodecTestSupport
import Foundation
import ImageCodecs
import ImagePipeline
import Synchronization
import Testing

@Suite struct AsynchronousReadingTests {
    private static let fixtures = Fixture.sound("png") + Fixture.sound("jpeg")
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    @Test(arguments: fixtures)
    func picturesAreThoseOfASynchronousDecode(_ fixture: Fixture) async throws {
        let path = fixture.url.path
        let expected = try RasterImage(contentsOfFile: path, options: .thumbnail(width: 90, height: 90))
        let fromFile = try await RasterImage.decoded(
            contentsOfFile: path, options: .thumbnail(width: 90, height: 90))
        let bytes = Array(try Data(contentsOf: fixture.url))
        let fromBytes = try await RasterImage.decoded(from: bytes, options: .thumbnail(width: 90, height: 90))
        #expect(fromFile.bitmap == expected.bitmap && fromFile.metadata == expected.metadata)
        #expect(fromFile.scale == expected.scale)
        #expect(fromBytes.bitmap == expected.bitmap)
    }

    @Test(arguments: Fixture.damaged("png") + Fixture.damaged("jpeg"))
    func damageThrows(_ fixture: Fixture) async throws {
        let error = await #expect(throws: ImageError.self) {
            try await RasterImage.decoded(contentsOfFile: fixture.url.path)
        }
        #expect(error?.code == fixture.errorCode)
    }

    @Test func filesThatAreNotThereAreNamed() async {
        let error = await #expect(throws: ImageError.self) {
            try await RasterImage.decoded(contentsOfFile: "/nonexistent/cat.png")
        }
        #expect(error?.code == "inputOutput")
        await #expect(throws: ImageError.unknownFormat) {
            try await RasterImage.decoded(contentsOfFile: "/dev/zero")
        }
    }

    /// Each decode alone fills the budget, so they take turns.
    @Test func decodesWaitForTheBudget() async throws {
        let coder = LoopingCoder(roundCount: 3)
        let registry = CoderRegistry([coder])
        let budget = DecodingBudget(byteCount: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try await registry.decoded(from: LoopingCoder.data, budget: budget) }
            }
            try await group.waitForAll()
        }
        #expect(coder.gauge.most == 1)
        #expect(budget.bytesInUse == 0)
    }

    @Test func aFilesBytesCountAgainstTheBudget() async throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: landscape)).count
        let peak = try ImageInfo(contentsOfFile: landscape).estimatedPeakByteCount
        let budget = DecodingBudget(byteCount: peak + size)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        // One byte is taken, so a decode of this file has to wait.
        let holder = Task {
            try await budget.withBytes(1) { () async throws(ImageError) in
                for await _ in gate {}
            }
        }
        while budget.bytesInUse == 0 { await Task.yield() }
        let path = landscape
        let decode = Task { try await RasterImage.decoded(contentsOfFile: path, budget: budget) }
        while budget.waitingCount == 0 { await Task.yield() }
        opening.finish()
        try await holder.value
        #expect(try await decode.value.size == PixelSize(width: 240, height: 160))
    }

    @Test func whoWaitsForTheBudgetCanBeCancelled() async throws {
        let budget = DecodingBudget(byteCount: 1)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await budget.withBytes(1) { () async throws(ImageError) in
                for await _ in gate {}
            }
        }
        while budget.bytesInUse == 0 { await Task.yield() }
        let path = landscape
        let decode = Task { try await RasterImage.decoded(contentsOfFile: path, budget: budget) }
        while budget.waitingCount == 0 { await Task.yield() }
        decode.cancel()
        await #expect(throws: ImageError.cancelled) { try await decode.value }
        opening.finish()
        try await holder.value
        #expect(budget.bytesInUse == 0)
    }

    /// The decode goes on for ever, so that only its own look at the task ends it.
    @Test(arguments: ["png/landscape.png", "jpeg/landscape-420.jpg", "jpeg/landscape-progressive.jpg"])
    func aDecodeUnderWayCanBeCancelled(_ name: String) async throws {
        let url = Fixture.folder("png").deletingLastPathComponent().appendingPathComponent(name)
        let coder = LoopingCoder(roundCount: 1_000_000, picture: try ImageData(contentsOfFile: url.path))
        let registry = CoderRegistry([coder])
        let budget = DecodingBudget(byteCount: 100)
        let task = Task { try await registry.decoded(from: LoopingCoder.data, budget: budget) }
        while coder.gauge.most == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(budget.bytesInUse == 0)
    }

    @Test func aTaskThatIsCancelledAlreadyDecodesNothing() async throws {
        let path = landscape
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return try await RasterImage.decoded(contentsOfFile: path)
        }
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }

    @MainActor @Test func actorsMayAsk() async throws {
        #expect(try await RasterImage.decoded(contentsOfFile: landscape).size.width == 240)
    }
}

/// Decodes one picture over and over, by the coders of this package, and says that 100 bytes are enough for it.
private struct LoopingCoder: ImageCoder {
    static let data = ImageData(Array("LOOP".utf8))

    /// Counts decodes that are under way.
    final class Gauge: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var most: Int { state.withLock { $0.most } }
        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { state.withLock { $0.now -= 1 } }
    }

    let roundCount: Int
    var picture: ImageData?
    let gauge = Gauge()

    func canDecode(_ header: Span<UInt8>) -> Bool { header.count == 4 }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        let size = PixelSize(width: 1, height: 1)
        return ImageInfo(
            format: .png, size: size, hasAlpha: false, bitDepth: 8, colorDescription: "gray", decodedSize: size,
            decodedFormat: .gray, estimatedPeakByteCount: 100)
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        gauge.enter()
        defer { gauge.leave() }
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray))
        for _ in 0..<roundCount {
            if let picture {
                image = try CoderRegistry.shared.decode(picture, options: options)
            } else {
                Pause.briefly()
            }
        }
        return image
    }
}
