import ImageCodecsCore
import ImageEncoding
import Testing

/// Pictures laid over a background; that the colours are right is seen in files.
@Suite struct FlatteningTests {
    @Test(arguments: [PixelFormat.rgba, .bgraPremultiplied, .rgba16])
    func everyRowAsksTheClock(_ format: PixelFormat) throws {
        let bitmap = try Bitmap(size: PixelSize(width: 3, height: 50), format: format)
        let log = WorkLog()
        var options = DecodingOptions.default
        options.workLog = log
        #expect(try bitmap.flattened(onto: [1, 2, 3], work: WorkGuard(options)).size == bitmap.size)
        #expect(log.checkCount >= 50)
    }

    @Test(arguments: [PixelFormat.rgba, .rgba16])
    func aCancelledTaskStopsIt(_ format: PixelFormat) async throws {
        let bitmap = try Bitmap(size: PixelSize(width: 3, height: 50), format: format)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            do throws(ImageError) {
                _ = try bitmap.flattened(onto: [1, 2, 3])
                return ImageError?.none
            } catch {
                return error
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }
}
