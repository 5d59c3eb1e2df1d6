import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct JPEGEncoderTests {
    private func encode(
        _ image: RasterImage, _ change: (inout EncodingOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var options = EncodingOptions()
        change(&options)
        return try JPEGCoder().encode(image, to: .jpeg, options: options)
    }

    private func scene(_ width: Int = 64, _ height: Int = 48, _ format: PixelFormat = .rgb) throws -> RasterImage {
        RasterImage(
            bitmap: try EncoderPicture(.scene, size: PixelSize(width: width, height: height), format: format).bitmap)
    }

    /// Mean of the squared differences of samples.
    private func error(_ first: Bitmap, _ second: Bitmap) throws -> Double {
        try first.converted(to: .rgb).packedBytes().meanSquaredError(second.converted(to: .rgb).packedBytes())
    }

    @Test(arguments: EncodingOptions.Effort.allCases, [PixelFormat.rgb, .gray, .cmyk, .bgrx, .rgba16, .gray16])
    func picturesComeBackNearlyEqual(_ effort: EncodingOptions.Effort, _ format: PixelFormat) throws {
        let image = try scene(70, 45, format)
        let file = try encode(image) {
            $0.effort = effort
            $0.quality = 0.95
            // Half the chroma samples would blur the edge of the disk.
            if format.layout != .gray, format != .cmyk { $0.jpeg.subsampling = .yCbCr444 }
        }
        var options = DecodingOptions()
        options.pixelFormat = format == .cmyk ? .cmyk : nil
        let read = try JPEGCoder().decode(ImageData(file), options: options)
        #expect(read.size == image.size)
        #expect(try error(read.bitmap, image.bitmap) < 30)
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func qualityMakesFilesLargerAndNearer(_ effort: EncodingOptions.Effort) throws {
        let image = try scene(200, 150)
        var last: (count: Int, error: Double)?
        for quality in [0.1, 0.3, 0.5, 0.7, 0.9, 1] {
            let file = try encode(image) {
                $0.effort = effort
                $0.quality = quality
            }
            let now = (
                file.count, try error(JPEGCoder().decode(ImageData(file), options: .default).bitmap, image.bitmap)
            )
            if let last { #expect(now.0 > last.count && now.1 < last.error, "\(quality)") }
            last = now
        }
    }

    @Test(arguments: [Double.nan, -0.01, 1.01, .infinity])
    func qualitiesThatAreNoneAreInvalidArguments(_ quality: Double) throws {
        let image = try scene()
        let error = #expect(throws: ImageError.self) { try encode(image) { $0.quality = quality } }
        #expect(error?.code == "invalidArgument")
    }

    @Test(arguments: EncodingOptions.Effort.allCases, [EncoderPicture.Content.text, .scene, .noise, .extremes])
    func quality100LosesNothingButByRounding(
        _ effort: EncodingOptions.Effort, _ content: EncoderPicture.Content
    ) throws {
        let image = RasterImage(bitmap: try EncoderPicture(content, size: PixelSize(width: 90, height: 70)).bitmap)
        let file = try encode(image) {
            $0.effort = effort
            $0.quality = 1
        }
        let tables = try #require(JPEGBytes.segment([0xDB], in: file))
        #expect(file[tables + 5..<tables + 69].allSatisfy { $0 == 1 })
        // Every component has all samples.
        let frame = try #require(JPEGBytes.frameHeader(in: file))
        #expect([11, 14, 17].allSatisfy { file[frame + $0] == 0x11 })
        let read = try JPEGCoder().decode(ImageData(file), options: .default).bitmap.converted(to: .rgb).packedBytes()
        let largest = zip(read, try image.bitmap.converted(to: .rgb).packedBytes()).map { abs(Int($0) - Int($1)) }.max()
        #expect(try #require(largest) <= 4)
    }

    /// Only of pictures with many different blocks, whose errors of rounding average out. Coarser steps can happen to fit what
    /// has few coefficients better than finer ones do: smooth gradients, and `extremes`, whose blocks are all alike.
    @Test(arguments: EncodingOptions.Effort.allCases, [EncoderPicture.Content.text, .scene, .noise])
    func distortionFallsAsQualityRises(
        _ effort: EncodingOptions.Effort, _ content: EncoderPicture.Content
    ) throws {
        let image = RasterImage(bitmap: try EncoderPicture(content, size: PixelSize(width: 150, height: 110)).bitmap)
        var last = Double.infinity
        for quality in stride(from: 0, through: 100, by: 10) {
            let file = try encode(image) {
                $0.effort = effort
                $0.quality = Double(quality) / 100
            }
            let now = try error(JPEGCoder().decode(ImageData(file), options: .default).bitmap, image.bitmap)
            #expect(now <= last, "\(quality)")
            last = now
        }
    }

    @Test func sidesAboveThoseOfLibjpegAreWrittenOnRequest() throws {
        for size in [PixelSize(width: 65_501, height: 1), PixelSize(width: 1, height: 65_535)] {
            let image = RasterImage(bitmap: try Bitmap(size: size, format: .gray))
            let error = #expect(throws: ImageError.self) { try encode(image) }
            #expect(error?.code == "invalidArgument" && error?.description.contains("65500") == true)
            let file = try encode(image) { $0.jpeg.allowsLongSides = true }
            #expect(try JPEGCoder().inspect(ImageData(file), options: .default).size == size)
        }
        let longest = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 65_500, height: 1), format: .gray))
        #expect(try JPEGCoder().inspect(ImageData(encode(longest)), options: .default).size == longest.size)
    }

    @Test func scansAreGivenUpBeforePixelsAre() throws {
        let image = try scene(16, 16)
        func file(atMost count: Int, isProgressive: Bool?) throws -> [UInt8] {
            try encode(image) {
                $0.maxFileByteCount = count
                $0.mayScaleDown = false
                $0.jpeg.isProgressive = isProgressive
            }
        }
        // The shortest file there can be.
        let file = try #require(
            stride(from: 250, to: 900, by: 5).lazy.compactMap { try? file(atMost: $0, isProgressive: nil) }.first)
        let info = try JPEGCoder().inspect(ImageData(file), options: .default)
        #expect(info.size == image.size && !info.isProgressive)
        // Who asks for scans gets them or nothing; who does not gets them where they fit.
        #expect(throws: ImageError.self) {
            try self.encode(image) {
                $0.maxFileByteCount = file.count; $0.mayScaleDown = false; $0.jpeg.isProgressive = true
            }
        }
        let larger = try encode(image) { $0.maxFileByteCount = 2000 }
        #expect(try JPEGCoder().inspect(ImageData(larger), options: .default).isProgressive)
    }

    @Test func sidesAbove65535AreInvalidArguments() throws {
        for size in [PixelSize(width: 65_536, height: 1), PixelSize(width: 1, height: 65_536)] {
            let image = RasterImage(bitmap: try Bitmap(size: size, format: .gray))
            let error = #expect(throws: ImageError.self) { try encode(image) }
            #expect(error?.code == "invalidArgument" && error?.description.contains("65535") == true)
        }
    }

    @Test(arguments: [PixelFormat.gray, .gray16, .cmyk])
    func picturesWithoutChromaHaveNoSubsampling(_ format: PixelFormat) throws {
        let image = try scene(16, 16, format)
        let error = #expect(throws: ImageError.self) { try encode(image) { $0.jpeg.subsampling = .yCbCr420 } }
        #expect(error?.code == "invalidArgument" && error?.description.contains("4:2:0") == true)
    }

    @Test(arguments: [-1, 65_536])
    func restartIntervalsOutsideTheSegmentAreRefused(_ interval: Int) throws {
        let image = try scene(16, 16)
        #expect(throws: ImageError.self) { try encode(image) { $0.jpeg.restartInterval = interval } }
    }

    @Test func metadataThatAreTooLongAreInvalidArgumentsThatNameThem() throws {
        var image = try scene(16, 16)
        image.metadata.exif = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 65_600)
        let exif = #expect(throws: ImageError.self) { try encode(image) }
        #expect(exif?.code == "invalidArgument" && exif?.description.contains("EXIF") == true)
    }

    @Test func longCommentsTakeSeveralSegments() throws {
        var image = try scene(16, 16)
        let text = String(repeating: "é", count: 70_000)
        image.metadata.comments = [text]
        let read = try JPEGCoder().inspect(ImageData(encode(image)), options: .default).metadata.comments
        #expect(read.count == 3 && read.joined() == text)
    }

    @Test(arguments: [EncodingOptions.Effort.default, .best])
    func aLimitThatIsKeptAnywayChangesNothing(_ effort: EncodingOptions.Effort) throws {
        let image = try scene(100, 80)
        let free = try encode(image) { $0.effort = effort }
        let limited = try encode(image) {
            $0.effort = effort
            $0.maxFileByteCount = .max
        }
        #expect(free == limited)
    }

    /// A picture lower than what a survey looks at once, wider than any picture of the laws.
    @Test(arguments: [Int?.none, 100_000]) func wideAndLowPicturesTakeWhatIsEstimated(_ most: Int?) throws {
        let picture = try EncoderPicture(.noise, size: PixelSize(width: 60_000, height: 5))
        var options = EncodingOptions()
        options.maxFileByteCount = most
        let laws = EncoderLaws(JPEGCoder(), writing: .jpeg, isLossless: false)
        #expect(laws.memoryStaysWithinTheEstimate(picture, options) == [])
        #expect(laws.limitsAreCheckedFirst(picture, options) == [])
    }

    @Test func transparentPicturesAreLaidOverTheBackground() throws {
        let bitmap = try Bitmap(size: PixelSize(width: 16, height: 16), format: .rgba)
        let white = try JPEGCoder().decode(ImageData(encode(RasterImage(bitmap: bitmap))), options: .default).bitmap
        #expect(try white.converted(to: .rgb).packedBytes().allSatisfy { $0 == 255 })
        let file = try encode(RasterImage(bitmap: bitmap)) { $0.background = [200, 30, 60] }
        let red = try JPEGCoder().decode(ImageData(file), options: .default).bitmap
        let pixel = try red.converted(to: .rgb).packedBytes()[..<3].map { Int($0) }
        #expect(abs(pixel[0] - 200) < 4 && abs(pixel[1] - 30) < 4 && abs(pixel[2] - 60) < 4)
    }

    @Test(arguments: EncodingOptions.Effort.allCases, [Orientation.up, .right])
    func previewsAreEmbedded(_ effort: EncodingOptions.Effort, _ orientation: Orientation) throws {
        var image = try scene(400, 300)
        image.orientation = orientation
        let file = try encode(image) {
            $0.effort = effort
            $0.embedsThumbnail = true
        }
        let info = try JPEGCoder().inspect(ImageData(file), options: .default)
        #expect(info.orientation == orientation)
        let exif = try #require(info.metadata.exif)
        let preview = try JPEGCoder().decode(ImageData(#require(ExifThumbnail.jpeg(in: exif))), options: .default)
        #expect(preview.size == PixelSize(width: 160, height: 120))
        let small = try image.bitmap.scaled(to: preview.size)
        #expect(try error(preview.bitmap, small) < 80)
    }

    @Test func aPreviewInsideTheExifDataIsReplaced() throws {
        var image = try scene(300, 200)
        let first = try encode(image) { $0.embedsThumbnail = true }
        image.metadata = try JPEGCoder().inspect(ImageData(first), options: .default).metadata
        let second = try encode(image) { $0.embedsThumbnail = true }
        #expect(abs(first.count - second.count) < 200)
    }

    @Test func filesOfLimitedSizeUseWhatIsAllowed() throws {
        let image = try scene(300, 200)
        for effort in EncodingOptions.Effort.allCases {
            let whole = try encode(image) {
                $0.effort = effort
                $0.quality = 1
            }
            for (limit, subsampling) in [
                (whole.count / 3, JPEGSubsampling.yCbCr444), (whole.count / 10, .yCbCr420), (whole.count / 3, nil),
            ] {
                let file = try encode(image) {
                    $0.effort = effort
                    $0.quality = 1
                    $0.jpeg.subsampling = subsampling
                    $0.maxFileByteCount = limit
                }
                // Steps of the standard's tables are as coarse as half a number of quality; where the picture decides, sampling changes
                // at one.
                let least = effort == .fast || subsampling == nil ? 90 : 99
                #expect(file.count <= limit && file.count * 100 > limit * least, "\(effort): \(file.count) of \(limit)")
                #expect(try JPEGCoder().inspect(ImageData(file), options: .default).size == image.size)
            }
        }
    }

    /// Then there is no lower one to try before the picture gets smaller, and of smaller ones that quality fits.
    @Test(arguments: [0.0, 0.05, 0.1]) func picturesOfTheLowestQualitiesGetNoSmallerThanTheyMust(_ quality: Double)
        throws
    {
        let image = RasterImage(bitmap: try EncoderPicture(.noise, size: PixelSize(width: 200, height: 150)).bitmap)
        let whole = try encode(image) { $0.quality = quality }
        let limit = whole.count * 2 / 3
        let file = try encode(image) {
            $0.quality = quality
            $0.maxFileByteCount = limit
        }
        let size = try JPEGCoder().inspect(ImageData(file), options: .default).size
        #expect(file.count <= limit && size.width > 100 && size.width < 200)
        let error = #expect(throws: ImageError.self) {
            try encode(image) {
                $0.quality = quality
                $0.maxFileByteCount = 300
                $0.mayScaleDown = false
            }
        }
        #expect(error?.description.contains(String(Int.max)) == false)
    }

    @Test func qualityIsLoweredBeforeThePictureIsScaled() throws {
        let image = RasterImage(bitmap: try EncoderPicture(.noise, size: PixelSize(width: 200, height: 150)).bitmap)
        let small = try encode(image) { $0.maxFileByteCount = 1500 }
        let size = try JPEGCoder().inspect(ImageData(small), options: .default).size
        #expect(small.count <= 1500 && size.width < 200)
        let error = #expect(throws: ImageError.self) {
            try encode(image) {
                $0.maxFileByteCount = 700
                $0.mayScaleDown = false
            }
        }
        // The smallest size that was reached is named.
        #expect(error?.description.contains("smallest") == true)
    }
}
