import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct RegistryIncrementalDecoderTests {
    private let bytes = Array("STUBabc".utf8)

    private func feed(_ registry: CoderRegistry, _ bytes: [UInt8], cut: Int) throws -> any IncrementalImageDecoder {
        var decoder = registry.makeIncrementalDecoder(options: .default)
        _ = try decoder.append(bytes.span.extracting(0..<cut))
        _ = try decoder.append(bytes.span.extracting(cut..<bytes.count))
        return decoder
    }

    @Test(arguments: 0...7)
    func theCoderGetsEveryByteWhereverTheyAreCut(_ cut: Int) throws {
        let registry = CoderRegistry([StubProgressiveCoder(stub: StubCoder(name: 1))])
        var decoder = try feed(registry, bytes, cut: cut)
        #expect(try decoder.finish().consumedByteCount == 7)
        #expect(try decoder.image()?.bitmap.packedBytes() == Array("abc".utf8))
    }

    @Test(arguments: 0...7)
    func codersThatNeedTheWholeFileGetItAtTheEnd(_ cut: Int) throws {
        let registry = CoderRegistry([StubCoder(name: 5)])
        var decoder = try feed(registry, bytes, cut: cut)
        #expect(try decoder.image() == nil)
        #expect(decoder.info?.bitDepth == 5)
        let progress = try decoder.finish()
        #expect(progress.isComplete)
        #expect(progress.changedRect == PixelRect(x: 0, y: 0, width: 1, height: 1))
        #expect(try decoder.image()?.bitmap.packedBytes() == [5])
        #expect(decoder.info?.bitDepth == 5)
        #expect(try decoder.finish().isComplete)
        let late = try decoder.append(bytes.span)
        #expect(late.isComplete)
    }

    @Test func aWholeFileThatIsCutOffIsNotComplete() throws {
        let partial = PartialReport(rows: [], cause: .truncated(.png, offset: 7))
        var decoder = try feed(CoderRegistry([StubCoder(name: 5, partial: partial)]), bytes, cut: 3)
        #expect(try !decoder.finish().isComplete)
        #expect(try decoder.image()?.partial == partial)
    }

    @Test func aSingleByteStartsAnyFormatOfAForeignCoder() throws {
        // Signatures that sniffing does not know: nothing may be refused before a coder could see a whole one.
        let own = StubCoder(name: 7, signature: [1, 2, 3, 4, 5, 6, 7, 8, 9])
        let registry = CoderRegistry([StubProgressiveCoder(stub: own)])
        let file: [UInt8] = own.signature + [40, 41]
        var decoder = registry.makeIncrementalDecoder(options: .default)
        for index in file.indices { _ = try decoder.append(file.span.extracting(index..<index + 1)) }
        _ = try decoder.finish()
        #expect(try decoder.image()?.bitmap.packedBytes() == [40, 41])
    }

    @Test(arguments: [1, 3, 300])
    func bytesNobodyWantsAreRefused(_ pieceSize: Int) {
        let registry = CoderRegistry([StubCoder(name: 1)])
        let noise = [UInt8](repeating: 7, count: 600)
        #expect(throws: ImageError.unknownFormat) {
            var decoder = registry.makeIncrementalDecoder(options: .default)
            for start in stride(from: 0, to: noise.count, by: pieceSize) {
                _ = try decoder.append(noise.span.extracting(start..<min(noise.count, start + pieceSize)))
            }
        }
        #expect(throws: ImageError.unknownFormat) {
            var decoder = registry.makeIncrementalDecoder(options: .default)
            _ = try decoder.append(noise.span.extracting(0..<3))
            _ = try decoder.finish()
        }
        #expect(throws: ImageError.unknownFormat) {
            var decoder = registry.makeIncrementalDecoder(options: .default)
            _ = try decoder.finish()
        }
    }

    @Test func errorsArePermanent() throws {
        let error = ImageError.corrupt(.png, DamageCode(rawValue: "test.x"), offset: 1, reason: "x")
        var decoder = CoderRegistry([StubCoder(name: 1, failure: error)]).makeIncrementalDecoder(options: .default)
        _ = try decoder.append(bytes.span)
        for _ in 0..<2 { #expect(throws: error) { try decoder.finish() } }
        #expect(throws: error) { try decoder.append(bytes.span) }
        #expect(try decoder.image() == nil)
    }

    @Test func copiesAreCheckpoints() throws {
        let registry = CoderRegistry([StubProgressiveCoder(stub: StubCoder(name: 1))])
        for cut in 0...7 {
            var original = registry.makeIncrementalDecoder(options: .default)
            _ = try original.append(bytes.span.extracting(0..<cut))
            var copy = original
            _ = try original.append(bytes.span.extracting(cut..<7))
            _ = try copy.append((Array(bytes[cut...]) + [33]).span)
            #expect(try original.image()?.bitmap.packedBytes() == Array("abc".utf8))
            #expect(try copy.image()?.bitmap.packedBytes() == Array("abc!".utf8))
        }
    }

    // MARK: Coders that turn out not to be able to

    private static let stream = StubStream.file(width: 9, height: 30)

    @Test(arguments: 1...12)
    func theNextCoderGetsAllBytesWhereverTheyAreCut(_ refusesAt: Int) throws {
        // The first coder says what it cannot do after some bytes; the second reads the file.
        let registry = CoderRegistry([StubStreamCoder(), LateRefusal(byteCount: refusesAt)])
        let expected = try registry.decode(ImageData(Self.stream), options: .default).bitmap
        for cut in 0...Self.stream.count {
            var decoder = try feed(registry, Self.stream, cut: cut)
            #expect(try decoder.finish().isComplete)
            #expect(try decoder.image()?.bitmap == expected)
        }
        for pieceSize in [1, 2, 3] {
            #expect(try registry.decode(Self.stream, inPiecesOf: pieceSize, options: .default)?.bitmap == expected)
        }
    }

    @Test func whatNobodyCanDecodeIsSaidAsInOneShot() {
        let registry = CoderRegistry([LateRefusal(byteCount: 20), LateRefusal(byteCount: 5)])
        let data = ImageData(Self.stream)
        for pieceSize in [1, 7, 1000] {
            #expect(throws: ImageError.unsupported(.gif, feature: "after 20 bytes")) {
                try registry.decode(Self.stream, inPiecesOf: pieceSize, options: .default)
            }
        }
        #expect(throws: ImageError.unsupported(.gif, feature: "after 20 bytes")) {
            try registry.decode(data, options: .default)
        }
    }

    @Test func aCoderThatHasReadTheHeadersIsFinal() {
        var file = Self.stream
        file[StubStream.headerByteCount] = 253
        let foreign = StubProgressiveCoder(stub: StubCoder(name: 1, signature: Array("STRM".utf8)))
        let registry = CoderRegistry([foreign, StubStreamCoder()])
        #expect(throws: ImageError.unsupported(StubStream.format, feature: "row")) {
            try registry.decode(file, inPiecesOf: 1, options: .default)
        }
    }

    @Test func oneDecoderIsMadePerCoder() throws {
        let coder = StubStreamCoder()
        _ = try CoderRegistry([coder]).decode(Self.stream, inPiecesOf: 1, options: .default)
        #expect(coder.made.value == 1)
    }

    @Test func bytesAreNotKeptOnceTheHeadersAreRead() throws {
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        let file = StubStream.file(width: 4, height: 250) + [UInt8](repeating: 0, count: 100_000)
        let registry = CoderRegistry([StubStreamCoder()])
        #expect(try registry.decode(file, inPiecesOf: 1, options: options) != nil)
        let bitmap = Bitmap.byteCount(size: PixelSize(width: 4, height: 250), format: .gray) ?? 0
        #expect(meter.peak <= 2 * bitmap + 2048)
        #expect(meter.current == 0)
    }

    @Test(arguments: [1, 7, 1000])
    func aLongInputIsRefused(_ pieceSize: Int) throws {
        for coder in [StubStreamCoder(), StubCoder(name: 1, signature: Array("STRM".utf8))] as [any ImageCoder] {
            let registry = CoderRegistry([coder])
            var options = DecodingOptions()
            options.limits.maxInputByteCount = Self.stream.count
            #expect(throws: Never.self) { try registry.decode(Self.stream, inPiecesOf: pieceSize, options: options) }
            options.limits.maxInputByteCount -= 1
            #expect {
                _ = try registry.decode(Self.stream, inPiecesOf: pieceSize, options: options)
            } throws: {
                guard case .limitExceeded(.input, _, _)? = $0 as? ImageError else { return false }
                return true
            }
        }
    }

    @Test func headersAreLookedForWhenTheBytesHaveDoubled() throws {
        let coder = SlowInspection(neededByteCount: 5000)
        let registry = CoderRegistry([coder])
        var decoder = registry.makeIncrementalDecoder(options: .default)
        var file = Array("STUB".utf8)
        file += [UInt8](repeating: 0, count: 20_000)
        for index in file.indices { _ = try decoder.append(file.span.extracting(index..<index + 1)) }
        // At 4, 8, 16 ... 8192 bytes, which is enough; never again.
        #expect(coder.inspections.value == 12)
        #expect(decoder.info != nil)
        _ = try decoder.finish()
        #expect(coder.inspections.value == 12)
        #expect(try decoder.image() != nil)
    }
}

