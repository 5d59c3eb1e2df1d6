import CodecTestSupport
import Foundation
import ImageCodecs
import ImagePipeline
import Testing

/// What an inspection is refused is the inspection's business: an asynchronous decode gives what a synchronous one does.
@Suite struct AsynchronousDamageTests {
    /// Animations of many frames, the first of which is damaged after some rows.
    enum Animation: String, CaseIterable {
        case gif
        case apng
        case webp

        func file(frameCount: Int) throws -> [UInt8] {
            switch self {
            case .gif:
                let first = GIFBytes.image(side: 10, [62, 0x80] + [UInt8](repeating: 0, count: 60) + [0xFE])
                return GIFBytes.header(side: 10) + first + GIFBytes.onePixel(frameCount) + [0x3B]
            case .apng: return Self.apng(frameCount)
            case .webp: return try Self.webp(frameCount)
            }
        }

        private static func apng(_ count: Int) -> [UInt8] {
            var builder = PNGBuilder()
            builder.addHeader(width: 10, height: 10, colorType: 6)
            builder.add("acTL", PNGBuilder.bigEndian(UInt32(count)) + PNGBuilder.bigEndian(0))
            let place: [UInt8] = [0, 0, 0, 10, 0, 0, 0, 10] + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 100, 0, 0]
            let line = [0] + [UInt8](repeating: 7, count: 40)
            var lines = [[UInt8]](repeating: line, count: 10)
            lines[5][0] = 9
            builder.add("fcTL", PNGBuilder.bigEndian(0) + place)
            builder.add("IDAT", PNGBuilder.stored(Array(lines.joined())))
            lines[5][0] = 0
            for index in 1..<UInt32(count) {
                builder.add("fcTL", PNGBuilder.bigEndian(2 * index - 1) + place)
                builder.add("fdAT", PNGBuilder.bigEndian(2 * index) + PNGBuilder.stored(Array(lines.joined())))
            }
            builder.add("IEND")
            return builder.bytes
        }

        /// The last quarter of the first frame is damaged, the second is repeated.
        private static func webp(_ count: Int) throws -> [UInt8] {
            let file = try FixtureBytes.read("webp/five-frames-100ms.webp")
            var chunks: [[UInt8]] = []
            var start = 12
            while start + 8 <= file.count {
                let length = file[start + 4..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
                let end = start + 8 + length + length % 2
                chunks.append(Array(file[start..<end]))
                start = end
            }
            let frames = chunks.filter { $0.starts(with: "ANMF".utf8) }
            var first = frames[0]
            for index in first.count * 3 / 4..<first.count { first[index] ^= 0x55 }
            let head = chunks.prefix { !$0.starts(with: "ANMF".utf8) }
            return WebPBuilder.file(of: head + [first] + Array(repeating: frames[1], count: count - 1))
        }
    }

    /// Blocks of GIF files, byte by byte.
    private enum GIFBytes {
        static func header(side: UInt8) -> [UInt8] {
            Array("GIF89a".utf8) + [side, 0, side, 0, 0xF6, 0, 0] + [UInt8](repeating: 90, count: 3 * 128)
        }

        static func image(side: UInt8, _ subBlocks: [UInt8]) -> [UInt8] {
            [0x2C, 0, 0, 0, 0, side, 0, side, 0, 0, 7] + subBlocks + [0]
        }

        static func onePixel(_ count: Int) -> [UInt8] {
            let image = image(side: 1, [3, 0x80, 5, 0x81])
            return (0..<count).flatMap { _ in image }
        }

        /// Frames of a pixel on a canvas of 100x100, after them a code that has no string and
        /// an image that ``refuseIt(_:)`` refuses.
        static func refusedAfterDamage(frameCount: Int) -> [UInt8] {
            let comment: [UInt8] = [0x21, 0xFE] + (0..<64).flatMap { _ in [255] + [UInt8](repeating: 97, count: 255) }
            return header(side: 100) + comment + [0] + onePixel(frameCount)
                + image(side: 10, [62, 0x80] + [UInt8](repeating: 0, count: 60) + [0xFE])
                + [0x2C, 0, 0, 0, 0, 255, 255, 255, 255, 0, 7, 0]
        }

        static func refuseIt(_ options: inout DecodingOptions) { options.limits.maxDimension = 1000 }
    }

    /// What a decode gives, comparable.
    private struct Outcome: Equatable {
        struct Frame: Equatable {
            let bitmap: Bitmap
            let duration: Duration
            let partial: PartialReport?
        }

        /// Its kind: how much memory was missing is known better by who decodes.
        var errorCode: String?
        var bitmap: Bitmap?
        var metadata: ImageMetadata?
        var partial: PartialReport?
        var frames: [Frame]?

        init(_ decode: () async throws(ImageError) -> RasterImage) async {
            do throws(ImageError) {
                let image = try await decode()
                (bitmap, metadata, partial) = (image.bitmap, image.metadata, image.partial)
                frames = image.animation?.frames.map {
                    Frame(bitmap: $0.bitmap, duration: $0.duration, partial: $0.partial)
                }
            } catch {
                errorCode = error.code
            }
        }
    }

