import Foundation
import ImageCaching
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Testing

// snippet: loading
func makeLoader(_ transport: some HTTPTransport, cache folder: String) throws -> ImageLoader {
    let disk = try DiskCache(path: folder, byteCount: 20 << 30)
    var http = HTTPSource.Configuration()
    http.addresses.allowedHosts = ["example.com", "*.example.com"]  // public addresses alone, as without this line
    http.maxByteCount = 32 << 20
    http.partials = disk  // a transfer that broke is gone on with, also after a restart
    return ImageLoader(memory: MemoryCache(byteCount: 256 << 20), disk: disk, source: HTTPSource(transport, http))
}
// end of snippet

@Suite struct UsingExampleTests {
    @Test func theLoaderOfTheExampleAsksAllowedHostsAlone() async throws {
        let folder = TemporaryFolder()
        let loader = try makeLoader(ScriptedTransport(.make()), cache: folder.url.path)
        let failure = await #expect(throws: LoadError.self) {
            try await loader.image(for: ImageRequest("http://evil.org/a.png"))
        }
        #expect(failure?.reason == .refused("host evil.org is not among those allowed"))
    }
}
