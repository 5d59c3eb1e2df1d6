import APNGCodec
import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImagePipeline
import PNGCodec
import Testing
import WebPCodec

/// Files of many frames, or of units without an end: what is held is what was promised, and the clock is asked.
@Suite struct ManyUnitsTests {
    /// Frames of 10x10 pixels with noise in them, and no end.
    enum Animation: String, CaseIterable {
        case gif
        case apng

        var coder: any AnimatedImageCoder & IncrementalImageCoder { self == .gif ? GIFCoder() : APNGCoder() }

        func file(frameCount: Int) -> [UInt8] {
            var random = SeededRandom(seed: 5)
            switch self {
            case .gif: return GIFBytes.header(side: 10) + (0..<frameCount).flatMap { _ in GIFBytes.noise(&random) }
            case .apng: return Self.apng(frameCount, &random)
            }
        }

        private static func apng(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
            var builder = PNGBuilder()
            builder.addHeader(width: 10, height: 10, colorType: 6)
            builder.add("acTL", PNGBuilder.bigEndian(UInt32(count + 1)) + PNGBuilder.bigEndian(0))
            var number: UInt32 = 0
            for index in 0..<count {
                let place = [10, 10, 0, 0].flatMap { PNGBuilder.bigEndian($0) }
                builder.add("fcTL", PNGBuilder.bigEndian(number) + place + [0, 1, 0, 100, 0, 0])
                number += 1
                let lines = PNGBuilder.stored((0..<10).flatMap { _ in [0] + random.bytes(40) })
                if index == 0 {
                    builder.add("IDAT", lines)
                } else {
                    builder.add("fdAT", PNGBuilder.bigEndian(number) + lines)
                    number += 1
                }
            }
            return builder.bytes
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

        /// A hundred pixels in codes of eight bits: a clear code, literals, the end.
        static func noise(_ random: inout SeededRandom) -> [UInt8] {
            image(side: 10, [102, 0x80] + random.bytes(100).map { $0 & 127 } + [0x81])
        }
    }

    private func tolerant(_ change: (inout DecodingOptions) -> Void = { _ in }) -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = .tolerant
        options.memoryMeter = MemoryMeter()
        change(&options)
        return options
    }

    /// New buffers for each of many small frames leave holes in the heap that nothing fits into.
    @Test func aFrameInPiecesTakesTheBuffersOfTheOneBefore() throws {
        func requestCount(frameCount: Int) throws -> Int {
            let count = AllocationFailure(.allocation, at: nil)
            var options = DecodingOptions()
            options.memoryMeter = MemoryMeter(failure: count)
            let file = Animation.gif.file(frameCount: frameCount) + [0x3B]
            var decoder = GIFCoder().makeIncrementalDecoder(options: options)
            for start in stride(from: 0, to: file.count, by: 50) {
                _ = try decoder.append(contentsOf: file[start..<min(start + 50, file.count)])
            }
            _ = try decoder.finish()
            return count.requestCount
        }
        // What is kept of a hundred frames needs one page at most.
        let (few, many) = (try requestCount(frameCount: 700), try requestCount(frameCount: 800))
        #expect(many - few <= 1)
    }

    @Test(arguments: Animation.allCases)
    func damagedAnimationsTakeNoMoreThanTheLawAllows(_ animation: Animation) throws {
        let file = Array(animation.file(frameCount: 1200).dropLast())
        for limit in [DecodingOptions.OutputSize.full, .atMost(byteCount: 1 << 19)] {
            let options = tolerant { $0.size = limit }
            let allowed = try MemoryAllowance(animation.coder, file, options).byteCount(holdsFrames: true)
            let image = try animation.coder.decode(ImageData(file), options: options)
            #expect(image.partial != nil && (image.animation?.frames.count ?? 0) == 1200)
            let held = options.memoryMeter?.peak ?? .max
            #expect(held <= allowed, "\(held) bytes held, \(allowed) allowed")
        }
    }

    @Test func whatTurnsFramesMayStandBehindTheDamage() throws {
        let input = try FixtureBytes.read("fuzz/found/webp-structure.orientation-behind-damage")
        let file = HostileWebP.file(DecisionSource(Array(input.dropFirst(2))))
        let options = tolerant()
        let allowed = try MemoryAllowance(WebPCoder(), file, options).byteCount(holdsFrames: true)
        let image = try WebPCoder().decode(ImageData(file), options: options)
        #expect(image.partial != nil)
        #expect(options.memoryMeter?.peak ?? .max <= allowed)
    }

