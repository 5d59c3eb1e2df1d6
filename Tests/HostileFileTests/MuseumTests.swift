import CodecTestSupport
import Foundation
import ImageCodecsCore
import PNGCodec
import Testing

/// Known failures of other decoders, each as a small file: it ends in the pixels that are in it, in damage, or by a limit,
/// and holds no more than was promised and allowed.
@Suite struct MuseumTests {
    /// What a test may hold, whatever the limits allow.
    private static let mostByteCount = 256 << 20

    @Test func everyExhibitIsListedAndDescribed() throws {
        let folder = Fixture.folder("museum")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0 != "README.md" && $0 != "expected.json" }
        #expect(Set(files) == Set(MuseumExhibit.all.map(\.description)))
        #expect(files.count >= 60)
        let words = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        for file in files { #expect(words.contains("`\(file)`"), "\(file)") }
    }

    @Test(arguments: MuseumExhibit.all, MuseumExhibit.Limits.allCases)
    func anExhibitEndsAsItShould(_ exhibit: MuseumExhibit, _ limits: MuseumExhibit.Limits) throws {
        let file = try exhibit.bytes()
        for pieceSize in [file.count, 977] {
            let meter = MemoryMeter(limit: min(limits.limits.maxMemoryByteCount, Self.mostByteCount))
            var options = DecodingOptions()
            options.limits = limits.limits
            (options.pixelFormat, options.appliesOrientation) = (.rgba, false)
            options.memoryMeter = meter
            let allowance = try? MemoryAllowance(exhibit.coder, file, options)
            let expected = try #require(exhibit.outcome(under: limits, inPieces: pieceSize < file.count))
            let outcome = try outcome(pieceSize: pieceSize, file, exhibit.coder, options)
            #expect(outcome == expected, "pieces of \(pieceSize)")
            #expect(meter.current == 0, "pieces of \(pieceSize)")
            let isOneShot = pieceSize == file.count
            #expect(
                meter.peak <= allowance?.byteCount(holdsFrames: isOneShot) ?? .max, "pieces of \(pieceSize)")
        }
    }

    private func outcome(
        pieceSize: Int, _ file: [UInt8], _ coder: any IncrementalImageCoder, _ options: DecodingOptions
    ) throws -> MuseumExhibit.Outcome {
        var image: RasterImage?
        do throws(ImageError) {
            image =
                pieceSize == file.count
                ? try coder.decode(ImageData(file), options: options)
                : try coder.decode(file, inPiecesOf: pieceSize, options: options)
        } catch {
            return .init(error)
        }
        return .picture(
            image?.size ?? PixelSize(width: 0, height: 0), crc: try PixelDigest.crc32(of: image?.bitmap ?? .empty))
    }

    @Test(arguments: MuseumExhibit.all)
    func anExhibitObeysTheLaws(_ exhibit: MuseumExhibit) throws {
        let file = try exhibit.bytes()
        for coder in exhibit.coders {
            for limits in MuseumExhibit.Limits.allCases {
                var options = DecodingOptions()
                options.limits = limits.limits
                options.limits.maxMemoryByteCount = min(options.limits.maxMemoryByteCount, Self.mostByteCount)
                options.strictness = limits == .untrusted ? .tolerant : .strict
                let violations = DecoderLaws(coder).hostileViolations(
                    file, options: options, DecisionSource(seed: UInt64(file.count)))
                #expect(violations == [], "\(limits)")
            }
        }
    }
}

// MARK: - Failures that are calls, not files

extension MuseumTests {
    /// Strides that are negative, overflow, or do not fit sixteen bits, in and out.
    @Test func stridesAreNumbersOfTheirFullWidth() throws {
        var random = SeededRandom(seed: 3)
        let size = PixelSize(width: 5, height: 3)
        let pixels = random.bytes(5 * 4 * 3)
        let bitmap = try Bitmap(copying: pixels, size: size, format: .rgba)
        for stride in [-20, -1, .min, 0, 19, .max] {
            #expect(throws: ImageError.self) {
                try Bitmap(copying: pixels, size: size, format: .rgba, bytesPerRow: stride)
            }
            #expect(throws: ImageError.self) { try PixelLayout(size: size, format: .rgba, bytesPerRow: stride) }
        }
        for stride in [65_535, 65_536, 65_537, 131_072 + 20] {
            var spread = [UInt8](repeating: 0xEE, count: 2 * stride + 20)
            for y in 0..<3 { spread.replaceSubrange(y * stride..<y * stride + 20, with: pixels[y * 20..<y * 20 + 20]) }
            #expect(try Bitmap(copying: spread, size: size, format: .rgba, bytesPerRow: stride) == bitmap)
            #expect(throws: ImageError.self) {
                try Bitmap(copying: Array(spread.dropLast()), size: size, format: .rgba, bytesPerRow: stride)
            }
        }
    }

    /// Rows of more than 65,535 bytes are written whole.
    @Test func wideRowsAreWrittenWhole() throws {
        var random = SeededRandom(seed: 4)
        let size = PixelSize(width: 16_401, height: 3)
        let bitmap = try Bitmap(copying: random.bytes(16_401 * 4 * 3), size: size, format: .rgba)
        let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: .default)
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        #expect(try PNGCoder().decode(ImageData(file), options: options).bitmap == bitmap)
    }
}
