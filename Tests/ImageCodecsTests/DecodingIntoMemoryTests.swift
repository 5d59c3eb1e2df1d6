import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct DecodingIntoMemoryTests {
    private static let fixtures = Fixture.sound("png") + Fixture.sound("jpeg")

    /// Memory with the picture somewhere in its middle, between bytes that nobody may change.
    private struct Memory {
        /// Odd, so that no row begins where a larger number could.
        static let start = 13
        static let rowPadding = 5
        static let end = 40
        let canary: UInt8
        var bytes: [UInt8]
        let layout: PixelLayout

        init(_ info: ImageInfo, canary: UInt8) throws {
            let packed = info.decodedSize.width * info.decodedFormat.bytesPerPixel
            layout = try PixelLayout(
                size: info.decodedSize, format: info.decodedFormat, bytesPerRow: packed + Self.rowPadding)
            self.canary = canary
            bytes = Array(repeating: canary, count: Self.start + layout.byteCount + Self.end)
        }

        /// Decodes with no more memory in sight than the picture takes.
        mutating func decode(_ data: ImageData, _ options: DecodingOptions) throws(ImageError) -> PartialReport? {
            let layout = layout
            return try bytes.withMutableRawSpan(of: Self.start..<Self.start + layout.byteCount) { memory in
                Result { () throws(ImageError) in
                    try CoderRegistry.shared.decode(
                        data, into: &memory, bytesPerRow: layout.bytesPerRow, options: options)
                }
            }.get()
        }

        /// The pixels without what is between rows.
        var packedPixels: [UInt8] {
            (0..<layout.size.height).flatMap { y in
                let row = layout.byteRange(ofRow: y)
                return bytes[Self.start + row.lowerBound..<Self.start + row.upperBound]
            }
        }

        /// Whether everything but the pixels is as it was.
        var isUntouchedElsewhere: Bool {
            var others = bytes[..<Self.start] + bytes[(bytes.count - Self.end)...]
            for y in 0..<layout.size.height - 1 {
                let end = Self.start + layout.byteRange(ofRow: y).upperBound
                others += bytes[end..<end + Self.rowPadding]
            }
            return others.allSatisfy { $0 == canary }
        }
    }

    /// The memory holds what a decode to a bitmap gives, and is as it was everywhere else.
    private func expectPixelsAlone(_ data: ImageData, _ options: DecodingOptions, _ comment: Comment) throws {
        let expected = try CoderRegistry.shared.decode(data, options: options)
        let info = try CoderRegistry.shared.inspect(data, options: options)
        for canary: UInt8 in [0xA5, 0x5A] {
            var memory = try Memory(info, canary: canary)
            #expect(try memory.decode(data, options) == expected.partial, comment)
            #expect(memory.layout.size == expected.size && memory.layout.format == expected.bitmap.format, comment)
            #expect(memory.packedPixels == expected.bitmap.packedBytes(), comment)
            #expect(memory.isUntouchedElsewhere, comment)
        }
    }

    /// What a caller may ask for: the whole, thumbnails, as stored, with a helper thread.
    private var variants: [DecodingOptions] {
        var asStored = DecodingOptions()
        asStored.appliesOrientation = false
        asStored.maxThreadCount = 2
        var fast = DecodingOptions.thumbnail(width: 50, height: 31)
        fast.thumbnailQuality = .fast
        return [.default, asStored, .thumbnail(width: 100, height: 45), fast]
    }

    @Test(arguments: fixtures, PixelFormat.all)
    func onlyPixelsOfRowsAreWritten(_ fixture: Fixture, _ format: PixelFormat) throws {
        let data = try ImageData(contentsOfFile: fixture.url.path)
        for var options in variants {
            options.pixelFormat = format
            try expectPixelsAlone(data, options, "\(options.size)")
        }
    }

    /// A JPEG file of a fixture's pixels that is to be turned.
    private static func turned(_ name: String, _ orientation: UInt8) throws -> [UInt8] {
        let file = Array(try Data(contentsOf: Fixture.folder("jpeg").appendingPathComponent(name)))
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
        ]
        let body = Array("Exif\0\0".utf8) + tiff
        return file[..<2] + [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body + file[2...]
    }

    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg"], 1...8 as ClosedRange<UInt8>)
    func turnedPicturesAreWrittenWithinTheirRows(_ name: String, _ orientation: UInt8) throws {
        let data = ImageData(try Self.turned(name, orientation))
        // Also a square, whose size says nothing about the turn.
        var square = DecodingOptions.thumbnail(width: 40, height: 40, fit: .stretch)
        square.pixelFormat = .rgb
        for options in [.default, square] { try expectPixelsAlone(data, options, "orientation \(orientation)") }
    }

    @Test(arguments: fixtures.filter { !$0.name.contains("adam7") && !$0.name.contains("exif") })
    func theSameBitmapIsUsedAgain(_ fixture: Fixture) throws {
        let data = try ImageData(contentsOfFile: fixture.url.path)
        var bitmap = try CoderRegistry.shared.decode(data, options: .default).bitmap
        let expected = bitmap.packedBytes()
        let before = bitmap.withRow(0) { row in
            unsafe row.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        }
        try CoderRegistry.shared.decode(data, into: &bitmap, options: .default)
        let after = bitmap.withRow(0) { row in
            unsafe row.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        }
        #expect(before == after)
        #expect(bitmap.packedBytes() == expected)
    }

    @Test(arguments: fixtures)
    func theFormatNearestToTheFileIsTold(_ fixture: Fixture) throws {
        var options = DecodingOptions()
        options.pixelFormat = nil
        try expectPixelsAlone(ImageData(contentsOfFile: fixture.url.path), options, "nearest")
    }

    @Test(arguments: fixtures, [PixelFormat.bgraPremultiplied, .rgb, .gray16])
    func ofPartialPicturesOnlyPixelsOfRowsAreWritten(_ fixture: Fixture, _ format: PixelFormat) throws {
        let bytes = Array(try Data(contentsOf: fixture.url))
        let cut = ImageData(Array(bytes[..<(bytes.count * 6 / 10)]))
        for var options in variants {
            options.strictness = .tolerant
            options.pixelFormat = format
            guard let image = try? RasterImage(cut, options: options) else { continue }
            #expect(image.isPartial)
            try expectPixelsAlone(cut, options, "\(options.size)")
        }
    }

    @Test(arguments: Fixture.damaged("png") + Fixture.damaged("jpeg"))
    func damageThrowsAndWritesNowhereElse(_ fixture: Fixture) throws {
        let data = try ImageData(contentsOfFile: fixture.url.path)
        guard let info = try? ImageInfo(data) else { return }
        var memory = try Memory(info, canary: 0x77)
        let error = #expect(throws: ImageError.self) { try memory.decode(data, .default) }
        #expect(error?.code == fixture.errorCode)
        #expect(memory.isUntouchedElsewhere)
    }

    /// An orientation after the pixels of a PNG file does not count, whether or not a decode comes to it.
    @Test func damageBeforeAnOrientationLeavesTheLayout() throws {
        var png = PNGBuilder()
        png.addHeader(width: 3, height: 2)
        // A stored block with the first row of three RGB pixels, then a block of the type that does not exist.
        png.addImageData([0x78, 0x01, 0x00, 10, 0, 245, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x07])
        png.add("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
        png.add("IEND")
        var options = DecodingOptions()
        (options.strictness, options.pixelFormat) = (.tolerant, .rgb)
        let data = ImageData(png.bytes)
        let stored = try RasterImage(data, options: options)
        let info = try ImageInfo(data, options: options)
        #expect(stored.partial?.rows == [0..<1] && stored.size == PixelSize(width: 3, height: 2))
        #expect(info.decodedSize == stored.size)
        var memory = try Memory(info, canary: 0x33)
        #expect(try memory.decode(data, options) == stored.partial)
        #expect(memory.packedPixels == stored.bitmap.packedBytes())
        #expect(memory.isUntouchedElsewhere)
    }

    @Test(arguments: ["landscape.png", "badge@2x.png", "chart-palette.png"])
    func rowsAreDecodedStraightIntoTheMemory(_ name: String) throws {
        let data = try ImageData(contentsOfFile: Fixture.folder("png").appendingPathComponent(name).path)
        var options = DecodingOptions()
        let meter = MemoryMeter()
        options.memoryMeter = meter
        var memory = try Memory(ImageInfo(data, options: options), canary: 0)
        _ = try memory.decode(data, options)
        // Lines, the inflate window and metadata, but no bitmap.
        let needed = meter.peak
        _ = try RasterImage(data, options: options)
        #expect(meter.peak > needed + memory.layout.byteCount / 2)
        #expect(meter.current == 0)
    }

    @Test func tooLittleMemoryIsRefusedBeforePixelsAreDecoded() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let data = try ImageData(contentsOfFile: path)
        var bytes = [UInt8](repeating: 7, count: 240 * 160 * 4 - 1)
        let error = #expect(throws: ImageError.self) {
            try bytes.withMutableRawSpan { memory in
                Result { () throws(ImageError) in try CoderRegistry.shared.decode(data, into: &memory) }
            }.get()
        }
        #expect(
            error
                == .invalidArgument(
                    "the memory to decode into are 153599 bytes: 240x160 pixels of bgrx, 960 bytes from row to row, "
                        + "take 153600"))
        #expect(bytes.allSatisfy { $0 == 7 })
    }

    @Test func rowsThatOverlapAreRefused() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let data = try ImageData(contentsOfFile: path)
        var bytes = [UInt8](repeating: 7, count: 1 << 20)
        for bytesPerRow in [959, 0, -960, .max] {
            let error = #expect(throws: ImageError.self) {
                try bytes.withMutableRawSpan { memory in
                    Result { () throws(ImageError) in
                        try CoderRegistry.shared.decode(data, into: &memory, bytesPerRow: bytesPerRow)
                    }
                }.get()
            }
            #expect(error?.code == "invalidArgument")
        }
        #expect(bytes.allSatisfy { $0 == 7 })
    }

    /// A coder that might keep what it gets decodes into a bitmap of its own, and perhaps to another format than it says.
    @Test(arguments: [PixelFormat.gray, .rgba])
    func otherCodersAreNotLentTheMemory(_ format: PixelFormat) throws {
        let registry = CoderRegistry([GreedyCoder(format: format)])
        var bytes = [UInt8](repeating: 7, count: 9)
        let partial = try bytes.withMutableRawSpan { memory in
            Result { () throws(ImageError) in
                try registry.decode(ImageData(Array("GREEDY".utf8)), into: &memory, bytesPerRow: 5)
            }
        }.get()
        #expect(partial == nil)
        #expect(bytes == [1, 1, 1, 7, 7, 1, 1, 1, 7])
    }
}

/// Fills the bitmap it is given, whose memory must not be that of the caller.
private struct GreedyCoder: ImageCoder {
    /// What it decodes to; its inspection says gray.
    let format: PixelFormat
    private let size = PixelSize(width: 3, height: 2)

    func canDecode(_ header: Span<UInt8>) -> Bool { header.count == 6 }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        ImageInfo(
            format: .png, size: size, hasAlpha: false, bitDepth: 8, colorDescription: "gray", decodedSize: size,
            decodedFormat: .gray, estimatedPeakByteCount: 128)
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try RasterImage(
            bitmap: Bitmap(copying: Array(repeating: 1, count: 6), size: size, format: .gray).converted(to: format))
    }

    func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        guard bitmap.size.isEmpty else { throw .invalidArgument("lent") }
        bitmap = try decode(data, options: options).bitmap
        return nil
    }
}