    @Test(arguments: [false, true])
    func unitsWithoutAnEndTakeNoMoreThanTheLawAllows(_ isComment: Bool) throws {
        var random = SeededRandom(seed: 6)
        var file = GIFBytes.header(side: 10) + GIFBytes.noise(&random)
        // The data of an image go on after its last row.
        file += isComment ? [0x21, 0xFE] : GIFBytes.noise(&random).dropLast()
        for _ in 0..<4000 { file += [255] + random.bytes(255) }
        try expectLawKept(file, GIFCoder())
    }

    @Test func frameDataWithoutAnEndTakeNoMoreThanTheLawAllows() throws {
        var builder = PNGBuilder()
        builder.add(raw: Array(Animation.apng.file(frameCount: 2).dropFirst(8)))
        builder.add("fcTL", [3, 10, 10, 0, 0].flatMap { PNGBuilder.bigEndian($0) } + [0, 1, 0, 100, 0, 0])
        // The data of a frame go on after its last row.
        let lines = PNGBuilder.stored([UInt8](repeating: 0, count: 410))
        builder.add("fdAT", PNGBuilder.bigEndian(4) + lines + [UInt8](repeating: 1, count: 1_000_000))
        try expectLawKept(Array(builder.bytes.dropLast(500)), APNGCoder())
    }

    @Test func chunksOfAFrameWithoutAnEndTakeNoMoreThanTheLawAllows() throws {
        let picture = Array(try FixtureBytes.read("webp/one-pixel.webp").dropFirst(12))
        let unknown = WebPBuilder.chunk("abcd", [UInt8](repeating: 1, count: 3_000_000))
        func frame(_ chunks: [UInt8]) -> [UInt8] {
            WebPBuilder.frame(x: 0, y: 0, width: 1, height: 1, milliseconds: 40, flags: 0, chunks)
        }
        let file = WebPBuilder.file(
            WebPBuilder.extendedHeader(flags: 2, width: 1, height: 1), WebPBuilder.animationHeader(loopCount: 0),
            frame(picture), frame(picture + unknown))
        for cut in [0, 700_000] { try expectLawKept(Array(file.dropLast(cut)), WebPCoder()) }
    }

    /// A frame without a picture is none; its bytes were held until that was known.
    @Test(arguments: [0, 1, 2])
    func framesThatAreNoneTakeNoMoreThanTheLawAllows(_ place: Int) throws {
        let picture = Array(try FixtureBytes.read("webp/one-pixel.webp").dropFirst(12))
        func frame(_ chunks: [UInt8]) -> [UInt8] {
            WebPBuilder.frame(x: 0, y: 0, width: 1, height: 1, milliseconds: 40, flags: 0, chunks)
        }
        var frames = [frame(picture), frame(picture)]
        frames.insert(frame(WebPBuilder.chunk("abcd", [UInt8](repeating: 1, count: 600_000))), at: place)
        let heads = [
            WebPBuilder.extendedHeader(flags: 2, width: 1, height: 1), WebPBuilder.animationHeader(loopCount: 0),
        ]
        try expectLawKept(WebPBuilder.file(of: heads + frames), WebPCoder())
    }

    @Test func bytesBehindDamageWereKept() throws {
        var builder = PNGBuilder()
        builder.add(raw: Array(Animation.apng.file(frameCount: 2).dropFirst(8)))
        builder.add("fcTL", [3, 10, 10, 0, 0].flatMap { PNGBuilder.bigEndian($0) } + [0, 1, 0, 100, 0, 0])
        builder.add("fdAT", PNGBuilder.bigEndian(4) + [UInt8](repeating: 1, count: 100_000))
        try expectLawKept(builder.bytes, APNGCoder(), pieceByteCount: .max, atLeast: 60_000)
    }

    @Test func aFrameThatIsTakenBackHoldsTheCanvasAlsoWhereItIsDamaged() throws {
        let place: [UInt8] = [0x2C, 0, 0, 0, 0]
        let header = Array("GIF89a".utf8) + [232, 3, 232, 3, 0xF6, 0, 0] + [UInt8](repeating: 90, count: 3 * 128)
        let first = place + [1, 0, 1, 0, 0, 7, 3, 0x80, 5, 0x81, 0]
        let control: [UInt8] = [0x21, 0xF9, 4, 0x0D, 0, 0, 0, 0]
        let second = control + place + [232, 3, 232, 3, 0, 7, 4, 0x80, 1, 2, 0x81, 0]
        try expectLawKept(header + first + second + [0x3B], GIFCoder(), atLeast: 8_000_000) {
            $0.size = .fitting(PixelSize(width: 64, height: 64))
        }
    }

