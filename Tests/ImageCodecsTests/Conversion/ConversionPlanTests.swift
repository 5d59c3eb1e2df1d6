import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct ConversionPlanTests {
    /// Four frames of 40 x 30 pixels; a mark moves.
    private static func movie(_ format: ImageFormat, translucent: Bool = false) throws -> ImageData {
        let size = PixelSize(width: 40, height: 30)
        var frames: [ImageFrame] = []
        for index in 0..<4 {
            var bytes = [UInt8](repeating: 255, count: size.width * size.height * 4)
            for place in 0..<size.width * size.height {
                bytes[place * 4] = UInt8(place % 40 * 6)
                bytes[place * 4 + 1] = UInt8(place / 40 * 8)
                if place % 40 / 10 == index { bytes[place * 4 + 3] = translucent ? 100 : 255 }
                if place % 40 / 10 == index { bytes[place * 4 + 2] = 0 }
            }
            frames.append(
                ImageFrame(
                    bitmap: try Bitmap(copying: bytes, size: size, format: .rgba),
                    duration: .milliseconds(50 + 10 * index)))
        }
        var image = RasterImage(bitmap: frames[0].bitmap)
        image.animation = RasterImage.Animation(frames: frames, loopCount: 3)
        return ImageData(try image.encoded(as: format))
    }

    private static func frames(_ file: [UInt8]) throws -> [ImageFrame] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let animation = try CoderRegistry.shared.makeAnimation(from: ImageData(file), options: options)
        return try (0..<animation.frameCount).map { try animation.frame(at: $0) }
    }

    private func answer(_ upload: ImageData, _ conversion: ImageConversion) throws -> String {
        var response: [UInt8] = []
        // snippet: plan
        let plan = conversion.plan(upload, to: .webP)
        guard plan.estimatedPeakByteCount <= 256 << 20 else { return "too large" }
        let result = try plan.run { (bytes) in response.append(contentsOf: bytes) }
        // end of snippet
        return "\(result.frameCount) frames, \(response.count) bytes"
    }

    @Test func aPlanSaysWhatItTakesBeforeItBegins() throws {
        let upload = try Self.movie(.apng)
        #expect(try answer(upload, ImageConversion()).hasPrefix("4 frames, "))
        for format in [ImageFormat.apng, .gif, .webP, .jpeg] {
            let (decoding, encoding) = (MemoryMeter(), MemoryMeter())
            var conversion = ImageConversion()
            conversion.decoding.memoryMeter = decoding
            conversion.encoding.memoryMeter = encoding
            let plan = conversion.plan(upload, to: format)
            #expect(plan.info?.format == .apng && plan.writesAllFrames == (format != .jpeg))
            #expect(decoding.peak == 0 && encoding.peak == 0)
            try plan.run { _ in }
            #expect(plan.estimatedPeakByteCount >= max(decoding.peak, encoding.peak), "\(format)")
        }
    }

    /// GIF has no place for a profile that says so, so its colours are converted in a second bitmap.
    @Test func aPlanCountsTheBitmapOfConvertedColors() throws {
        let size = PixelSize(width: 300, height: 200)
        var image = RasterImage(bitmap: try EncoderPicture(.scene, size: size, format: .rgb).bitmap)
        let plain = ImageConversion().plan(ImageData(try image.encoded(as: .png)), to: .gif)
        image.metadata.codePoints = CodingIndependentCodePoints(
            primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
        let wide = ImageConversion().plan(ImageData(try image.encoded(as: .png)), to: .gif)
        let decoded = try #require(wide.info?.decodedByteCount)
        #expect(wide.estimatedPeakByteCount >= plain.estimatedPeakByteCount + decoded)
    }

    @Test(arguments: [ImageFormat.gif, .apng, .webP])
    func allFramesAreKept(_ format: ImageFormat) throws {
        let upload = try Self.movie(.apng)
        var file: [UInt8] = []
        let result = try ImageConversion().convert(upload, to: format) { file.append(contentsOf: $0) }
        #expect(result.frameCount == 4 && result.size == PixelSize(width: 40, height: 30))
        let frames = try Self.frames(file)
        #expect(frames.map(\.duration) == [50, 60, 70, 80].map { .milliseconds($0) })
        // GIF's table holds fewer colours than the frames have.
        #expect(result.remarks.map(\.kind) == (format == .gif ? [.colors] : []))
        if format != .gif {
            #expect(try frames.map(\.bitmap) == Self.frames(upload.withBytes { Array($0) }).map(\.bitmap))
        }
    }

    @Test func theFirstFrameAloneIsWrittenIfItIsWantedOrThereAreNoOthers() throws {
        let upload = try Self.movie(.gif)
        var (encoding, decoding) = (ImageConversion(), ImageConversion())
        encoding.encoding.firstFrameOnly = true
        decoding.decoding.firstFrameOnly = true
        for conversion in [encoding, decoding] {
            let plan = conversion.plan(upload, to: .png)
            let result = try plan.run { _ in }
            #expect(!plan.writesAllFrames && result.frameCount == 1 && result.remarks == [])
        }
        let remarks = try ImageConversion().convert(upload, to: .jpeg) { _ in }.remarks
        #expect(remarks.map(\.kind) == [.laterFrames])
        #expect(remarks.first?.description == "4 frames, the first is written")
    }

    @Test func eachFrameIsChanged() throws {
        let upload = try Self.movie(.apng)
        var conversion = ImageConversion()
        conversion.change = { (image) throws(ImageError) in
            image = try image.cropped(to: PixelRect(x: 10, y: 5, width: 20, height: 7)).rotated(.clockwise)
        }
        var file: [UInt8] = []
        let result = try conversion.convert(upload, to: .apng) { file.append(contentsOf: $0) }
        #expect(result.size == PixelSize(width: 7, height: 20))
        let (before, after) = try (Self.frames(upload.withBytes { Array($0) }), Self.frames(file))
        #expect(before.count == 4 && after.count == 4)
        for (old, new) in zip(before, after) {
            for y in 0..<20 {
                for x in 0..<7 { #expect(new.bitmap[x, y] == old.bitmap[10 + y, 5 + 6 - x]) }
            }
            #expect(new.duration == old.duration)
        }
    }

    @Test func framesOfDifferentSizesAreRefused() throws {
        let upload = try Self.movie(.apng)
        var conversion = ImageConversion()
        conversion.change = { (image) throws(ImageError) in
            let isFirst = image.bitmap[0, 0].blue == 0
            image = try image.cropped(to: PixelRect(x: 0, y: 0, width: isFirst ? 9 : 8, height: 8))
        }
        let error = #expect(throws: ImageError.self) { try conversion.convert(upload, to: .apng) { _ in } }
        #expect(error?.code == "invalidArgument")
    }

    @Test func whatIsLostIsSaid() throws {
        let upload = try Self.movie(.apng, translucent: true)
        let gif = try ImageConversion().convert(upload, to: .gif) { _ in }
        #expect(Set(gif.remarks.map(\.kind)).isSuperset(of: [.translucency]))
        var conversion = ImageConversion()
        conversion.encoding.png.isInterlaced = true
        #expect(
            try conversion.convert(upload, to: .png) { _ in }.remarks.map(\.description) == [
                "animations are not interlaced"
            ])
        let still = try ImageConversion().convert(upload, to: .jpeg) { _ in }
        #expect(still.remarks.map(\.kind) == [.laterFrames, .alpha])
    }

    @Test func largeFilesAreReadTwiceAndSmallOnesHeld() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let size = PixelSize(width: 1600, height: 1300)
        let picture = try EncoderPicture(.noise, size: size, format: .rgb)
        let bytes = try RasterImage(bitmap: picture.bitmap).encoded(as: .png)
        try #require(bytes.count > 4 << 20)
        try ImageData(bytes).write(toFile: folder + "/large.png")
        let plan = try ImageConversion().plan(contentsOfFile: folder + "/large.png", to: .png)
        let held = ImageConversion().plan(ImageData(bytes), to: .png)
        #expect(plan.estimatedPeakByteCount == held.estimatedPeakByteCount)
        var fast = ImageConversion()
        fast.encoding.effort = .fast
        // Pictures of this size too go row by row.
        fast.encoding.png.surveyedByteCount = 0
        let streamed = try fast.plan(contentsOfFile: folder + "/large.png", to: .png)
        // Rows go through, so that the file is not held either.
        #expect(streamed.estimatedPeakByteCount + bytes.count / 2 < plan.estimatedPeakByteCount)
        #expect(try streamed.run { _ in }.wasStreamed)
    }

    @Test func headersThatCannotBeReadAreReportedByTheRun() {
        let plan = ImageConversion().plan(ImageData([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]), to: .jpeg)
        #expect(plan.info == nil && !plan.writesAllFrames)
        #expect(throws: ImageError.self) { try plan.run { _ in } }
    }
}