@Suite struct RegistryInspectorTests {
    private static let stream = StubStream.file(width: 9, height: 30)

    private func inspect(
        _ registry: CoderRegistry, _ file: [UInt8], pieceSize: Int, _ options: DecodingOptions = .default
    ) throws(ImageError) -> ImageInfo {
        var inspector = registry.makeInspector(options: options, inputByteCount: file.count)
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            try inspector.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
        }
        return try inspector.finish()
    }

    @Test(arguments: [1, 2, 5, 1000])
    func piecesTellWhatTheWholeTells(_ pieceSize: Int) throws {
        let coders: [any ImageCoder] = [
            StubCoder(name: 3, signature: Array("STRM".utf8)), StubStreamCoder(), LateRefusal(byteCount: 6),
        ]
        for count in 1...coders.count {
            let registry = CoderRegistry(Array(coders[..<count]))
            let expected = try registry.inspect(ImageData(Self.stream), options: .default)
            #expect(try inspect(registry, Self.stream, pieceSize: pieceSize) == expected)
        }
    }

    @Test(arguments: [1, 3, 1000])
    func piecesAreRefusedAsTheWholeIs(_ pieceSize: Int) {
        let registry = CoderRegistry([StubStreamCoder(), LateRefusal(byteCount: 6)])
        for file in [[], [7], Array("STR".utf8), [UInt8](repeating: 7, count: 700), Array(Self.stream[..<6])] {
            var errors: [String] = []
            for attempt in [
                { try registry.inspect(ImageData(file), options: .default) },
                { try inspect(registry, file, pieceSize: pieceSize) },
            ] as [() throws -> ImageInfo] {
                do {
                    _ = try attempt()
                    errors.append("none")
                } catch {
                    errors.append("\(error)")
                }
            }
            #expect(errors[0] == errors[1])
        }
    }
}

