import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct ImageConversionTests {
    /// A folder of its own, removed when the test ends.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String) -> String { path + "/" + name }
        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    }

    private func scene(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgb, _ orientation: Orientation = .up
    ) throws -> RasterImage {
        let picture = try EncoderPicture(.scene, size: PixelSize(width: width, height: height), format: format)
        var image = RasterImage(bitmap: picture.bitmap, orientation: orientation)
        image.metadata.texts = [TextEntry(keyword: "Title", text: "a scene")]
        return image
    }

    private var fast: ImageConversion {
        var options = EncodingOptions()
        options.effort = .fast
        // Small pictures too go row by row.
        options.png.surveyedByteCount = 0
        return ImageConversion(encoding: options)
    }

    private func convert(_ huge: String, _ output: String) throws {
        // snippet: convert
        var conversion = ImageConversion()
        conversion.encoding.effort = .fast
        try conversion.convert(contentsOfFile: huge, toFile: output)
        // end of snippet
    }

    @Test func aFileIsConvertedInOneCall() throws {
        let folder = try Folder()
        let image = try scene(60, 40)
        try image.write(toFile: folder.file("a.png"))
        try convert(folder.file("a.png"), folder.file("huge.png"))
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        #expect(try RasterImage(contentsOfFile: folder.file("huge.png"), options: options).bitmap == image.bitmap)
    }

    @Test func aConversionTellsHowFarItHasCome() throws {
        let source = try scene(900, 700).encoded(as: .png)
        var conversion = fast
        let progress = ProgressLog()
        #expect(progress.current.stage == .reading && progress.current.share == nil)
        conversion.encoding.progress = progress
        var shares: [Double] = []
        let result = try conversion.convert(ImageData(source), to: .png) { _ in
            if progress.current.stage == .reading { shares.append(progress.current.share ?? 0) }
        }
        #expect(result.wasStreamed && shares.count > 2 && shares == shares.sorted())
        #expect(try #require(shares.last) > 0.5)
        #expect(progress.current.stage == .compressing)
        // A picture that is held: its scanlines are compressed in the end.
        conversion.encoding.effort = .best
        shares = []
        let held = try conversion.convert(ImageData(source), to: .png) { _ in
            if progress.current.stage == .compressing { shares.append(progress.current.share ?? 0) }
        }
        #expect(!held.wasStreamed && shares.count > 2 && shares == shares.sorted())
        #expect(try #require(shares.last) > 0.5)
    }

    @Test(arguments: [PixelFormat.rgb, .rgba, .gray, .gray16, .rgba16, .grayAlpha])
    func rowsOfARunningDecodeMakeTheSameFileAsABitmap(_ format: PixelFormat) throws {
        let image = try scene(83, 61, format)
        let source = try image.encoded(as: .png)
        var streamed: [UInt8] = []
        let result = try fast.convert(ImageData(source), to: .png) { streamed.append(contentsOf: $0) }
        #expect(result.wasStreamed && result.size == image.size && result.partial == nil)
        var nearest = DecodingOptions()
        nearest.pixelFormat = nil
        let held = try RasterImage(source, options: nearest).encoded(as: .png, options: fast.encoding)
        #expect(streamed == held)
    }

    @Test func scaledRowsAreStreamedToo() throws {
        let source = try scene(120, 80).encoded(as: .png)
        var conversion = fast
        conversion.decoding.size = .fitting(PixelSize(width: 30, height: 30))
        var streamed: [UInt8] = []
        let result = try conversion.convert(ImageData(source), to: .png) { streamed.append(contentsOf: $0) }
        #expect(result.wasStreamed && result.size == PixelSize(width: 30, height: 20))
        #expect(
            try streamed == RasterImage(source, options: conversion.decoding).encoded(as: .png, options: fast.encoding))
    }

    @Test func turnedPicturesAreHeldAndTurned() throws {
        let image = try scene(50, 30, .rgb, .right)
        var file: [UInt8] = []
        let result = try fast.convert(ImageData(image.encoded(as: .png)), to: .png) { file.append(contentsOf: $0) }
        #expect(!result.wasStreamed && result.size == PixelSize(width: 30, height: 50))
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        #expect(try RasterImage(file, options: options).bitmap == image.bitmap.oriented(.right))
        // Left as it is stored, it needs no bitmap, and says how it has to be turned.
        var unturned = fast
        unturned.decoding.appliesOrientation = false
        file = []
        let kept = try unturned.convert(ImageData(image.encoded(as: .png)), to: .png) { file.append(contentsOf: $0) }
        #expect(kept.wasStreamed)
        #expect(try ImageInfo(ImageData(file)).orientation == .right)
    }

    @Test func metadataGoAlong() throws {
        var image = try scene(20, 20)
        image.metadata.density = PixelDensity(x: 300, y: 300, unit: .inch)
        var file: [UInt8] = []
        try fast.convert(ImageData(image.encoded(as: .png)), to: .png) { file.append(contentsOf: $0) }
        let metadata = try ImageInfo(ImageData(file)).metadata
        #expect(metadata.texts == image.metadata.texts && metadata.density != nil)
    }

    @Test func missingRowsOfADamagedFileAreBlank() throws {
        let image = try scene(200, 150)
        let whole = try image.encoded(as: .png)
        let cut = Array(whole[..<(whole.count / 2)])
        #expect(throws: ImageError.self) { try fast.convert(ImageData(cut), to: .png) { _ in } }
        var tolerant = fast
        tolerant.decoding.strictness = .tolerant
        var file: [UInt8] = []
        let result = try tolerant.convert(ImageData(cut), to: .png) { file.append(contentsOf: $0) }
        #expect(result.wasStreamed && result.partial != nil)
        #expect(try file == RasterImage(cut, options: tolerant.decoding).encoded(as: .png, options: fast.encoding))
    }

    @Test func aStreamHoldsRowsAndNoPicture() throws {
        let source = try scene(400, 2000).encoded(as: .png)
        let (decoding, encoding) = (MemoryMeter(), MemoryMeter())
        var conversion = fast
        conversion.decoding.memoryMeter = decoding
        conversion.encoding.memoryMeter = encoding
        try conversion.convert(ImageData(source), to: .png) { _ in }
        // The picture has 2.4 MB.
        #expect(decoding.peak < 500_000 && encoding.peak < 600_000)
    }

    @Test func aFileThatCannotBeConvertedLeavesTheOldOne() throws {
        let folder = try Folder()
        let whole = try scene(200, 150).encoded(as: .png)
        try ImageData(Array(whole[..<(whole.count - 3000)])).write(toFile: folder.file("cut.png"))
        try ImageData([1, 2, 3]).write(toFile: folder.file("out.png"))
        #expect(throws: ImageError.self) {
            try fast.convert(contentsOfFile: folder.file("cut.png"), toFile: folder.file("out.png"))
        }
        #expect(try ImageData(contentsOfFile: folder.file("out.png")).withBytes { $0.count } == 3)
        #expect(folder.names == ["cut.png", "out.png"])
    }

    @Test func whatASinkThrowsEndsTheDecode() throws {
        let source = try scene(400, 2000).encoded(as: .png)
        let log = WorkLog()
        var conversion = fast
        conversion.decoding.workLog = log
        let error = #expect(throws: ImageError.self) {
            try conversion.convert(ImageData(source), to: .png) { (_) throws(ImageError) in
                throw .inputOutput(path: "pipe", message: "broken")
            }
        }
        #expect(error == .inputOutput(path: "pipe", message: "broken"))
        let all = WorkLog()
        conversion.decoding.workLog = all
        try conversion.convert(ImageData(source), to: .png) { _ in }
        #expect(log.checkCount < all.checkCount / 2)
    }

    @Test func aMemoryLimitBelowTheEffortIsRefusedAndRowsAreNot() throws {
        let source = try scene(500, 400).encoded(as: .png)
        var conversion = ImageConversion()
        conversion.encoding.limits.maxMemoryByteCount = 2_000_000
        conversion.encoding.effort = .fast
        conversion.encoding.png.surveyedByteCount = 0
        try conversion.convert(ImageData(source), to: .png) { _ in }
        conversion.encoding.limits.maxMemoryByteCount = 100_000
        conversion.encoding.effort = .default
        let error = #expect(throws: ImageError.self) { try conversion.convert(ImageData(source), to: .png) { _ in } }
        guard case .limitExceeded(.encodingMemory, _, 100_000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.suggestion?.contains(".fast") == true)
    }

    @Test func aNameWithoutAFormatIsRefused() throws {
        #expect(throws: ImageError.self) { try fast.convert(contentsOfFile: "a.png", toFile: "b.unknown") }
    }
}
