import ImageCodecsCore
import Synchronization
import Testing

@Suite struct CoderRegistryTests {
    /// A coder that keeps how much of its time is gone when it is asked.
    private final class LateCoder: ImageCoder {
        let spentTime = Mutex(Duration.zero)
        private let stub = StubCoder(name: 2)

        var decodableFormats: [ImageFormat] { stub.decodableFormats }
        func canDecode(_ header: Span<UInt8>) -> Bool { stub.canDecode(header) }
        func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
            try stub.inspect(data, options: options)
        }
        func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
            spentTime.withLock { $0 = options.spentTime }
            return try stub.decode(data, options: options)
        }
    }

    @Test func allCodersShareTheTime() throws {
        let (late, data) = (LateCoder(), ImageData(Array("STUB".utf8)))
        let registry = CoderRegistry([late, StubCoder(name: 1, failure: .unsupported(.png, feature: "x"))])
        var options = DecodingOptions()
        options.limits.maxTime = .seconds(60)
        _ = try registry.decode(data, options: options)
        #expect(late.spentTime.withLock { $0 } > .zero)
    }

    private let file = ImageData(Array("STUB.......".utf8))

    /// Which stub decoded the file.
    private func decoder(of registry: CoderRegistry, _ options: DecodingOptions = .default) throws -> UInt8 {
        try registry.decode(file, options: options).bitmap.packedBytes()[0]
    }

    @Test func theCoderAddedLastIsAskedFirst() throws {
        let registry = CoderRegistry([StubCoder(name: 1), StubCoder(name: 2)])
        #expect(try decoder(of: registry) == 2)
        registry.add(StubCoder(name: 3))
        #expect(try decoder(of: registry) == 3)
        #expect(registry.coders.count == 3)
    }

    @Test func tokensRemoveWhatTheyNameOnce() throws {
        let registry = CoderRegistry()
        let first = registry.add(StubCoder(name: 1))
        let second = registry.add(StubCoder(name: 1))
        #expect(first != second)
        registry.add(StubCoder(name: 3))
        registry.remove(second)
        registry.remove(second)
        #expect(registry.coders.count == 2)
        registry.remove(first)
        #expect(try decoder(of: registry) == 3)
    }

    @Test(arguments: [ImageError.unknownFormat, .unsupported(.png, feature: "x")])
    func theNextCoderIsAskedWhenOneDoesNotKnow(_ error: ImageError) throws {
        let registry = CoderRegistry([StubCoder(name: 1), StubCoder(name: 2, failure: error)])
        #expect(try decoder(of: registry) == 1)
        #expect(try registry.inspect(file, options: .default).bitDepth == 1)
        var bitmap = Bitmap.empty
        try registry.decode(file, into: &bitmap, options: .default)
        #expect(bitmap.packedBytes() == [1])
        #expect(try registry.makeAnimation(from: file, options: .default).frameCount == 1)
    }

    @Test(arguments: [
        ImageError.corrupt(.png, DamageCode(rawValue: "test.x"), offset: 3, reason: "x"), .truncated(.png, offset: 3),
        .cancelled,
        .limitExceeded(.pixels, requested: 2, allowed: 1), .invalidArgument("x"),
    ])
    func otherErrorsAreFinal(_ error: ImageError) {
        let registry = CoderRegistry([StubCoder(name: 1), StubCoder(name: 2, failure: error)])
        #expect(throws: error) { try registry.decode(file, options: .default) }
        #expect(throws: error) { try registry.inspect(file, options: .default) }
        #expect(throws: error) { try registry.makeAnimation(from: file, options: .default) }
    }

    @Test func theReasonOfACoderBeatsThatOfSniffing() {
        let error = ImageError.unsupported(.gif, feature: "x")
        #expect(throws: error) {
            try CoderRegistry([StubCoder(name: 1, failure: error)]).decode(file, options: .default)
        }
        #expect(throws: ImageError.unknownFormat) {
            try CoderRegistry([StubCoder(name: 1, failure: .unknownFormat)]).decode(file, options: .default)
        }
    }

    @Test func bytesNobodyWantsAreNamedWhereTheyAreKnown() {
        let registry = CoderRegistry([StubCoder(name: 1)])
        #expect(throws: ImageError.unknownFormat) { try registry.decode(ImageData([1, 2, 3]), options: .default) }
        #expect(throws: ImageError.unknownFormat) { try registry.decode(ImageData([]), options: .default) }
        #expect(throws: ImageError.unsupported(.gif, feature: "decoding")) {
            try registry.decode(ImageData(Array("GIF89a....".utf8)), options: .default)
        }
    }

    @Test func theHintedFormatIsTriedFirst() throws {
        let registry = CoderRegistry([
            StubCoder(name: 1, formats: [.gif]), StubCoder(name: 2, formats: [.png]), StubCoder(name: 3),
        ])
        var options = DecodingOptions()
        #expect(try decoder(of: registry, options) == 3)
        options.formatHint = .gif
        #expect(try decoder(of: registry, options) == 1)
        options.formatHint = .png
        #expect(try decoder(of: registry, options) == 2)
        options.formatHint = .webP
        #expect(try decoder(of: registry, options) == 3)
    }

    @Test func encodingGoesToTheFirstCoderThatWritesTheFormat() throws {
        let registry = CoderRegistry([
            StubCoder(name: 1, writes: [.png, .gif]), StubCoder(name: 2, writes: [.png]), StubCoder(name: 3),
        ])
        let image = RasterImage(bitmap: .empty)
        #expect(try registry.encode(image, to: .png, options: .default) == [2])
        #expect(try registry.encode(image, to: .gif, options: .default) == [1])
        #expect(registry.canEncode(to: .gif))
        #expect(!registry.canEncode(to: .webP))
        #expect(registry.encodableFormats == [.png, .gif])
        let error = #expect(throws: ImageError.self) { try registry.encode(image, to: .webP) }
        #expect(error == .unsupported(.webP, feature: "encoding (what can be written: PNG, GIF)"))
        #expect(error?.suggestion?.hasPrefix("Write one of the formats") == true)
    }

    @Test func callsWithoutOptionsAreThoseWithTheDefaults() throws {
        let registry = CoderRegistry([StubCoder(name: 7, writes: [.png])])
        let image = RasterImage(bitmap: .empty)
        #expect(try registry.encode(image, to: .png) == registry.encode(image, to: .png, options: .default))
        #expect(try registry.inspect(file) == registry.inspect(file, options: .default))
        #expect(try registry.decode(file).bitmap == registry.decode(file, options: .default).bitmap)
        #expect(try registry.makeAnimation(from: file).frameCount == 1)
        var bitmap = Bitmap.empty
        #expect(try registry.decode(file, into: &bitmap) == nil)
    }

    @Test func stillsAreAnimationsOfOneFrame() throws {
        let movie = try CoderRegistry([StubCoder(name: 9)]).makeAnimation(from: file, options: .default)
        #expect(movie.frameCount == 1)
        #expect(try movie.frame(at: 0).bitmap.packedBytes() == [9])
        #expect(throws: ImageError.self) { try movie.frame(at: 1) }
        #expect(throws: ImageError.self) { try movie.duration(at: -1) }
    }
}