/// A coder that says what it cannot do when it has seen so many bytes.
private struct LateRefusal: IncrementalImageCoder, IncrementallyInspectingCoder {
    let byteCount: Int
    private var refusal: ImageError { .unsupported(.gif, feature: "after \(byteCount) bytes") }

    init(byteCount: Int) { self.byteCount = byteCount }

    func canDecode(_ header: Span<UInt8>) -> Bool { StubStreamCoder().canDecode(header) }
    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo { throw refusal }
    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage { throw refusal }
    func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        Reader(byteCount: byteCount, refusal: refusal)
    }
    func makeInspector(options: DecodingOptions, inputByteCount: Int) -> any IncrementalInspector {
        Reader(byteCount: byteCount, refusal: refusal)
    }

    private struct Reader: IncrementalImageDecoder, IncrementalInspector {
        let byteCount: Int
        let refusal: ImageError
        var seen = 0
        var info: ImageInfo? { nil }

        mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
            seen += newBytes.count
            if seen >= byteCount { throw refusal }
        }
        mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
            try append(newBytes) as Void
            return DecodingProgress(consumedByteCount: 0)
        }
        mutating func finish() throws(ImageError) -> DecodingProgress { throw refusal }
        mutating func finish() throws(ImageError) -> ImageInfo { throw refusal }
        mutating func image() throws(ImageError) -> RasterImage? { nil }
    }
}

/// A coder of whole files whose headers need so many bytes; counts how often it is asked.
private struct SlowInspection: ImageCoder {
    let neededByteCount: Int
    let inspections = SharedCounter()

    init(neededByteCount: Int) { self.neededByteCount = neededByteCount }

    func canDecode(_ header: Span<UInt8>) -> Bool { StubCoder(name: 0).canDecode(header) }
    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        inspections.increment()
        guard data.count >= neededByteCount else { throw .truncated(.gif, offset: data.count) }
        return try StubCoder(name: 1).inspect(data, options: options)
    }
    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try StubCoder(name: 1).decode(data, options: options)
    }
}
