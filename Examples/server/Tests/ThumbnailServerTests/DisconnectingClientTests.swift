import Hummingbird
import HummingbirdTesting
import ImageCodecs
import ImagePipeline
import Testing
import ThumbnailServer

/// What becomes of the work when nobody waits for the answer any more, on a real connection.
@Suite struct DisconnectingClientTests {
    /// The budget is held by the test, so that the request can only wait. That it stops waiting while the budget is still held
    /// has one reason: it was cancelled.
    @Test(.timeLimit(.minutes(1))) func aRequestThatWaitsIsCancelled() async throws {
        let server = ThumbnailServer.with()
        let budget = server.service.budget
        try await server.local.test(.live) { client in
            try await budget.withBytes(budget.byteCount) { () async throws(ImageError) in
                await Self.sendAndLeave(client.port) { await Self.wait { budget.waitingCount == 1 } }
                await Self.wait { budget.waitingCount == 0 }
                #expect(budget.bytesInUse == budget.byteCount)
                await Self.wait { server.uploads.usedByteCount == 0 }
            }
            #expect(budget.bytesInUse == 0)
            // The server goes on for others.
            let answer = try await client.execute(uri: "/thumbnail", method: .post, body: Upload.landscape)
            #expect(answer.status == .ok)
        }
    }

    /// A task that is cancelled while the pixels are decoded throws `cancelled`; a decode that is done returns.
    @Test(.timeLimit(.minutes(1))) func aDecodeUnderWayIsCancelled() async throws {
        let server = ThumbnailServer.with()
        let bitmap = try Bitmap(size: PixelSize(width: 8000, height: 8000), format: .gray)
        let large = ImageData(try await RasterImage(bitmap: bitmap).encoded(as: .png))
        let formats = try #require(ThumbnailFormats(AcceptedFormats(nil)))
        let work = Task { try await server.service.thumbnail(of: large, side: 400, as: formats) }
        await Self.wait { server.service.budget.bytesInUse > 0 }
        work.cancel()
        let result = await work.result
        #expect(throws: ImageError.cancelled) { try result.get() }
        #expect(server.service.budget.bytesInUse == 0)
    }

    @Test func healthIsAnsweredWhileNoWorkIs() async throws {
        let server = ThumbnailServer.with()
        let budget = server.service.budget
        try await server.local.test(.live) { client in
            let health = try await budget.withBytes(budget.byteCount) { () async throws(ImageError) in
                try? await client.execute(uri: "/health", method: .get)
            }
            #expect(health?.status == .ok)
            #expect(health.map { String(buffer: $0.body) }?.contains("\"bytesInUse\":\(budget.byteCount)") == true)
        }
    }

    /// Sends an upload on a connection of its own, and closes it after `meanwhile` without reading an answer.
    private static func sendAndLeave(_ port: Int?, _ meanwhile: @escaping @Sendable () async -> Void) async {
        do {
            try await TestClient.withClient(host: "localhost", port: port ?? 0) { client in
                let request = TestClient.Request(
                    "/thumbnail", method: .post, authority: "localhost", body: Upload.landscape)
                try await client.executeAndDontWaitForResponse(request)
                await meanwhile()
            }
        } catch {
            Issue.record(error)
        }
    }

    /// Returns when the condition holds; the test's time limit ends it if it never does.
    private static func wait(until condition: @Sendable () -> Bool) async {
        while !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
    }
}
