#if HTTP
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import InMemoryTracing
import Testing
import Tracing

@Suite struct LoadSpansTests {
    @Test func stepsBecomeSpansWithTheirLength() async throws {
        let tracer = InMemoryTracer()
        var configuration = ImageLoader.Configuration()
        let source = SchemeSource("slow") { _ in
            try await Task.sleep(for: .milliseconds(20))
            return SourceResponse(ImageData(Array("no picture".utf8)))
        }
        configuration.sources = [source]
        configuration.observe = LoadSpans(tracer).observe
        _ = try? await ImageLoader(configuration).image(for: ImageRequest("slow://user:secret@example.com/a"))
        let spans = tracer.finishedSpans
        let transfer = try #require(spans.first { $0.operationName == "image transfer" })
        #expect(transfer.kind == .client)
        #expect(transfer.attributes["url.full"]?.toSpanAttribute() == .string("slow://example.com/a"))
        #expect(transfer.endInstant.nanosecondsSinceEpoch - transfer.startInstant.nanosecondsSinceEpoch >= 20_000_000)
        let decode = try #require(spans.first { $0.operationName == "image decode" })
        #expect(decode.status?.code == .error)
        #expect(decode.errors.count == 1)
        #expect(tracer.activeSpans.isEmpty)
    }
}
#endif
