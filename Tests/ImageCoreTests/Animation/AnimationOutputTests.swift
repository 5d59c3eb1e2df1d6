import CodecTestSupport
import ImageCodecsCore
import Testing

/// Pictures of a canvas: scaled, converted and turned, as the functions of bitmaps do it.
@Suite struct AnimationOutputTests {
    private static let size = PixelSize(width: 23, height: 17)

    private func canvas(_ format: PixelFormat) throws -> Bitmap {
        var random = SeededRandom(seed: 6)
        let straight = try Bitmap(
            packed: random.bytes(4 * Self.size.width * Self.size.height), size: Self.size, format: .rgba)
        return try straight.converted(to: format)
    }

    private func picture(
        _ options: DecodingOptions, _ orientation: Orientation
    ) throws -> (picture: Bitmap, output: AnimationOutput) {
        let output = try AnimationOutput(
            size: Self.size, orientation: orientation, options: options, meter: nil, work: .unlimited)
        var (reusable, work) = (Bitmap.empty, WorkGuard.unlimited)
        return (try output.picture(of: canvas(output.canvasFormat), reusable: &reusable, work: &work), output)
    }

    @Test(arguments: PixelFormat.all, Orientation.allCases)
    func pixelsAreConvertedAndTurned(_ format: PixelFormat, _ orientation: Orientation) throws {
        var options = DecodingOptions()
        options.pixelFormat = format
        let (picture, output) = try picture(options, orientation)
        #expect(output.canvasFormat == (format.alpha == .straight ? .rgba : .bgraPremultiplied))
        #expect(picture == (try canvas(output.canvasFormat).converted(to: format).oriented(orientation)))
    }

    @Test(arguments: [PixelFormat.bgraPremultiplied, .rgba, .rgb, .gray], [Orientation.up, .right, .downMirrored])
    func thumbnailsAreScaledCanvases(_ format: PixelFormat, _ orientation: Orientation) throws {
        var options = DecodingOptions.thumbnail(width: 9, height: 9)
        options.pixelFormat = format
        let (picture, output) = try picture(options, orientation)
        let expected = try canvas(.bgraPremultiplied).scaled(to: output.plan.targetSize).converted(to: format)
        #expect(picture == (try expected.oriented(orientation)))
    }

    @Test func picturesOfOneOutputAreIndependent() throws {
        let output = try AnimationOutput(
            size: Self.size, orientation: .up, options: .thumbnail(width: 5, height: 5), meter: nil, work: .unlimited)
        var (reusable, work) = (Bitmap.empty, WorkGuard.unlimited)
        let first = try output.picture(of: canvas(.bgraPremultiplied), reusable: &reusable, work: &work)
        let clear = try Bitmap(size: Self.size, format: .bgraPremultiplied)
        let second = try output.picture(of: clear, reusable: &reusable, work: &work)
        let third = try output.picture(of: canvas(.bgraPremultiplied), reusable: &reusable, work: &work)
        #expect(first == third)
        #expect(second.packedBytes().allSatisfy { $0 == 0 })
    }

    @Test(arguments: [DecodingOptions.default, .thumbnail(width: 5, height: 8), .atMost(byteCount: 300)])
    func picturesTakeNoMoreMemoryThanStated(_ options: DecodingOptions) throws {
        for orientation in [Orientation.up, .left] {
            for format in [PixelFormat.bgraPremultiplied, .rgb] {
                var options = options
                options.pixelFormat = format
                let meter = MemoryMeter()
                let output = try AnimationOutput(
                    size: Self.size, orientation: orientation, options: options, meter: meter, work: .unlimited)
                let canvas = try canvas(output.canvasFormat)
                var (reusable, work) = (Bitmap.empty, WorkGuard.unlimited)
                _ = try output.picture(of: canvas, reusable: &reusable, work: &work)
                #expect(meter.peak <= AnimationOutput.byteCount(output.plan))
            }
        }
    }

    @Test func aByteLimitIsForAllFramesTogether() {
        let options = DecodingOptions.atMost(byteCount: 4000)
        #expect(options.dividing(among: 4).size == .atMost(byteCount: 1000))
        #expect(options.dividing(among: 1).size == .atMost(byteCount: 4000))
        #expect(options.dividing(among: 9000).size == .atMost(byteCount: 1))
        let usual = DecodingOptions.OutputSize.defaultByteCount
        #expect(DecodingOptions.atMost(byteCount: 0).dividing(among: 2).size == .atMost(byteCount: usual / 2))
        #expect(DecodingOptions.default.dividing(among: 4) == .default)
    }
}