    private func tolerant(_ change: (inout DecodingOptions) -> Void = { _ in }) -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = .tolerant
        change(&options)
        return options
    }

    /// Options that refuse animations, for the number of their frames or their memory, and some that do not.
    private var variants: [DecodingOptions] {
        [.default, tolerant(), tolerant { $0.firstFrameOnly = true }]
            + [1, 2, 100].map { count in tolerant { $0.limits.maxFrameCount = count } }
            + (14..<23).map { exponent in tolerant { $0.limits.maxMemoryByteCount = 3 << exponent } }
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).bin")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    /// - Returns: with how many options a picture came of what an inspection is refused.
    @discardableResult
    private func checkSameOutcome(_ bytes: [UInt8], _ name: String) async throws -> Int {
        var count = 0
        let data = ImageData(bytes)
        try await withFile(bytes) { path in
            for (index, options) in variants.enumerated() {
                let expected = await Outcome { () throws(ImageError) in try RasterImage(data, options: options) }
                let fromBytes = await Outcome { () async throws(ImageError) in
                    try await RasterImage.decoded(from: data, options: options)
                }
                let fromFile = await Outcome { () async throws(ImageError) in
                    try await RasterImage.decoded(contentsOfFile: path, options: options)
                }
                #expect(fromBytes == expected, "\(name), options \(index), from bytes")
                #expect(fromFile == expected, "\(name), options \(index), from a file")
                if expected.bitmap != nil, (try? ImageInfo(data, options: options)) == nil { count += 1 }
            }
        }
        return count
    }

    @Test(arguments: Animation.allCases)
    func outcomesAreThoseOfASynchronousDecodeAndNoPictureComesOfWhatAnInspectionIsRefused(
        _ animation: Animation
    ) async throws {
        let refusedCount = try await checkSameOutcome(animation.file(frameCount: 3000), animation.rawValue)
        #expect(refusedCount == 0)
    }

    @Test(arguments: ["gif", "apng", "webp"])
    func damagedFilesGiveWhatASynchronousDecodeGives(_ format: String) async throws {
        let files = Fixture.damaged(format)
        #expect(!files.isEmpty)
        for fixture in files { try await checkSameOutcome([UInt8](try Data(contentsOf: fixture.url)), fixture.name) }
    }

    /// What the registry reserves for bytes and for a file.
    private func reserved(_ file: [UInt8], _ options: DecodingOptions) async throws -> [Int] {
        var found = [try CoderRegistry.shared.reservedByteCount(for: ImageData(file), options: options)]
        try await withFile(file) { path in
            var options = options
            var reader = try FileReader(imageFile: path, limits: options.limits)
            found.append(try reader.reservedByteCount(fileByteCount: file.count, options: &options))
        }
        return found
    }

    @Test func ofAFileThatIsRefusedAllThatThereMayBeIsReserved() async throws {
        let file = GIFBytes.refusedAfterDamage(frameCount: 200)
        let options = tolerant(GIFBytes.refuseIt)
        #expect(throws: ImageError.self) { try ImageInfo(ImageData(file), options: options) }
        #expect(throws: ImageError.self) { try RasterImage(file, options: options) }
        let most = options.limits.maxMemoryByteCount
        for byteCount in try await reserved(file, options) { #expect(byteCount > 0 && byteCount <= most) }
    }

    @Test func noMoreIsReservedThanThereMayBe() async throws {
        let file = try Animation.webp.file(frameCount: 1000)
        let options = tolerant { $0.limits.maxMemoryByteCount = 4_000_000 }
        for byteCount in try await reserved(file, tolerant()) { #expect(byteCount > 4_000_000) }
        #expect(try await reserved(file, options) == [4_000_000, 4_000_000])
    }

    /// Nobody knows how much looking for a picture would take.
    @Test func withoutHeadersAllThatThereMayBeIsReserved() async throws {
        let file = Array(GIFBytes.header(side: 10).prefix(20))
        let most = DecodingLimits.default.maxMemoryByteCount
        #expect(try await reserved(file, tolerant()) == [most, most])
    }

    @Test(arguments: [ImageError.cancelled, .limitExceeded(.time, requested: 2, allowed: 1)])
    func cancellationAndTimeEndTheDecodeToo(_ refusal: ImageError) {
        #expect(throws: refusal) { try DecodingOptions.default.reservedByteCount(refusedWith: refusal) }
    }

    @Test func whatIsKnownOfARefusedFileDoesNotDependOnTheCut() throws {
        let file = GIFBytes.refusedAfterDamage(frameCount: 20)
        var peaks: [Int?] = []
        for pieceByteCount in [1000, file.count] {
            var inspector = CoderRegistry.shared.makeInspector(
                options: tolerant(GIFBytes.refuseIt), inputByteCount: file.count)
            for start in stride(from: 0, to: file.count, by: pieceByteCount) {
                try? inspector.append(file.span.extracting(start..<min(start + pieceByteCount, file.count)))
            }
            #expect(throws: ImageError.self) { try inspector.finish() }
            peaks.append(inspector.info?.estimatedPeakByteCount)
        }
        #expect(peaks[0] != nil && peaks[0] == peaks[1])
    }
}