    @Test func whatFailedIsDescribedTheSameHoweverItWasCut() throws {
        var random = SeededRandom(seed: 8)
        var file = GIFBytes.header(side: 10) + GIFBytes.image(side: 10, [2, 0x80, 3]).dropLast()
        for _ in 0..<30 { file += [255] + random.bytes(255).map { $0 & 1 } }
        // A code that has no string.
        file += [3, 0x80, 0, 0xFE, 0]
        var descriptions: [ImageInfo?] = []
        for pieceByteCount in [1, 700, file.count] {
            var decoder = GIFCoder().makeIncrementalDecoder(options: .default)
            for start in stride(from: 0, to: file.count, by: pieceByteCount) {
                _ = try? decoder.append(file.span.extracting(start..<min(start + pieceByteCount, file.count)))
            }
            _ = try? decoder.finish()
            descriptions.append(decoder.info)
        }
        #expect(descriptions[0] != nil && descriptions.allSatisfy { $0 == descriptions[0] })
    }

    /// A decode in pieces holds no more than the law allows, and says the same estimate from first to last.
    private func expectLawKept(
        _ file: [UInt8], _ coder: some IncrementalImageCoder, pieceByteCount: Int = 4096, atLeast least: Int = 500_000,
        _ change: (inout DecodingOptions) -> Void = { _ in }
    ) throws {
        let allowance = try MemoryAllowance(coder, file, tolerant(change))
        let options = tolerant(change)
        var decoder = coder.makeIncrementalDecoder(options: options)
        for start in stride(from: 0, to: file.count, by: min(pieceByteCount, file.count)) {
            _ = try? decoder.append(file.span.extracting(start...).extracting(first: pieceByteCount))
            guard let estimate = decoder.info?.estimatedPeakByteCount else { continue }
            #expect(estimate == allowance.info.estimatedPeakByteCount)
        }
        let held = options.memoryMeter?.peak ?? .max
        let allowed = allowance.byteCount(holdsFrames: false)
        #expect(held <= allowed, "\(held) bytes held, \(allowed) allowed")
        #expect(held > least)
    }

    @Test func theEstimateDoesNotDependOnTheNumberOfFrames() throws {
        let options = tolerant()
        let few = try GIFCoder().inspect(ImageData(Animation.gif.file(frameCount: 100)), options: options)
        let many = try GIFCoder().inspect(ImageData(Animation.gif.file(frameCount: 1000)), options: options)
        #expect(many.estimatedPeakByteCount == few.estimatedPeakByteCount)
        #expect(many.animation?.frameCount == 1000)
    }

    @Test(arguments: Animation.allCases)
    func asynchronousDecodesWaitForAllFrames(_ animation: Animation) throws {
        let data = ImageData(animation.file(frameCount: 300))
        let options = tolerant()
        let registry = CoderRegistry([animation.coder])
        let reserved = try registry.reservedByteCount(for: data, options: options)
        _ = try registry.decode(data, options: options)
        #expect(options.memoryMeter?.peak ?? .max <= reserved)
        let first = tolerant { $0.firstFrameOnly = true }
        #expect(try registry.reservedByteCount(for: data, options: first) < reserved)
    }

    @Test(arguments: Animation.allCases)
    func anotherAttemptHasTheTimeThatIsLeft(_ animation: Animation) throws {
        let data = ImageData(animation.file(frameCount: 3))
        let options = tolerant {
            $0.limits.maxTime = .seconds(100)
            $0.spentTime = .seconds(99)
        }
        _ = try animation.coder.decode(data, options: options)
        let late = tolerant {
            $0.limits.maxTime = .seconds(100)
            $0.spentTime = .seconds(101)
        }
        let error = #expect(throws: ImageError.self) { try animation.coder.decode(data, options: late) }
        #expect(error?.code == "limitExceeded")
    }

    @Test(arguments: [true, false])
    func subBlocksOfAByteCountAsWork(_ isImage: Bool) throws {
        var random = SeededRandom(seed: 7)
        let whole = Array(GIFBytes.noise(&random).dropLast())
        let subBlocks = (0..<200_000).flatMap { _ in [1, 1] as [UInt8] }
        let loop: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)
        let file =
            GIFBytes.header(side: 10) + (isImage ? whole + subBlocks + [0] : whole + [0] + loop + subBlocks + [0])
            + [0x3B]
        let log = WorkLog()
        _ = try GIFCoder().decode(ImageData(file), options: tolerant { $0.workLog = log })
        #expect(log.unitCount >= subBlocks.count)
        #expect(log.checkCount >= subBlocks.count >> 14)
    }
}
